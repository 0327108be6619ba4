const own = report.attacks.length ? "Robustness report" : "Evaluation report";
const title = report.title || (data.compared ? "Reports side by side" : own);
document.title = title;
byId("title").textContent = title;
const counted = (count, one) => `${whole(count)} ${one}${count === 1 ? "" : "s"}`;
byId("about").textContent = [
  ...data.header,
  counted(report.originals, "original"),
  counted(new Set(report.models.map((run) => run.model)).size, "model"),
  ...(report.attacks.length ? [counted(report.attacks.length, "attack")] : []),
].join(" · ");
byId("signature").textContent = report.signature;
if (data.lead) byId("lead").textContent = data.lead;
theme();
byId("findings").append(...data.findings.map((words) => element("li", {}, words.replaceAll(" %", "\u00a0%"))));
if (!data.findings.length) byId("findings").remove();
const told = Object.entries(data.about).filter(([, words]) => words);
if (told.length) byId("about-attacks").append(element("dl", {}, ...told.flatMap(([name, words]) => [element("dt", {}, shownName(name)), element("dd", {}, words)])));
else byId("about-attacks").remove();

for (const box of document.querySelectorAll("main > section")) if (!data.sections.includes(box.id)) box.remove();
for (const link of document.querySelectorAll("nav a")) if (!byId(link.hash.slice(1))) link.remove();
const drawings = { rates: [rates], strength: [strength], subpopulations: [cells], worst: [worst], searches: [curve, steps], catch: [caught] };
function draw() {
  measure();
  for (const [section, own] of Object.entries(drawings)) if (byId(section)) for (const one of own) one();
}

robustness();
details();
if (byId("worst")) selectors();
if (byId("searches")) transfer();
if (byId("examples")) examples();
keepFirst();
draw();
if (byId("examples") && !recall()) changed();
for (const box of document.querySelectorAll(".scroll")) scrollable(box);
let resizing = 0;
window.addEventListener("resize", () => {
  const before = WIDTH;
  clearTimeout(resizing);
  resizing = setTimeout(() => { measure(); if (WIDTH !== before) draw(); }, 120);
});
if (byId("examples")) window.addEventListener("hashchange", recall);
document.body.dataset.ready = "yes";
