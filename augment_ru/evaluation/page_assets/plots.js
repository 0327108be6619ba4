let WIDTH = 960;
const isNarrow = () => WIDTH < 640;

function measure() {
  const box = document.querySelector("section");
  const style = getComputedStyle(box);
  const room = box.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
  WIDTH = Math.max(280, Math.min(1180, Math.floor(room)));
}

function canvas(height, title, ...children) {
  return drawn("svg", { viewBox: `0 0 ${WIDTH} ${Math.ceil(height)}`, width: WIDTH, role: "img", "aria-label": title }, ...children);
}

const text = (x, y, words, kind = "", anchor = "start") =>
  drawn("text", { x, y, class: kind, "text-anchor": anchor }, words);
const line = (x1, y1, x2, y2, kind, color = "") => drawn("line", { x1, y1, x2, y2, class: kind, tone: color });
const hint = (words) => drawn("title", {}, words);

function dot(x, y, kind, color, words) {
  return drawn("circle", { cx: x, cy: y, r: 5, class: kind, tone: color }, hint(words));
}

function ticks(low, high, most = isNarrow() ? 4 : 6) {
  // Round numbers (1, 2 or 5 times a power of ten) inside the range.
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough * (1 - 1e-9));
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-6; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}

function axis(left, right, top, bottom, low, high, ends = "%") {
  const values = ticks(low, high);
  return values.flatMap((value, at) => {
    const x = left + ((right - left) * (value - low)) / (high - low);
    return [line(x, top, x, bottom, "grid"),
      text(x, bottom + 16, `${value}${at === values.length - 1 ? " " + ends : ""}`, "soft", "middle")];
  });
}

function levels(left, right, top, bottom, most) {
  const values = ticks(0, most);
  return values.flatMap((value, at) => {
    const y = bottom - ((bottom - top) * value) / most;
    return [line(left, y, right, y, "grid"), text(left - 8, y + 4, `${value}${at === values.length - 1 ? " %" : ""}`, "soft", "end")];
  });
}

function ceiling(values) {
  const most = Math.max(5, ...values.filter((value) => value !== null));
  return Math.min(100, Math.ceil(most / 10) * 10);
}

function legend(box, names) {
  box.replaceChildren(...names.map(([name, color]) =>
    element("span", { title: name }, element("i", { style: { "--tone": color } }), shortened(name, 48))));
}

// The room that names take at the left, about 7 points a letter.
const margin = (names) => Math.min(0.3 * WIDTH, 24 + 7.2 * Math.max(...names.map((name) => [...name].length)));
const fitting = (name, room) => shortened(name, Math.max(6, Math.floor(room / 7.4)));

function fittingAll(names, room) {
  // Names cut to the room; where two of them would look alike, without the beginning that all of them share.
  const cut = names.map((name) => fitting(name, room));
  if (new Set(cut).size === names.length) return cut;
  const most = Math.max(6, Math.floor(room / 7.4));
  let shared = 0;
  while (names.every((name) => name[shared] && name[shared] === names[0][shared])) shared += 1;
  return names.map((name) => {
    const rest = [...name.slice(shared)];
    return rest.length < most ? `…${rest.join("")}` : `…${rest.slice(0, most - 2).join("")}…`;
  });
}

function rates() {
  const { models, attacks } = report;
  const step = models.length > 6 ? 15 : 20;
  const head = isNarrow() ? 20 : 0;
  const group = models.length * step + 16 + head;
  const names = attacks.map(shownName);
  const left = isNarrow() ? 14 : margin(names);
  const [right, top] = [WIDTH - 62, 8];
  const bottom = top + attacks.length * group;
  const entries = attacks.map((attack) => models.map((run) => run.attacks[attack]));
  const high = ceiling(entries.flat().map((entry) => ((entry && entry.ci95) || [0, 0])[1]));
  const at = (value) => left + ((right - left) * value) / high;
  const bands = attacks.map((_, which) => drawn("rect", {
    x: 0, y: top + which * group, width: WIDTH, height: group, class: which % 2 ? "none" : "band", "fill-opacity": which % 2 ? 0 : 1,
  }));
  const made = [];
  const called = fittingAll(names, head ? WIDTH - 20 : left - 16);
  attacks.forEach((attack, which) => {
    const start = top + which * group + head;
    if (head) made.push(text(10, start - 4, called[which], "strong"));
    else made.push(text(10, start + group / 2 + 4, called[which], "strong"));
    models.forEach((run, row) => {
      const entry = entries[which][row];
      const y = start + 8 + step / 2 + row * step;
      if (!entry) return;
      if (entry.asr === null) return made.push(text(left, y + 4, "no right prediction that could be broken", "soft"));
      const words = `${nameOf(run)}, ${names[which]}: ${number(entry.asr, 2)} % (95 %: ${span(entry.ci95)}), ${whole(entry.broken)} of ${whole(entry.right)}`;
      if (entry.ci95) made.push(line(at(entry.ci95[0]), y, at(entry.ci95[1]), y, "whisker", tone(row)));
      made.push(dot(at(entry.asr), y, "dot", tone(row), words));
      made.push(text(at(entry.ci95 ? entry.ci95[1] : entry.asr) + 9, y + 4, number(entry.asr), "soft"));
    });
  });
  legend(byId("rates-legend"), models.map((run, row) => [nameOf(run), tone(row)]));
  byId("rates-plot").replaceChildren(canvas(bottom + 26, "Attack success rate with 95 % intervals", ...bands, ...axis(left, right, top, bottom, 0, high), ...made));
}

function strength() {
  const run = report.models[byId("strength-model").value];
  const kind = byId("strength-axis").value;
  const curves = report.attacks
    .map((attack, which) => [shownName(attack), (run.attacks[attack].strength[kind] || []).filter((bin) => bin.asr !== null), tone(which)])
    .filter(([, bins]) => bins.length);
  const box = byId("strength-plot");
  const note = byId("strength-note");
  byId("strength-caption").textContent = `${nameOf(run)}, against ${kind}`;
  legend(byId("strength-legend"), curves.map(([attack, , color]) => [attack, color]));
  if (!curves.length) {
    note.textContent = `The perturbed rows do not state their ${kind}.`;
    return box.replaceChildren();
  }
  note.textContent = `Each point is a quarter of an attack’s perturbed rows (or a single value of ${kind} where there are few), at the middle of its range, with its 95 % interval.`;
  const [left, right, top, bottom] = [46, WIDTH - 16, 14, 300];
  const middle = (bin) => (bin.low + bin.high) / 2;
  const xs = curves.flatMap(([, bins]) => bins.map(middle));
  let [low, high] = [Math.min(...xs), Math.max(...xs)];
  const room = (high - low) * 0.06 || 0.05;
  [low, high] = [low - room, high + room];
  const most = ceiling(curves.flatMap(([, bins]) => bins.map((bin) => (bin.ci95 || [0, 0])[1])));
  const x = (value) => left + ((right - left) * (value - low)) / (high - low);
  const y = (value) => bottom - ((bottom - top) * value) / most;
  const made = levels(left, right, top, bottom, most);
  for (const value of ticks(low, high)) made.push(text(x(value), bottom + 18, String(value), "soft", "middle"));
  made.push(text((left + right) / 2, bottom + 38, kind, "soft", "middle"));
  curves.forEach(([attack, bins, color]) => {
    const ordered = [...bins].sort((one, other) => middle(one) - middle(other));
    const points = ordered.map((bin) => `${x(middle(bin))},${y(bin.asr)}`).join(" ");
    made.push(drawn("polyline", { points, class: "line", tone: color }));
    ordered.forEach((bin) => {
      const words = `${attack}, ${kind} ${bin.value}: ${number(bin.asr, 2)} % (95 %: ${span(bin.ci95)}), ${whole(bin.broken)} of ${whole(bin.right)}`;
      if (bin.ci95) made.push(line(x(middle(bin)), y(bin.ci95[0]), x(middle(bin)), y(bin.ci95[1]), "whisker", color));
      made.push(dot(x(middle(bin)), y(bin.asr), "dot", color, words));
    });
  });
  box.replaceChildren(canvas(bottom + 48, `Attack success rate against ${kind}`, ...made));
}

function wilson(share, count) {
  // Wilson's 95 % interval of a share, in per cent; those of the report are made in the same way.
  const z = 1.959963984540054;
  const middle = (share + (z * z) / (2 * count)) / (1 + (z * z) / count);
  const half = (z / (1 + (z * z) / count)) * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  return [Math.max(0, 100 * (middle - half)), Math.min(100, 100 * (middle + half))];
}

function legible(rows, perRow) {
  // Cells of one or two rows as one; its rate is that of their counts, over `perRow` decisions of each row.
  const few = rows.filter((row) => row.rows <= 2);
  if (few.length < 2) return rows;
  const sum = (key) => few.reduce((total, row) => total + row[key], 0);
  const mean = (key) => {
    const known = few.filter((row) => row[key] !== null);
    const size = known.reduce((total, row) => total + row.rows, 0);
    return size ? known.reduce((total, row) => total + row[key] * row.rows, 0) / size : null;
  };
  const [right, broken] = [sum("right"), sum("broken")];
  return [...rows.filter((row) => row.rows > 2), {
    value: `(few rows: ${few.length} cells)`, rows: sum("rows"), right, broken, asr: right ? (100 * broken) / right : null,
    ci95: right ? wilson(broken / right, right / perRow) : null,
    accuracy_before: mean("accuracy_before"), accuracy_after: mean("accuracy_after"), wide_interval: true,
  }];
}

function cells() {
  const run = report.models[byId("cells-model").value];
  const attack = byId("cells-attack").value;
  const entry = run.attacks[attack];
  const properties = Object.entries(entry.subpopulations);
  byId("cells-caption").textContent = `${nameOf(run)}, ${shownName(attack)}`;
  const narrow = isNarrow();
  const [step, head] = [narrow ? 40 : 23, 28];
  const third = WIDTH - 10;
  const label = narrow ? 8 : 0.25 * WIDTH - 12;
  const [first, second] = narrow
    ? [[16, 0.46 * WIDTH], [0.54 * WIDTH, WIDTH - 16]]
    : [[0.25 * WIDTH + 6, 0.53 * WIDTH], [0.59 * WIDTH, WIDTH - 80]];
  const x = ([from, to], value) => from + ((to - from) * value) / 100;
  const made = [];
  let y = 24;
  made.push(text(first[0] - 6, 12, "right before → after, %", "soft"), text(second[0] - 6, 12, narrow ? "success rate, %" : "attack success rate, %", "soft"));
  if (!narrow) made.push(text(third, 12, "rows", "soft", "end"));
  for (const [name, rows] of properties) {
    made.push(drawn("rect", { x: 0, y, width: WIDTH, height: head - 4, class: "band" }), text(8, y + 16, fitting(data.properties[name] || name, WIDTH - 16), "strong"));
    y += head;
    const top = y - 2;
    for (const row of legible(rows, entry.decisions / entry.rows)) {
      const centre = narrow ? y + 28 : y + step / 2 - 1;
      const part = drawn("g", { class: "cell" });
      const words = `${name} ${row.value}: ${number(row.accuracy_before)} → ${number(row.accuracy_after)} % right; success rate ${number(row.asr, 2)} % (95 %: ${span(row.ci95)}), ${whole(row.broken)} of ${whole(row.right)} broken`;
      const wide = row.wide_interval ? " ◌" : "";
      if (narrow) part.append(text(label, y + 14, `${shortened(row.value, 30)}${wide}`), text(third, y + 14, `${whole(row.rows)} rows`, "soft", "end"));
      else part.append(text(label, centre + 4, fitting(row.value, label - 20) + wide, "", "end"), text(third, centre + 4, whole(row.rows), "soft", "end"));
      if (row.accuracy_before !== null) {
        part.append(line(x(first, row.accuracy_before), centre, x(first, row.accuracy_after), centre, "link", tone(0)));
        part.append(dot(x(first, row.accuracy_before), centre, "open", tone(0), words), dot(x(first, row.accuracy_after), centre, "dot", tone(0), words));
      }
      if (row.asr !== null) {
        if (row.ci95) part.append(line(x(second, row.ci95[0]), centre, x(second, row.ci95[1]), centre, "whisker", tone(1)));
        part.append(dot(x(second, row.asr), centre, "dot", tone(1), words));
      }
      made.push(part);
      y += step;
    }
    for (const share of [0, 50, 100]) {
      for (const range of [first, second]) made.unshift(line(x(range, share), top, x(range, share), y - 2, "grid"));
    }
    y += 8;
  }
  for (const range of [first, second]) for (const share of [0, 50, 100]) made.push(text(x(range, share), y + 8, String(share), "soft", "middle"));
  byId("cells-plot").replaceChildren(properties.length
    ? canvas(y + 16, `Subpopulations under ${shownName(attack)}`, ...made)
    : element("p", { class: "note" }, "The originals do not differ in any property."));
}

function worst() {
  // A column for each row that is right in the original; neighbours under the same attacks are drawn as one.
  const model = Number(byId("worst-model").value);
  byId("worst-caption").textContent = nameOf(report.models[model]);
  const columns = new Map();
  for (const example of data.examples) {
    const own = columns.get(example.original) || columns.set(example.original, report.attacks.map(() => " ")).get(example.original);
    const outcome = example.predictions[model][2];
    if (outcome === "broken") own[example.attack] = "b";
    else if (outcome === "kept" && own[example.attack] === " ") own[example.attack] = "k";
  }
  const right = [...columns.entries()].filter(([, own]) => own.some((one) => one !== " ")).map(([original, own]) => ({ original, own, pattern: own.join(""), hits: own.filter((one) => one === "b").length }));
  right.sort((one, other) => other.hits - one.hits || (one.pattern < other.pattern ? -1 : one.pattern > other.pattern ? 1 : one.original - other.original));
  const names = report.attacks.map(shownName);
  const [left, top, height] = [isNarrow() ? 0.34 * WIDTH : margin(names), 6, 18];
  const width = Math.min(14, (WIDTH - left - 8) / Math.max(1, right.length));
  const gap = width > 3 ? 1 : 0;
  const made = fittingAll(names, left - 14).map((name, at) => text(8, top + at * height + 12, name));
  for (let start = 0; start < right.length;) {
    let stop = start + 1;
    if (!gap) while (stop < right.length && right[stop].pattern === right[start].pattern) stop += 1;
    const { own, original } = right[start];
    own.forEach((outcome, at) => {
      if (outcome === " ") return;
      const box = drawn("rect", { x: left + start * width, y: top + at * height, width: Math.max(0.5, (stop - start) * width - gap), height: height - 3, class: outcome === "b" ? "hit" : "held", tone: tone(1) });
      const word = outcome === "b" ? "broken" : "kept";
      box.append(hint(stop - start > 1 ? `${whole(stop - start)} rows, ${names[at]}: ${word}` : `#${data.originals[original].id}, ${names[at]}: ${word}`));
      made.push(box);
    });
    start = stop;
  }
  byId("worst-plot").replaceChildren(canvas(top + names.length * height + 6, "Which attacks break which rows", ...made));
  const by = (least) => right.filter((row) => row.hits >= least).length;
  const several = names.length > 2 ? `, ${whole(by(2))} by two or more` : "";
  byId("worst-count").textContent = right.length
    ? `Of ${whole(right.length)} rows answered right in the original, at least one of ${names.length} ${names.length === 1 ? "attack" : "attacks"} breaks ${whole(by(1))} (${number((100 * by(1)) / right.length)} %)${several}.`
    : "No row is answered right in the original.";
}

function selectors() {
  const models = report.models.map((run, at) => [at, nameOf(run, 48)]);
  const drawn = { strength: ["strength-model", "strength-axis"], cells: ["cells-model", "cells-attack"], worst: ["worst-model"] };
  if (!byId("strength")) delete drawn.strength; // all rows are of searches
  for (const [id] of Object.values(drawn)) choices(byId(id), models);
  const stated = (kind) => report.models.some((run) => report.attacks.some((attack) => run.attacks[attack].strength[kind]));
  const kinds = ["similarity", "probability"].sort((one, other) => stated(other) - stated(one));
  if (drawn.strength) choices(byId("strength-axis"), kinds.map((kind) => [kind, kind]));
  choices(byId("cells-attack"), report.attacks.map((attack) => [attack, shortened(shownName(attack), 48)]));
  for (const [name, ids] of Object.entries(drawn)) {
    const draw = { strength, cells, worst }[name];
    for (const id of ids) byId(id).addEventListener("change", () => { draw(); remember(byId(id).closest("section").id); });
  }
}
