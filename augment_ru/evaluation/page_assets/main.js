byId("about").textContent = [
  `task ${report.task}`, `${whole(report.originals)} originals`,
  `${report.models.length} ${report.models.length === 1 ? "evaluation" : "evaluations"}`,
  `${report.attacks.length} ${report.attacks.length === 1 ? "attack" : "attacks"}`,
].join(" · ");
byId("signature").textContent = report.signature;
theme();
robustness();
counts();
comparisons();
selectors();
rates();
strength();
cells();
examples();
document.body.dataset.ready = "yes";
