const PAGE = 25;
const ALL = "*";
const state = { page: 0, found: [] };

function pieces(source, edits, spans) {
  // The source cut at the ends of edits and protected spans; offsets count code points.
  const points = [...source];
  const ends = new Set([0, points.length]);
  for (const [start, stop] of [...edits, ...spans]) ends.add(start).add(stop);
  const borders = [...ends].sort((one, other) => one - other);
  const made = [];
  const insertions = (place) => edits.filter(([start, stop]) => start === stop && start === place);
  borders.forEach((start, at) => {
    for (const [, , words] of insertions(start)) made.push({ before: "", after: words, edited: true });
    const stop = borders[at + 1];
    if (stop === undefined) return;
    const before = points.slice(start, stop).join("");
    const edit = edits.find(([from, to]) => from <= start && stop <= to && from < to);
    const span = spans.find(([from, to]) => from <= start && stop <= to && from < to);
    const after = edit ? (edit[0] === start ? edit[2] : "") : before;
    made.push({ before, after, edited: Boolean(edit), label: span && span[2] });
  });
  return made;
}

function shown(parts, side) {
  // One side of the edits, or "both": each removal, then what was inserted in its place.
  return parts.flatMap((part) => {
    if (side === "both" && part.edited) {
      return [part.before && element("del", {}, part.before), part.after && element("ins", {}, part.after)].map((one) => one || null);
    }
    const words = part[side === "both" ? "after" : side];
    if (part.edited) {
      if (side === "before") return words ? element("del", {}, words) : null;
      return words ? element("ins", {}, words) : element("del", { class: "gap", title: `deleted: ${part.before}` }, "\u2009");
    }
    return part.label ? element("mark", { title: `protected: ${part.label}` }, words) : document.createTextNode(words);
  }).filter((made) => made !== null);
}

const spelt = (value) => (value === null || value === "" ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value));

function snippet(edits, source, side) {
  // The text from shortly before the first edit.
  const parts = pieces(source, edits, []);
  const first = parts.findIndex((part) => part.edited);
  if (first > 0 && !parts[first - 1].edited) {
    const words = [...parts[first - 1].before];
    if (words.length > 40) parts[first - 1] = { before: "…" + words.slice(-38).join(""), after: "…" + words.slice(-38).join("") };
    return shown(parts.slice(first - 1), side);
  }
  return shown(parts, side);
}

function body(example) {
  const original = data.originals[example.original];
  const columns = [["before", "original"], ["after", "perturbed"]].map(([side, title]) => {
    const made = element("div", {});
    for (const [field, source] of Object.entries(original.texts)) {
      const name = Object.keys(original.texts).length > 1 ? `${title}: ${field}` : title;
      const parts = pieces(source, example.edits[field] || [], example.protected[field] || []);
      made.append(element("h4", {}, name), element("p", {}, ...shown(parts, side)));
    }
    return made;
  });
  const rows = report.models.map((run, at) => {
    const [before, after, outcome] = example.predictions[at];
    return element("tr", {}, element("td", {}, nameOf(run, 60)), element("td", {}, spelt(before)), element("td", {}, spelt(after)),
      element("td", {}, element("span", { class: `badge ${outcome}` }, outcome)));
  });
  const head = ["model", "prediction for the original", "prediction for the perturbed text", "outcome"].map((name) => element("th", {}, name));
  const facts = [`right answer: ${spelt(original.gold)}`, `status: ${example.status}`];
  if (example.similarity !== null) facts.push(`similarity: ${example.similarity}`);
  if (example.probability !== null) facts.push(`probability: ${Number(example.probability.toFixed(4))}`);
  data.subpopulations.forEach((one, at) => facts.push(`${one.name}: ${one.cells[original.cells[at]]}`));
  return element("div", { class: "body" }, element("div", { class: "texts" }, ...columns),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))),
    element("p", { class: "facts" }, facts.join(" · ")));
}

function card(example) {
  const original = data.originals[example.original];
  const outcome = example.predictions[byId("by-model").value][2];
  const field = Object.keys(original.texts).find((name) => (example.edits[name] || []).length) || Object.keys(original.texts)[0];
  const made = element("article", { class: "example" });
  const button = element("button", { type: "button", "aria-expanded": "false" },
    element("span", { class: `badge ${outcome}` }, outcome), element("span", { class: "key" }, report.attacks[example.attack]),
    element("span", { class: "snippet" }, ...snippet(example.edits[field] || [], original.texts[field], "both")),
    element("span", { class: "key" }, `#${original.id}`));
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) made.querySelector(".body").remove();
    else made.append(body(example));
  });
  made.append(button);
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
    made.addEventListener("click", () => { state.page += by; list(); remember(); byId("examples").scrollIntoView(); });
    return made;
  };
  byId("pages").replaceChildren(...(last ? [turn("← previous", -1, page === 0), element("span", {}, `${page + 1} of ${last + 1}`), turn("next →", 1, page === last)] : []));
}

const FILTERS = ["by-model", "by-attack", "by-outcome", "by-subpopulation", "by-cell", "by-text"];

function remember() {
  // The filters and the page of the list stand in the address, so that a link leads to the same rows.
  const place = new URLSearchParams(FILTERS.map((id) => [id, byId(id).value]).filter(([, value]) => value && value !== ALL));
  if (state.page) place.set("page", state.page + 1);
  history.replaceState(null, "", `#examples?${place}`);
}

function recall() {
  const [name, query] = location.hash.slice(1).split("?");
  if (name !== "examples" || query === undefined) return false;
  const place = new URLSearchParams(query);
  byId("by-outcome").value = ALL;
  for (const id of FILTERS) {
    if (!place.has(id)) continue;
    byId(id).value = place.get(id);
    if (id === "by-subpopulation") cellsOf();
  }
  state.found = data.examples.filter(matches);
  state.page = Math.max(0, Math.min(Number(place.get("page") || 1) - 1, Math.ceil(state.found.length / PAGE) - 1));
  list();
  byId("examples").scrollIntoView();
  return true;
}

function cellsOf() {
  const chosen = data.subpopulations[byId("by-subpopulation").value];
  byId("by-cell").disabled = !chosen;
  choices(byId("by-cell"), chosen ? [[ALL, "all"], ...chosen.cells.map((name, at) => [at, name])] : []);
}

function filter() {
  changed();
  remember();
}

function changed() {
  state.page = 0;
  state.found = data.examples.filter(matches);
  list();
}

function examples() {
  choices(byId("by-model"), report.models.map((run, at) => [at, nameOf(run, 48)]));
  choices(byId("by-attack"), [[ALL, "all"], ...report.attacks.map((attack, at) => [at, attack])]);
  const there = new Set(data.examples.flatMap((example) => example.predictions.map((one) => one[2])));
  const order = ["broken", "fixed", "kept", "wrong", "flipped", "same"].filter((name) => there.has(name));
  choices(byId("by-outcome"), [[ALL, "all"], ...order.map((name) => [name, name])]);
  choices(byId("by-subpopulation"), [[ALL, "all"], ...data.subpopulations.map((one, at) => [at, one.name])]);
  byId("by-subpopulation").addEventListener("change", () => { cellsOf(); filter(); });
  for (const id of ["by-model", "by-attack", "by-outcome", "by-cell"]) byId(id).addEventListener("change", filter);
  let waiting = 0;
  byId("by-text").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 150); });
  if (there.has("broken") && data.examples.some((example) => example.predictions[0][2] === "broken")) byId("by-outcome").value = "broken";
  if (!recall()) changed();
}
