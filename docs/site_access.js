// What the theme leaves out for readers without sight or mouse: the search and the bars of code have names, what scrolls
// can be reached by the keyboard, and a column without a name has no head.
window.addEventListener("load", () => {
  const search = document.querySelector(".md-search");
  const field = document.querySelector(".md-search__input");
  if (search && field) search.setAttribute("aria-label", field.getAttribute("aria-label") || field.placeholder);
  document.querySelectorAll(".md-code__nav").forEach((bar, at) => bar.setAttribute("aria-label", `code ${at + 1}`));
  const reach = () => {
    for (const area of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset .shown, .md-typeset pre > code")) {
      if (area.scrollWidth > area.clientWidth) area.tabIndex = 0;
    }
  };
  reach();
  window.addEventListener("resize", reach);
  for (const head of document.querySelectorAll("th:empty")) head.replaceWith(document.createElement("td"));
});
