// Summaries of search results are fetched from the pages, which browsers refuse for files: there the titles stand alone.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// What was searched for is marked in the text of the page found; Sphinx itself would mark icons, too, and single letters.
const searched = (localStorage.getItem("sphinx_highlight_terms") ?? "").split(/\s+/).filter((word) => word.length > 2);
localStorage.removeItem("sphinx_highlight_terms");
document.addEventListener("DOMContentLoaded", () => {
  for (const word of searched) _highlightText(document.querySelector("article"), word.toLowerCase(), "highlighted");
  // What is wider than the screen scrolls by itself, by the keyboard, too.
  for (const wide of document.querySelectorAll("article pre, .table-wrapper")) if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
});
