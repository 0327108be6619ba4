"use strict";
// Elements are created, never parsed from text, so that markup in a row is shown as text.

const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report;
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "style") for (const [property, one] of Object.entries(value)) made.style.setProperty(property, one);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "tone") made.style.setProperty("--tone", value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const tone = (number) => `var(--c${number % 8})`;
const number = (value, digits = 1) =>
  (value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−"));
const whole = (value) => value.toLocaleString("en-US");
const span = (interval) =>
  (interval ? `${number(interval[0])}${interval[0] < 0 ? " to " : "–"}${number(interval[1])}` : "–");

function shortened(text, most) {
  const points = [...text];
  if (points.length <= most) return text;
  const head = Math.ceil((most - 1) / 3);
  return points.slice(0, head).join("") + "…" + points.slice(points.length - (most - 1 - head)).join("");
}

// A name that may go on in the next line behind its signs: between the words of eda_delete, not within one.
const breakable = (name) => name.split(/(?<=[_+:/.])/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
const shownName = (name) => data.names[name] || name;
const nameOf = (run, most = 200) =>
  shortened(shownName(run.model), most) + (run.shots === null ? "" : `, ${run.shots}-shot`);

// An area that scrolls is reached by the keyboard, and fades at the edge behind which it goes on.
function scrollable(box) {
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  const heading = box.closest("section").querySelector("h2").textContent;
  box.setAttribute("aria-label", box.dataset.label || heading);
  const edges = () => {
    box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    box.classList.toggle("began-before", box.scrollLeft > 1);
  };
  box.addEventListener("scroll", edges, { passive: true });
  new ResizeObserver(edges).observe(box);
}

function choices(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
}

function theme() {
  const root = document.documentElement;
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
}
