function grid(columns, rows) {
  const head = element("tr", {}, ...columns.map(([text, kind]) => element("th", { class: kind, scope: "col" }, text)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

const cell = (text, kind, title) => element("td", { class: kind, title }, text);

function robustness() {
  // The table that the terminal prints, with the metric before and after, and the lowest rate of a column marked.
  const { columns, rows, named, best } = data.headline;
  const marked = new Set(best.map(([row, column]) => `${row}:${column}`));
  const drawnRows = rows.map((row, at) => element("tr", {}, ...row.map((words, column) => {
    const kinds = [];
    if (column === 0) kinds.push("name");
    if (column < named) return cell(column ? words : shortened(words, 44), kinds.join(" "), words);
    const rate = / ASR$|: ASR$/.test(columns[column]);
    if (rate) kinds.push("heat");
    if (marked.has(`${at}:${column}`)) kinds.push("best");
    const entry = rate && report.models[at] && report.models[at].attacks[columns[column].replace(/: ASR$/, "")];
    const title = entry && `${whole(entry.broken)} of ${whole(entry.right)} right predictions broken; 95 %: ${span(entry.ci95)}`;
    const made = cell(words, kinds.join(" "), title);
    if (rate) made.style.setProperty("--share", ((Number.parseFloat(words) || 0) / 100 * 0.55).toFixed(3));
    return made;
  })));
  byId("table").append(grid(columns.map((name, at) => [name, at === 0 ? "name" : ""]), drawnRows));
  const weak = report.models.filter((_, at) => data.weak[at]).map((run) => nameOf(run, 44));
  if (weak.length && Object.keys(report.majority).length) {
    byId("weak").textContent = `No better than the most frequent answer, so never marked: ${weak.join(", ")}.`;
  }
}

function counts() {
  const metrics = report.metrics;
  const columns = ["model", "shots", "attack"].map((text) => [text, "name"]);
  columns.push(...["right", "broken", "fixed", "ASR", "95 %", "ASR, perturbed rows", "ASR, all rows", "drop rate", "flips", ...metrics, "unchanged", "rejected", "rows"].map((text) => [text]));
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
      ...["asr_perturbed_rows", "asr_all_rows", "performance_drop_rate", "flip_rate"].map((key) => cell(number(entry[key].value, 2))),
      ...metrics.map(change), ...["unchanged", "rejected", "rows"].map((key) => cell(whole(entry[key]))));
  }));
  byId("counts").append(grid(columns, rows));
}

function comparisons() {
  const found = report.comparisons;
  if (!found.length) return byId("comparisons-box").remove();
  const columns = ["first", "second", "on"].map((text) => [text, "name"]);
  columns.push(...["ASR, first − second, points", "95 %", "McNemar: what is counted", "first", "second", "only first", "only second", "p"].map((text) => [text]));
  const shots = (value) => (value === null ? "" : `, ${value}-shot`);
  const told = { right: "right after the attack", broken: "broken of those right" };
  const rows = found.map((one) => {
    const models = one.between === "models";
    const names = models
      ? [one.a + shots(one.shots[0]), one.b + shots(one.shots[1]), one.attack]
      : [one.a, one.b, one.model + shots(one.shots)];
    const test = one.mcnemar;
    const tested = test
      ? [`${told[test.counted]}, of ${whole(test.decisions)}`, whole(test.a), whole(test.b), whole(test.only_a), whole(test.only_b),
        test.p < 0.0001 ? "< 0.0001" : test.p.toFixed(4)]
      : ["–", "–", "–", "–", "–", "–"];
    return element("tr", {}, ...names.map((name) => cell(shortened(name, 34), "name", name)),
      cell(number(one.difference, 2)), cell(span(one.ci95)), ...tested.map((words) => cell(words)));
  });
  byId("comparisons").append(grid(columns, rows));
}

function exports() {
  // Every table as CSV, markdown and LaTeX.
  const cells = (row) => [...row.children].map((one) => one.textContent);
  const latex = (words) => words.replace(/[\\&%$#_{}~^]/g, (one) => ({ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" }[one] || `\\${one}`)).replaceAll("→", "$\\to$");
  const forms = {
    CSV: ["csv", (rows) => rows.map((row) => row.map((one) => (/[",\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(",")).join("\n")],
    markdown: ["md", ([head, ...rows]) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map((one) => one.replaceAll("|", "\\|")).join(" | ")} |`).join("\n")],
    LaTeX: ["tex", (rows) => `\\begin{tabular}{${"l".repeat(rows[0].length)}}\n${rows.map((row) => `${row.map(latex).join(" & ")} \\\\`).join("\n")}\n\\end{tabular}`],
  };
  for (const id of ["table", "counts", "comparisons"]) {
    const box = byId(id);
    const table = box && box.querySelector("table");
    if (!table) continue;
    box.after(element("div", { class: "exports" }, ...Object.entries(forms).map(([name, [ending, write]]) => {
      const made = element("button", { type: "button" }, `save as ${name}`);
      made.addEventListener("click", () => {
        const words = `${write([...table.rows].map(cells))}\n`;
        const link = element("a", { download: `${id}.${ending}`, href: URL.createObjectURL(new Blob([words], { type: "text/plain" })) });
        link.click();
        URL.revokeObjectURL(link.href);
      });
      return made;
    })));
  }
}
