function grid(columns, rows) {
  const head = element("tr", {}, ...columns.map(([text, kind]) => element("th", { class: kind, scope: "col" }, text)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

const cell = (text, kind, title) => element("td", { class: kind, title }, text);

function ranks(columns) {
  // The lowest and the second lowest number of each column, rounded as shown.
  return columns.map((column) => {
    const there = column.filter((value) => value !== null).map((value) => value.toFixed(2));
    const ordered = [...new Set(there)].sort((one, other) => one - other);
    return there.length > 1 ? ordered.slice(0, 2) : [];
  });
}

function robustness() {
  const { models, attacks } = report;
  const numbers = (run) => [...attacks.map((attack) => run.attacks[attack].asr), run.asr_mean];
  const marks = ranks([...attacks, "mean"].map((_, at) => models.map((run) => numbers(run)[at])));
  const rows = models.map((run) => {
    const cells = numbers(run).map((value, at) => {
      const entry = run.attacks[attacks[at]];
      const kinds = ["heat"];
      if (at === attacks.length) kinds.push("mean");
      const rank = value === null ? -1 : marks[at].indexOf(value.toFixed(2));
      if (rank >= 0) kinds.push(rank === 0 ? "best" : "second");
      const title = entry && `${whole(entry.broken)} of ${whole(entry.right)} right predictions broken; 95 %: ${span(entry.ci95)}`;
      const made = cell(number(value, 2), kinds.join(" "), title);
      if (entry && entry.std !== undefined && entry.std !== null) made.append(element("small", {}, ` ±${number(entry.std, 2)}`));
      made.style.setProperty("--share", ((value ?? 0) / 100 * 0.55).toFixed(3));
      return made;
    });
    return element("tr", {},
      cell(shortened(run.model, 44), "name", run.model),
      cell(run.shots === null ? "–" : String(run.shots)), ...cells);
  });
  const columns = [["model", "name"], ["shots"], ...attacks.map((attack) => [attack]), ["mean", "mean"]];
  byId("table").append(grid(columns, rows));
}

function counts() {
  const metrics = report.metrics;
  const columns = ["model", "shots", "attack"].map((text) => [text, "name"]);
  columns.push(...["right", "broken", "fixed", "ASR", "95 %", "ASR, perturbed rows", "ASR, all rows", "flips", ...metrics, "unchanged", "rejected", "rows"].map((text) => [text]));
  const rows = report.models.flatMap((run) => report.attacks.map((attack) => {
    const entry = run.attacks[attack];
    const change = (metric) => {
      const found = entry.metrics[metric];
      return cell(found ? `${number(found.before)} → ${number(found.after)}` : "–");
    };
    return element("tr", {},
      cell(shortened(run.model, 30), "name", run.model),
      cell(run.shots === null ? "–" : String(run.shots), "name"), cell(attack, "name"),
      ...["right", "broken", "fixed"].map((key) => cell(whole(entry[key]))),
      cell(number(entry.asr, 2)), cell(span(entry.ci95)),
      ...["asr_perturbed_rows", "asr_all_rows", "flip_rate"].map((key) => cell(number(entry[key].value, 2))),
      ...metrics.map(change), ...["unchanged", "rejected", "rows"].map((key) => cell(whole(entry[key]))));
  }));
  byId("counts").append(grid(columns, rows));
}

function comparisons() {
  const found = report.comparisons;
  if (!found.length) return byId("comparisons-box").remove();
  const columns = ["first", "second", "on"].map((text) => [text, "name"]);
  columns.push(...["difference, points", "95 %", "only first", "only second", "McNemar’s p"].map((text) => [text]));
  const shots = (value) => (value === null ? "" : `, ${value}-shot`);
  const rows = found.map((one) => {
    const models = one.between === "models";
    const names = models
      ? [one.a + shots(one.shots[0]), one.b + shots(one.shots[1]), one.attack]
      : [one.a, one.b, one.model + shots(one.shots)];
    return element("tr", {}, ...names.map((name) => cell(shortened(name, 34), "name", name)),
      cell(number(one.difference, 2)), cell(span(one.ci95)),
      cell(one.only_a === undefined ? "–" : whole(one.only_a)), cell(one.only_b === undefined ? "–" : whole(one.only_b)),
      cell(one.mcnemar_p === undefined ? "–" : one.mcnemar_p < 0.0001 ? "< 0.0001" : one.mcnemar_p.toFixed(4)));
  });
  byId("comparisons").append(grid(columns, rows));
}
