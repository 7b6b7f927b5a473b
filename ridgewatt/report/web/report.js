// Behavior of a report page: sortable tables, charts, rows and points selected together, theme.
"use strict";
(function () {
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const root = document.documentElement;
  const charts = new Map();  // figure element -> { handle, option }
  const manyPoints = 1000;   // from here on one canvas is quicker than an element for each

  // Points of a chart that stand for a row of a table: [series index, data index].
  function pointsOfRow(option, row) {
    return option.series.flatMap((series, seriesIndex) => (series.data || []).flatMap((item, dataIndex) =>
      (item && item.row === row ? [{ seriesIndex, dataIndex }] : [])));
  }

  function select(table, row) {
    all(`table[data-table="${table}"]`).forEach((element) => Ridgewatt.table.view(element).select(row));
    all(`figure.chart[data-links="${table}"]`).forEach((figure) => {
      all("svg [data-row]", figure).forEach((shape) => {
        shape.classList.toggle("selected", Number(shape.dataset.row) === row);
      });
      const drawn = charts.get(figure);
      if (!drawn) return;
      const { chart } = drawn.handle;
      chart.dispatchAction({ type: "downplay" });
      pointsOfRow(drawn.option, row).forEach((point) => chart.dispatchAction({ type: "highlight", ...point }));
    });
  }

  function legendOf(figure, handle) {
    all(".legend li", figure).forEach((entry) => {
      entry.setAttribute("role", "button");
      entry.tabIndex = 0;
      entry.setAttribute("aria-pressed", "true");
      entry.onclick = () => {
        const shown = entry.getAttribute("aria-pressed") === "true";
        entry.setAttribute("aria-pressed", String(!shown));
        handle.toggle(entry.dataset.series);
      };
      entry.onkeydown = (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); entry.onclick(); }
      };
    });
  }

  function draw() {
    const holder = document.getElementById("options");
    if (!holder || typeof echarts === "undefined") return;
    root.classList.add("interactive");
    const options = JSON.parse(holder.textContent);
    all("figure.chart").forEach((figure) => {
      const old = charts.get(figure);
      if (old) old.handle.dispose();
      const option = options[Number(figure.dataset.chart)];
      const points = option.series.reduce((sum, series) => sum + (series.data || []).length, 0);
      const handle = Ridgewatt.charts.draw(figure.querySelector(".live"), option, {
        renderer: points > manyPoints ? "canvas" : "svg",
        onClick: (item) => item.row !== undefined && select(figure.dataset.links, item.row),
      });
      charts.set(figure, { handle, option });
      legendOf(figure, handle);
    });
  }

  const sortBy = (heading) => Ridgewatt.table.view(heading.closest("table")).sortBy(heading);
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
  all("script.rows").forEach((holder) => Ridgewatt.table.view(holder.parentNode.querySelector("table")));
  let chosen = false;  // by the button; else the system's choice is followed
  const setTheme = (dark) => {
    root.classList.toggle("dark", dark);
    draw();
  };
  document.getElementById("theme").addEventListener("click", () => {
    chosen = true;
    setTheme(!root.classList.contains("dark"));
  });
  const system = window.matchMedia ? window.matchMedia("(prefers-color-scheme: dark)") : null;
  if (system && system.addEventListener) system.addEventListener("change", (event) => chosen || setTheme(event.matches));
  setTheme(Boolean(system && system.matches));
})();
