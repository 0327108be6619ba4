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

function axis(left, right, top, bottom, low, high, ends = "%") {
  const made = [];
  for (let step = 0; step <= 5; step += 1) {
    const x = left + ((right - left) * step) / 5;
    made.push(line(x, top, x, bottom, "grid"));
    made.push(text(x, bottom + 16, `${Math.round(low + ((high - low) * step) / 5)}${step === 5 ? " " + ends : ""}`, "soft", "middle"));
  }
  return made;
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
  for (let step = 0; step <= 5; step += 1) {
    made.push(line(left, y((most * step) / 5), right, y((most * step) / 5), "grid"));
    made.push(text(left - 8, y((most * step) / 5) + 4, `${Math.round((most * step) / 5)}${step === 5 ? " %" : ""}`, "soft", "end"));
    const value = low + ((high - low) * step) / 5;
    made.push(text(x(value), bottom + 18, value.toFixed(2), "soft", "middle"));
  }
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
    for (const row of rows) {
      const centre = y + step / 2 - 2;
      const part = drawn("g", { class: row.wide_interval ? "faint" : "cell" });
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
  choices(byId("cells-attack"), report.attacks.map((attack) => [attack, attack]));
  for (const id of ["strength-model", "strength-axis"]) byId(id).addEventListener("change", strength);
  for (const id of ["cells-model", "cells-attack"]) byId(id).addEventListener("change", cells);
}
