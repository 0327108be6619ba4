const WIDTH = 960;

function canvas(height, title, ...children) {
  return drawn("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img" }, drawn("title", {}, title), ...children);
}

const text = (x, y, words, kind = "", anchor = "start") =>
  drawn("text", { x, y, class: kind, "text-anchor": anchor }, words);
const line = (x1, y1, x2, y2, kind, color = "") => drawn("line", { x1, y1, x2, y2, class: kind, tone: color });
const hint = (words) => drawn("title", {}, words);

function dot(x, y, kind, color, words) {
  return drawn("circle", { cx: x, cy: y, r: 5, class: kind, tone: color }, hint(words));
}

function ticks(low, high, most = 6) {
  // Round numbers (1, 2 or 5 times a power of ten) inside the range.
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough);
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

function ceiling(values) {
  const most = Math.max(5, ...values.filter((value) => value !== null));
  return Math.min(100, Math.ceil(most / 10) * 10);
}

function legend(box, names) {
  box.replaceChildren(...names.map(([name, color]) =>
    element("span", { title: name }, element("i", { style: { "--tone": color } }), shortened(name, 48))));
}

function rates() {
  const { models, attacks } = report;
  const step = models.length > 6 ? 15 : 20;
  const group = models.length * step + 16;
  const [left, right, top] = [150, WIDTH - 70, 8];
  const bottom = top + attacks.length * group;
  const high = ceiling(models.flatMap((run) => attacks.map((attack) => (run.attacks[attack].ci95 || [0, 0])[1])));
  const at = (value) => left + ((right - left) * value) / high;
  const bands = attacks.map((_, which) => drawn("rect", {
    x: 0, y: top + which * group, width: WIDTH, height: group, class: which % 2 ? "none" : "band", "fill-opacity": which % 2 ? 0 : 1,
  }));
  const made = [];
  attacks.forEach((attack, which) => {
    const start = top + which * group;
    made.push(text(10, start + group / 2 + 4, shortened(attack, 18), "strong"));
    models.forEach((run, row) => {
      const entry = run.attacks[attack];
      const y = start + 8 + step / 2 + row * step;
      if (entry.asr === null) return made.push(text(left, y + 4, "no right prediction that could be broken", "soft"));
      const words = `${nameOf(run)}, ${attack}: ${number(entry.asr, 2)} % (95 %: ${span(entry.ci95)}), ${whole(entry.broken)} of ${whole(entry.right)}`;
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
    .map((attack, which) => [attack, (run.attacks[attack].strength[kind] || []).filter((bin) => bin.asr !== null), tone(which)])
    .filter(([, bins]) => bins.length);
  const box = byId("strength-plot");
  const note = byId("strength-note");
  legend(byId("strength-legend"), curves.map(([attack, , color]) => [attack, color]));
  if (!curves.length) {
    note.textContent = `The perturbed rows do not state their ${kind}.`;
    return box.replaceChildren();
  }
  note.textContent = `Each point is a quartile of an attack’s perturbed rows (or a single value of ${kind} where there are few), at the middle of its range, with its 95 % interval.`;
  const [left, right, top, bottom] = [60, WIDTH - 30, 14, 300];
  const middle = (bin) => (bin.low + bin.high) / 2;
  const xs = curves.flatMap(([, bins]) => bins.map(middle));
  let [low, high] = [Math.min(...xs), Math.max(...xs)];
  const room = (high - low) * 0.06 || 0.05;
  [low, high] = [low - room, high + room];
  const most = ceiling(curves.flatMap(([, bins]) => bins.map((bin) => (bin.ci95 || [0, 0])[1])));
  const x = (value) => left + ((right - left) * (value - low)) / (high - low);
  const y = (value) => bottom - ((bottom - top) * value) / most;
  const made = [];
  const levels = ticks(0, most);
  levels.forEach((value, at) => {
    made.push(line(left, y(value), right, y(value), "grid"));
    made.push(text(left - 8, y(value) + 4, `${value}${at === levels.length - 1 ? " %" : ""}`, "soft", "end"));
  });
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

function legible(rows) {
  // Cells of one or two rows as one; its rate is that of their counts.
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
    value: `(few rows: ${few.length} cells)`, rows: sum("rows"), right, broken, asr: right ? (100 * broken) / right : null, ci95: null,
    accuracy_before: mean("accuracy_before"), accuracy_after: mean("accuracy_after"), wide_interval: true,
  }];
}

function worst() {
  const model = Number(byId("worst-model").value);
  const columns = new Map();
  for (const example of data.examples) {
    const own = columns.get(example.original) || columns.set(example.original, {}).get(example.original);
    const outcome = example.predictions[model][2];
    if (own[example.attack] !== "broken") own[example.attack] = outcome;
  }
  const count = (own) => Object.values(own).filter((one) => one === "broken").length;
  const ordered = [...columns.entries()].sort(([a, one], [b, other]) => count(other) - count(one) || a - b);
  const [left, top, height] = [150, 6, 16];
  const width = Math.min(14, (WIDTH - left - 6) / Math.max(1, ordered.length));
  const made = report.attacks.map((attack, at) => text(10, top + at * height + 12, shortened(attack, 18)));
  ordered.forEach(([original, own], column) => report.attacks.forEach((attack, at) => {
    const outcome = own[at];
    if (outcome !== "broken" && outcome !== "kept") return;
    const box = drawn("rect", { x: left + column * width, y: top + at * height, width: Math.max(0.6, width - (width > 3 ? 1 : 0)), height: height - 3, class: outcome === "broken" ? "hit" : "held", tone: tone(1) });
    if (ordered.length <= 400) box.append(hint(`#${data.originals[original].id}, ${attack}: ${outcome}`));
    made.push(box);
  }));
  byId("worst-plot").replaceChildren(canvas(top + report.attacks.length * height + 6, "Which attacks break which rows", ...made));
}

function cells() {
  const run = report.models[byId("cells-model").value];
  const attack = byId("cells-attack").value;
  const properties = Object.entries(run.attacks[attack].subpopulations);
  const [step, head] = [21, 26];
  const [first, second, third] = [[250, 500], [560, 850], WIDTH - 10];
  const x = ([from, to], value) => from + ((to - from) * value) / 100;
  const made = [];
  let y = 22;
  made.push(text(first[0], 12, "right before → after, %", "soft"), text(second[0], 12, "attack success rate, %", "soft"), text(third, 12, "rows", "soft", "end"));
  for (const [name, rows] of properties) {
    made.push(drawn("rect", { x: 0, y, width: WIDTH, height: head - 4, class: "band" }), text(8, y + 15, name, "strong"));
    y += head;
    const top = y - 2;
    for (const row of legible(rows)) {
      const centre = y + step / 2 - 2;
      const part = drawn("g", { class: "cell" });
      const words = `${name} ${row.value}: ${number(row.accuracy_before)} → ${number(row.accuracy_after)} % right; ASR ${number(row.asr, 2)} % (95 %: ${span(row.ci95)}), ${whole(row.broken)} of ${whole(row.right)} broken`;
      part.append(text(238, centre + 4, shortened(row.value, 34) + (row.wide_interval ? " ◌" : ""), "", "end"));
      if (row.accuracy_before !== null) {
        part.append(line(x(first, row.accuracy_before), centre, x(first, row.accuracy_after), centre, "link", tone(0)));
        part.append(dot(x(first, row.accuracy_before), centre, "open", tone(0), words), dot(x(first, row.accuracy_after), centre, "dot", tone(0), words));
      }
      if (row.asr !== null) {
        if (row.ci95) part.append(line(x(second, row.ci95[0]), centre, x(second, row.ci95[1]), centre, "whisker", tone(1)));
        part.append(dot(x(second, row.asr), centre, "dot", tone(1), words));
      }
      part.append(text(third, centre + 4, whole(row.rows), "soft", "end"));
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
    ? canvas(y + 16, `Subpopulations of ${attack}`, ...made)
    : element("p", { class: "note" }, "The originals do not differ in any property."));
}

function selectors() {
  const models = report.models.map((run, at) => [at, nameOf(run, 48)]);
  choices(byId("strength-model"), models);
  const stated = (kind) => report.models.some((run) => report.attacks.some((attack) => run.attacks[attack].strength[kind]));
  const kinds = ["similarity", "probability"].sort((one, other) => stated(other) - stated(one));
  choices(byId("strength-axis"), kinds.map((kind) => [kind, kind]));
  choices(byId("cells-model"), models);
  choices(byId("worst-model"), models);
  byId("worst-model").addEventListener("change", worst);
  choices(byId("cells-attack"), report.attacks.map((attack) => [attack, attack]));
  for (const id of ["strength-model", "strength-axis"]) byId(id).addEventListener("change", strength);
  for (const id of ["cells-model", "cells-attack"]) byId(id).addEventListener("change", cells);
}
