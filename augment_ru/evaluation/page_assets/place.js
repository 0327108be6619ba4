// What is chosen stands in the address, so that a link leads to the same view; what is not stated is as at first.

const CHOSEN = [
  "strength-model", "strength-axis", "cells-model", "cells-attack", "worst-model",
  "by-model", "by-attack", "by-outcome", "by-subpopulation", "by-cell", "by-text",
];
let first = {};

function keepFirst() {
  first = Object.fromEntries(CHOSEN.filter((id) => byId(id)).map((id) => [id, byId(id).value]));
}

function remember(section) {
  const place = new URLSearchParams(Object.keys(first).map((id) => [id, byId(id).value]).filter(([id, value]) => value !== first[id]));
  if (state.page) place.set("page", state.page + 1);
  if (state.open.size) place.set("open", [...state.open].join(","));
  const query = String(place);
  history.replaceState(null, "", `#${section}${query ? `?${query}` : ""}`);
}

function recall() {
  const [section, query] = location.hash.slice(1).split("?");
  if (query === undefined || !byId(section)) return false;
  const place = new URLSearchParams(query);
  for (const id of Object.keys(first)) {
    const box = byId(id);
    const wanted = place.has(id) ? place.get(id) : first[id];
    if (box.tagName !== "SELECT" || [...box.options].some((option) => option.value === wanted)) box.value = wanted;
    if (id === "by-subpopulation") cellsOf();
  }
  state.open = new Set((place.get("open") || "").split(",").filter((one) => one !== "").map(Number));
  found();
  state.page = Math.max(0, Math.min(Number(place.get("page") || 1) - 1, Math.ceil(state.found.length / PAGE) - 1));
  draw();
  list();
  const opened = document.querySelector("[aria-expanded=true]");
  (opened && section === "examples" ? opened : byId(section)).scrollIntoView();
  return true;
}
