// Sorting of tables, the same in reports and in the web page. A plain script:
//   Ridgewatt.table.compare(a, b)   orders two values: numbers before texts, no value last
//   Ridgewatt.table.sortBy(th)      sorts the table that stands in the document by this heading
"use strict";
window.Ridgewatt = window.Ridgewatt || {};
window.Ridgewatt.table = (function () {
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return String(a).localeCompare(String(b));
  }

  const valueOf = (cell) => ("v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent);

  function sortBy(heading) {
    const column = heading.cellIndex;
    const body = heading.closest("table").tBodies[0];
    const descending = heading.getAttribute("aria-sort") === "ascending";
    heading.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const order = (a, b) => compare(valueOf(a.cells[column]), valueOf(b.cells[column]));
    const rows = Array.from(body.rows).sort((a, b) => (descending ? -order(a, b) : order(a, b)));
    rows.forEach((row) => body.appendChild(row));
  }

  return { compare, sortBy };
})();
