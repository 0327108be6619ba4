const PAGE = 25;
const ALL = "*";
const state = { page: 0, found: [], open: new Set() };

function pieces(source, edits, spans, flipping = null) {
  // The source cut at the ends of edits and protected spans; offsets count code points. `flipping` has the numbers of
  // the edits that flip the answer; null if all of them count.
  const flips = (edit) => flipping === null || flipping.includes(edits.indexOf(edit));
  const points = [...source];
  const ends = new Set([0, points.length]);
  for (const [start, stop] of [...edits, ...spans]) ends.add(start).add(stop);
  const borders = [...ends].sort((one, other) => one - other);
  const made = [];
  const insertions = (place) => edits.filter(([start, stop]) => start === stop && start === place);
  borders.forEach((start, at) => {
    for (const edit of insertions(start)) made.push({ before: "", after: edit[2], edited: true, flips: flips(edit) });
    const stop = borders[at + 1];
    if (stop === undefined) return;
    const before = points.slice(start, stop).join("");
    const edit = edits.find(([from, to]) => from <= start && stop <= to && from < to);
    const span = spans.find(([from, to]) => from <= start && stop <= to && from < to);
    const after = edit ? (edit[0] === start ? edit[2] : "") : before;
    made.push({ before, after, edited: Boolean(edit), flips: Boolean(edit) && flips(edit), label: span && span[2] });
  });
  return made;
}

// Invisible characters inside words, spelt out: without them an edit may look like none.
const visible = (text) =>
  text.replace(/(?<=[\p{L}\p{N}]\p{Cf}*)\p{Cf}/gu, (char) => `⟨U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

function shown(parts, side) {
  // One side of the edits, or "both": each removal, then what was inserted in its place. Edits that do not flip the
  // answer are underlined, no more.
  return parts.flatMap((part) => {
    if (part.edited) part = { ...part, before: visible(part.before), after: visible(part.after) };
    if (part.edited && !part.flips) {
      const words = part[side === "both" ? "after" : side];
      const other = side === "before" ? part.after : part.before;
      return words ? element("u", { title: other ? `edited, does not flip the answer: ${other}` : "edited, does not flip the answer" }, words) : null;
    }
    if (side === "both" && part.edited) {
      return [part.before ? element("del", {}, part.before) : null, part.after ? element("ins", {}, part.after) : null];
    }
    const words = part[side === "both" ? "after" : side];
    if (part.edited) {
      if (side === "before") return words ? element("del", {}, words) : null;
      return words ? element("ins", {}, words) : element("del", { class: "gap", title: `deleted: ${part.before}` }, "\u2009");
    }
    return part.label ? element("mark", { title: `protected: ${part.label}` }, words) : document.createTextNode(words);
  }).filter((made) => made !== null);
}

// The numbers of the edits of a field that flip the answer of the chosen model; null if it was not asked.
function flippingOf(example, field) {
  const own = example.flipping && example.flipping[byId("by-model").value];
  return own ? own[field] || [] : null;
}

const spelt = (value) => (value === null || value === "" ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value));

function snippet(edits, source, side, flipping) {
  // The text from shortly before the first edit that counts.
  const parts = pieces(source, edits, [], flipping);
  const first = parts.findIndex((part) => part.edited && part.flips);
  if (first < 0) return shown(parts, side);
  const before = [];
  let room = 40;
  for (let at = first - 1; at >= 0 && room > 0; at -= 1) {
    const words = [...parts[at].after];
    if (words.length <= room) before.unshift(parts[at]);
    else {
      const tail = `…${words.slice(words.length - room).join("")}`;
      before.unshift({ before: tail, after: tail, edited: false });
    }
    room -= words.length;
  }
  return shown([...before, ...parts.slice(first)], side);
}

function body(example) {
  const original = data.originals[example.original];
  const columns = [["before", "original"], ["after", "perturbed"]].map(([side, title]) => {
    const made = element("div", {});
    for (const [field, source] of Object.entries(original.texts)) {
      const name = Object.keys(original.texts).length > 1 ? `${title}: ${field}` : title;
      const parts = pieces(source, example.edits[field] || [], example.protected[field] || [], flippingOf(example, field));
      made.append(element("h3", {}, name), element("p", {}, ...shown(parts, side)));
    }
    return made;
  });
  for (const [defence, texts] of Object.entries(example.read || {})) {
    for (const [field, words] of Object.entries(texts)) columns[1].append(element("h3", {}, `${defence} reads: ${field}`), element("p", { class: "read" }, words));
  }
  const rows = report.models.map((run, at) => {
    const [before, after, outcome] = example.predictions[at];
    return element("tr", {}, element("td", {}, ...breakable(nameOf(run, 60))), element("td", {}, spelt(before)), element("td", {}, spelt(after)),
      element("td", {}, element("span", { class: `badge ${outcome}` }, outcome)));
  });
  const head = ["answer of", "original", "perturbed", "outcome"].map((name) => element("th", {}, name));
  const facts = [`right answer: ${spelt(original.gold)}`, `status: ${example.status}`];
  if (example.similarity !== null) facts.push(`similarity: ${example.similarity}`);
  if (example.probability !== null) facts.push(`probability: ${Number(example.probability.toFixed(4))}`);
  data.subpopulations.forEach((one, at) => facts.push(`${data.properties[one.name] || one.name}: ${one.cells[original.cells[at]]}`));
  return element("div", { class: "body" }, element("div", { class: "texts" }, ...columns),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `predictions, example ${data.examples.indexOf(example) + 1}` }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))),
    element("p", { class: "facts" }, facts.join(" · ")));
}

function card(example) {
  const original = data.originals[example.original];
  const at = data.examples.indexOf(example);
  const outcome = example.predictions[byId("by-model").value][2];
  const field = Object.keys(original.texts).find((name) => (example.edits[name] || []).length) || Object.keys(original.texts)[0];
  const made = element("article", { class: "example" });
  const button = element("button", { type: "button", "aria-expanded": "false" },
    element("span", { class: `badge ${outcome}` }, outcome), element("span", { class: "key" }, shortened(shownName(report.attacks[example.attack]), 40)),
    element("span", { class: "snippet" }, ...snippet(example.edits[field] || [], original.texts[field], "both", flippingOf(example, field))),
    element("span", { class: "key" }, `#${original.id}`));
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    if (open) made.append(body(example));
    else made.querySelector(".body").remove();
  };
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    if (open) state.open.add(at); else state.open.delete(at);
    show(open);
    remember("examples");
  });
  made.append(button);
  if (state.open.has(at)) show(true);
  return made;
}

function perturbedTexts(example) {
  return Object.entries(data.originals[example.original].texts)
    .map(([field, source]) => pieces(source, example.edits[field] || [], []).map((part) => part.after).join("")).join("\n");
}

function matches(example) {
  const value = (id) => byId(id).value;
  if (value("by-attack") !== ALL && example.attack !== Number(value("by-attack"))) return false;
  if (value("by-outcome") !== ALL && example.predictions[value("by-model")][2] !== value("by-outcome")) return false;
  const original = data.originals[example.original];
  if (value("by-subpopulation") !== ALL && value("by-cell") !== ALL && original.cells[value("by-subpopulation")] !== Number(value("by-cell"))) return false;
  const words = value("by-text").trim().toLowerCase();
  if (!words) return true;
  return `${Object.values(original.texts).join("\n")}\n${perturbedTexts(example)}`.toLowerCase().includes(words);
}

function list() {
  const { page, found } = state;
  byId("list").replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(card));
  const total = data.examples.length;
  const kept = data.left_out ? ` This page shows a random sample of ${whole(total)} out of ${whole(total + data.left_out)} examples; --predictions writes all of them.` : "";
  byId("count").textContent = `${whole(found.length)} of ${whole(total)} examples.${kept}${data.episodes ? " Predictions are from the first episode." : ""}`;
  const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
  const turn = (text, by, off) => {
    const made = element("button", { type: "button", disabled: off }, text);
    made.addEventListener("click", () => { state.page += by; state.open.clear(); list(); remember("examples"); byId("examples").scrollIntoView(); });
    return made;
  };
  byId("pages").replaceChildren(...(last ? [turn("← previous", -1, page === 0), element("span", {}, `${page + 1} of ${last + 1}`), turn("next →", 1, page === last)] : []));
}

function cellsOf() {
  const chosen = data.subpopulations[byId("by-subpopulation").value];
  byId("by-cell").disabled = !chosen;
  choices(byId("by-cell"), chosen ? [[ALL, "all"], ...chosen.cells.map((name, at) => [at, name])] : []);
}

function found() {
  state.found = data.examples.filter(matches);
}

function changed() {
  state.page = 0;
  state.open.clear();
  found();
  list();
}

function filter() {
  changed();
  remember("examples");
}

function examples() {
  choices(byId("by-model"), report.models.map((run, at) => [at, nameOf(run, 48)]));
  choices(byId("by-attack"), [[ALL, "all"], ...report.attacks.map((attack, at) => [at, shortened(shownName(attack), 48)])]);
  const there = new Set(data.examples.flatMap((example) => example.predictions.map((one) => one[2])));
  const order = ["broken", "fixed", "kept", "wrong", "flipped", "same"].filter((name) => there.has(name));
  choices(byId("by-outcome"), [[ALL, "all"], ...order.map((name) => [name, name])]);
  choices(byId("by-subpopulation"), [[ALL, "all"], ...data.subpopulations.map((one, at) => [at, data.properties[one.name] || one.name])]);
  byId("by-subpopulation").addEventListener("change", () => { cellsOf(); filter(); });
  for (const id of ["by-model", "by-attack", "by-outcome", "by-cell"]) byId(id).addEventListener("change", filter);
  let waiting = 0;
  byId("by-text").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 150); });
  if (there.has("broken") && data.examples.some((example) => example.predictions[0][2] === "broken")) byId("by-outcome").value = "broken";
}
