// Behaviour of a report page: sortable tables, charts, rows and points selected together, theme.
"use strict";
(function () {
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const root = document.documentElement;
  const charts = new Map();  // figure element -> ECharts instance

  // Points of a chart that stand for a row of a table: [series index, data index].
  function pointsOfRow(chart, row) {
    const found = [];
    (chart.getOption().series || []).forEach((series, s) => {
      (series.data || []).forEach((item, d) => {
        if (item && item.row === row) found.push({ seriesIndex: s, dataIndex: d });
      });
    });
    return found;
  }

  function select(table, row) {
    all(`table[data-table="${table}"] tr[data-row]`).forEach((element) => {
      const chosen = Number(element.dataset.row) === row;
      element.classList.toggle("selected", chosen);
      if (chosen) element.scrollIntoView({ block: "nearest" });
    });
    all(`figure.chart[data-links="${table}"]`).forEach((figure) => {
      all("svg [data-row]", figure).forEach((shape) => {
        shape.classList.toggle("selected", Number(shape.dataset.row) === row);
      });
      const chart = charts.get(figure);
      if (!chart) return;
      chart.dispatchAction({ type: "downplay" });
      pointsOfRow(chart, row).forEach((point) => chart.dispatchAction({ type: "highlight", ...point }));
    });
  }

  function sortBy(heading) {
    const column = heading.cellIndex;
    const body = heading.closest("table").tBodies[0];
    const descending = heading.getAttribute("aria-sort") === "ascending";
    all("th", heading.parentNode).forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const key = (row) => {
      const cell = row.cells[column];
      return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
    };
    const compare = (a, b) => {
      const x = key(a), y = key(b);
      if (typeof x === "number" && typeof y === "number") return x - y;
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      return x.localeCompare(y);
    };
    const rows = Array.from(body.rows).sort((a, b) => (descending ? -compare(a, b) : compare(a, b)));
    rows.forEach((row) => body.appendChild(row));
  }

  function draw() {
    const holder = document.getElementById("options");
    if (!holder || typeof echarts === "undefined") return;
    const options = JSON.parse(holder.textContent);
    all("figure.chart").forEach((figure) => {
      const old = charts.get(figure);
      if (old) old.dispose();
      figure.replaceChildren();
      figure.style.height = figure.dataset.height + "px";
      const dark = root.classList.contains("dark") ? "dark" : null;
      const chart = echarts.init(figure, dark, { renderer: "svg" });
      chart.setOption(options[Number(figure.dataset.chart)]);
      chart.on("click", (event) => {
        if (event.data && event.data.row !== undefined) select(figure.dataset.links, event.data.row);
      });
      charts.set(figure, chart);
    });
  }

  document.addEventListener("click", (event) => {
    const heading = event.target.closest("th");
    if (heading) return sortBy(heading);
    const row = event.target.closest("tr[data-row]");
    if (row) return select(row.closest("table").dataset.table, Number(row.dataset.row));
    const shape = event.target.closest("figure.chart svg [data-row]");
    if (shape) select(shape.closest("figure").dataset.links, Number(shape.dataset.row));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.tagName === "TH") sortBy(event.target);
  });
  document.getElementById("theme").addEventListener("click", () => {
    root.classList.toggle("dark");
    draw();
  });
  window.addEventListener("resize", () => charts.forEach((chart) => chart.resize()));
  if (window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches) root.classList.add("dark");
  draw();
})();
