const title = report.title || "Robustness report";
document.title = title;
byId("title").textContent = title;
byId("about").textContent = [
  ...(data.date ? [data.date] : []),
  `task ${report.task}`, `${whole(report.originals)} originals`,
  `${report.models.length} ${report.models.length === 1 ? "evaluation" : "evaluations"}`,
  `${report.attacks.length} ${report.attacks.length === 1 ? "attack" : "attacks"}`,
].join(" · ");
byId("signature").textContent = report.signature;
theme();
byId("findings").append(...data.findings.map((words) => element("li", {}, words)));
const told = Object.entries(data.about).filter(([, words]) => words);
if (told.length) byId("about-attacks").append(...told.flatMap(([name, words]) => [element("dt", {}, name), element("dd", {}, words)]));
else byId("about-attacks").remove();
robustness();
if (report.attacks.length) {
  counts();
  comparisons();
  selectors();
  rates();
  strength();
  cells();
  worst();
  examples();
} else {
  for (const id of ["counts-box", "comparisons-box", "rates", "strength", "subpopulations", "worst", "examples"]) byId(id).remove();
}
exports();
for (const box of document.querySelectorAll(".scroll")) {
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", box.closest("section").querySelector("h2").textContent);
}
document.body.dataset.ready = "yes";
