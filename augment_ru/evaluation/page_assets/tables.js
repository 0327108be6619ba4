// The tables come as texts, those of the terminal; they are drawn, and saved in the same words as --format writes.

function grid(table, decorate = () => {}) {
  const kind = (column) => (column < table.named ? "name" : "");
  const rows = table.rows.map((row, at) => element("tr", {}, ...row.map((words, column) => {
    const made = element("td", { class: kind(column), title: column < table.named ? words : null }, ...(column < table.named ? breakable(shortened(words, 44)) : [words]));
    if (table.best.some(([line, place]) => line === at && place === column)) made.classList.add("best");
    decorate(made, at, column);
    return made;
  })));
  return element("table", {}, element("thead", {}, ...heads(table, kind)), element("tbody", {}, ...rows));
}

function heads(table, kind) {
  // Columns that share the beginning of their names stand under it.
  const shared = table.heads.length ? table.heads : table.columns.map(() => "");
  const own = element("tr", {}, ...table.columns.map((name, at) => element("th", { class: kind(at), scope: "col" }, ...breakable(name.slice(shared[at].length)))));
  if (!shared.some((head) => head)) return [own];
  const upper = element("tr", {});
  for (let at = 0; at < shared.length;) {
    let stop = at + 1;
    while (shared[at] && shared[stop] === shared[at]) stop += 1;
    const words = shared[at].replace(/: $/, "");
    upper.append(words ? element("th", { class: "group", colspan: stop - at, scope: "colgroup", title: words }, ...breakable(shortened(words, 60))) : element("td", {}));
    at = stop;
  }
  return [upper, own];
}

function robustness() {
  const table = data.tables.rates || data.tables.metrics;
  const rates = new Map(report.attacks.map((attack, at) => [4 + 2 * at, attack]));
  byId("table").append(grid(table, (made, at, column) => {
    const attack = data.tables.rates && rates.get(column);
    if (!attack || !report.models[at]) return;
    const entry = report.models[at].attacks[attack];
    if (!entry) return;
    made.classList.add("heat");
    made.title = `${whole(entry.broken)} of ${whole(entry.right)} right predictions broken; 95 %: ${span(entry.ci95)}`;
    made.style.setProperty("--share", ((entry.asr || 0) / 100 * 0.55).toFixed(3));
  }));
  saving(byId("table"), table);
  const weak = report.models.filter((_, at) => data.weak[at]).map((run) => nameOf(run, 44));
  if (weak.length && Object.keys(report.majority).length) {
    byId("weak").textContent = `Not clearly better than the most frequent answer, so never marked: ${weak.join(", ")}.`;
  }
}

function details() {
  // Every other table, drawn when it is opened: some have thousands of rows.
  for (const box of document.querySelectorAll("details[data-table]")) {
    const table = data.tables[box.dataset.table];
    if (!table) { box.remove(); continue; }
    const scroll = element("div", { class: "scroll", "data-label": `table: ${table.title}` });
    box.append(scroll);
    saving(scroll, table);
    const draw = () => { if (box.open && !scroll.firstChild) scroll.append(grid(table)); };
    box.addEventListener("toggle", draw);
    draw();
  }
}

const BREAKS = /[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+/g;
const LATEX = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "→": "$\\to$", "–": "--", "±": "$\\pm$", "−": "$-$",
  "<": "$<$", ">": "$>$", "[": "{[}", "*": "{*}",
};
const latex = (words) => [...words.replace(/(?<!\S)-(?=\d)/g, "−")].map((one) => LATEX[one] || ("&%$#_{}".includes(one) ? `\\${one}` : one)).join("");

function written(table, form) {
  const lines = [table.columns, ...table.rows].map((row) => row.map((words) => words.replace(BREAKS, " ")));
  if (form === "csv") return lines.map((row) => row.map((one) => (/[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(",") + "\n").join("");
  const bold = form === "markdown" ? (words) => `**${words}**` : (words) => `\\textbf{${words}}`;
  const cells = lines.map((row) => row.map(form === "markdown" ? (one) => one.replaceAll("|", "\\|") : latex));
  for (const [row, column] of table.best) cells[row + 1][column] = bold(cells[row + 1][column]);
  if (form === "markdown") {
    const ruler = table.columns.map((_, at) => (at < table.named ? "---" : "---:"));
    return [cells[0], ruler, ...cells.slice(1)].map((row) => `| ${row.join(" | ")} |\n`).join("");
  }
  const places = "l".repeat(table.named) + "r".repeat(table.columns.length - table.named);
  const body = cells.map((row) => `${row.join(" & ")} \\\\`);
  return [`\\begin{tabular}{${places}}`, "\\toprule", body[0], "\\midrule", ...body.slice(1), "\\bottomrule", "\\end{tabular}", ""].join("\n");
}

function saving(box, table) {
  const forms = [["CSV", "csv", "csv"], ["markdown", "markdown", "md"], ["LaTeX", "latex", "tex"]];
  box.after(element("div", { class: "exports" }, "save as ", ...forms.map(([name, form, ending]) => {
    const made = element("button", { type: "button", "data-form": form, "data-table": table.key, "aria-label": `save the table “${table.title}” as ${name}` }, name);
    made.addEventListener("click", () => {
      const link = element("a", { download: `${table.key}.${ending}`, href: URL.createObjectURL(new Blob([written(table, form)], { type: "text/plain" })) });
      link.click();
      URL.revokeObjectURL(link.href);
    });
    return made;
  })));
}
