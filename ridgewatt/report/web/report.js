// Behavior of a report page: sortable tables, charts, rows and points selected together, theme.
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

  // Short and unambiguous: 0.25, 1500, 2e+6.
  function tickText(value) {
    const size = Math.abs(value);
    if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(2).replace(/\.?0+e/, "e");
    return String(Number(value.toPrecision(6)));
  }

  function evenTicks(lo, hi, wanted) {
    const raw = (hi - lo) / Math.max(1, wanted);
    const magnitude = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = magnitude * ([1, 2, 2.5, 5].find((f) => raw <= f * magnitude * 1.0001) || 10);
    const ticks = [];
    for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step && ticks.length < 100; ++i) ticks.push(i === 0 ? 0 : i * step);
    return ticks;
  }

  // As the static figures have them: 1-2-5 of each decade, fewer where there is no room, even
  // numbers where a logarithmic axis spans little.
  function niceTicks(lo, hi, log, wanted) {
    if (!log) return evenTicks(lo, hi, wanted);
    const styles = [[[1, 2, 3, 4, 5, 6, 7, 8, 9], 1], [[1, 2, 5], 1], [[1, 3], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 5], [[1], 10], [[1], 30]];
    let ticks = [];
    for (const [parts, stride] of styles) {
      ticks = [];
      for (let decade = Math.floor(Math.log10(lo)); decade <= Math.ceil(Math.log10(hi)); ++decade) {
        if (decade % stride !== 0) continue;
        parts.forEach((part) => {
          const value = Number((part + "e" + decade));
          if (value >= lo * 0.9999 && value <= hi * 1.0001) ticks.push(value);
        });
      }
      if (ticks.length <= Math.max(3, wanted)) break;
    }
    return hi / lo < 3 || ticks.length < 3 ? evenTicks(lo, hi, wanted) : ticks;
  }

  // Ticks for what is in view now, at the width that is there now.
  function setTicks(chart) {
    const option = chart.getOption();
    const patch = {};
    ["xAxis", "yAxis"].forEach((kind) => {
      patch[kind] = (option[kind] || []).map((axis, i) => {
        if (axis.type === "category" && !axis.names) {
          // Every so many levels, so that none touch; the first and evenly on.
          const rows = kind === "yAxis" ? (chart.getHeight() - 80) / 20 : Infinity;
          const every = Math.max(1, Math.ceil(axis.data.length / rows));
          return every > 1 ? { axisLabel: { interval: every - 1 } } : {};
        }
        if (axis.names) return { axisLabel: { width: Math.round(0.45 * chart.getWidth()) } };
        if (!axis.nice) return {};
        const [lo, hi] = chart.getModel().getComponent(kind, i).axis.scale.getExtent();
        const room = kind === "xAxis" ? chart.getWidth() / 65 : chart.getHeight() / 45;
        const ticks = niceTicks(lo, hi, axis.type === "log", Math.max(3, Math.floor(room)));
        return { axisTick: { customValues: ticks }, splitLine: { customValues: ticks }, axisLabel: { customValues: ticks } };
      });
    });
    chart.setOption(patch);
  }

  // Places for texts in a chart: none covers another, none leaves the plot.
  function placing(figure) {
    let taken = [];
    const plot = () => charts.get(figure).getModel().getComponent("grid").coordinateSystem.getRect();
    const free = (area, box) => box.x >= area.x && box.x + box.width <= area.x + area.width && box.y >= area.y - 2 && box.y + box.height <= area.y + area.height + 2 &&
      taken.every((t) => box.x >= t.x + t.width + 2 || t.x >= box.x + box.width + 2 || box.y >= t.y + t.height || t.y >= box.y + box.height);
    const take = (boxes, last) => {
      const area = plot();
      const box = boxes.find((candidate) => free(area, candidate)) || last;
      taken.push(box);
      return { x: box.x, y: box.y, align: "left", verticalAlign: "top" };
    };
    return {
      // Beside its ring, on the wanted side first.
      ring: (wanted) => (label) => {
        if (label.dataIndex === 0) taken = [];
        const { width, height } = label.labelRect;
        const ring = label.rect;
        const middle = ring.x + ring.width / 2 - width / 2;
        const sides = { right: [ring.x + ring.width + 4, ring.y], left: [ring.x - width - 4, ring.y], top: [middle, ring.y - height - 4], bottom: [middle, ring.y + ring.height + 4] };
        const order = [wanted[label.dataIndex], "right", "left", "top", "bottom"];
        const boxes = [0, 16, -16, 32, -32, 48, -48].flatMap((shift) => order.map((side) => ({ x: sides[side][0], y: sides[side][1] + shift, width, height })));
        return take(boxes, boxes[0]);
      },
      // In the middle of one of the places on its line; without a free one it is not shown.
      line: (places) => (label) => {
        const { width, height } = label.labelRect;
        const boxes = places[label.dataIndex].map((place) => {
          const [x, y] = charts.get(figure).convertToPixel({ xAxisIndex: 1, yAxisIndex: 1 }, place);
          return { x: x - width / 2, y: y - height / 2, width, height };
        });
        return take(boxes, { x: -9999, y: -9999, width, height });
      },
    };
  }

  // What JSON cannot hold: functions.
  function finish(option, figure) {
    const colorOf = (name) => getComputedStyle(root).getPropertyValue(name).trim();
    const ink = colorOf("--ink");
    const place = placing(figure);
    const axes = (axis) => (Array.isArray(axis) ? axis : [axis]).filter(Boolean);
    const nameOf = (axis, other) => (axes(axis)[0] || {}).name || other;
    axes(option.xAxis).concat(axes(option.yAxis)).forEach((axis) => {
      axis.nameTextStyle = Object.assign({ color: ink }, axis.nameTextStyle);
      if (axis.nice) axis.axisLabel = Object.assign({}, axis.axisLabel, { formatter: tickText });
    });
    (option.series || []).forEach((series) => {
      if (series.rings) {
        series.labelLayout = place.ring(series.data.map((point) => point.label.position));
      }
      if (series.contours) series.labelLayout = place.line(series.data.map((point) => point.places));
      if (series.ink) {
        series.label = Object.assign({}, series.label, { color: ink, textBorderColor: colorOf("--card"), textBorderWidth: 4 });
        if (series.lineStyle) series.lineStyle.color = ink;
        if (series.markLine) series.markLine.label.color = ink;
      }
      if (!series.polygon) return;
      series.renderItem = (params, api) => ({
        type: "polygon",
        shape: { points: series.polygon.map((point) => api.coord(point)) },
        style: { fill: series.polygonFill, opacity: series.polygonOpacity },
      });
    });
    option.tooltip = Object.assign({}, option.tooltip, {
      formatter: (item) => {
        const value = Array.isArray(item.value) ? item.value : [item.name, item.value];
        const lines = [item.seriesName, item.name].filter((text, i, all) => text && !/^series\d/.test(text) && all.indexOf(text) === i);
        if (item.seriesType === "heatmap") {
          return [axes(option.xAxis)[0].data[value[0]], axes(option.yAxis)[0].data[value[1]]]
            .map((level, i) => (i ? nameOf(option.yAxis) : nameOf(option.xAxis)) + ": " + level)
            .concat(item.seriesName + ": " + Number(value[2]).toPrecision(4)).join("\n");
        }
        if (item.seriesType === "bar") return lines.concat(nameOf(option.xAxis) + ": " + Number(item.value).toPrecision(4)).join("\n");
        lines.push(nameOf(option.xAxis, "x") + ": " + Number(value[0]).toPrecision(5));
        if (nameOf(option.yAxis)) lines.push(nameOf(option.yAxis) + ": " + Number(value[1]).toPrecision(5));
        return lines.join("\n");
      },
    });
    return option;
  }

  function legendOf(figure, chart) {
    all(".legend li", figure).forEach((entry) => {
      entry.setAttribute("role", "button");
      entry.tabIndex = 0;
      entry.setAttribute("aria-pressed", "true");
      entry.onclick = () => {
        const shown = entry.getAttribute("aria-pressed") === "true";
        entry.setAttribute("aria-pressed", String(!shown));
        chart.dispatchAction({ type: "legendToggleSelect", name: entry.dataset.series });
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
      if (old) old.dispose();
      const dark = root.classList.contains("dark") ? "dark" : null;
      const chart = echarts.init(figure.querySelector(".live"), dark, { renderer: "svg" });
      charts.set(figure, chart);
      chart.setOption(finish(options[Number(figure.dataset.chart)], figure));
      chart.on("click", (event) => {
        if (event.data && event.data.row !== undefined) select(figure.dataset.links, event.data.row);
      });
      chart.on("datazoom", () => setTicks(chart));
      setTicks(chart);
      legendOf(figure, chart);
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
  let chosen = false;  // by the button; else the system's choice is followed
  const setTheme = (dark) => {
    root.classList.toggle("dark", dark);
    draw();
  };
  document.getElementById("theme").addEventListener("click", () => {
    chosen = true;
    setTheme(!root.classList.contains("dark"));
  });
  window.addEventListener("resize", () => charts.forEach((chart) => {
    chart.resize();
    setTicks(chart);
  }));
  const system = window.matchMedia ? window.matchMedia("(prefers-color-scheme: dark)") : null;
  if (system && system.addEventListener) system.addEventListener("change", (event) => chosen || setTheme(event.matches));
  setTheme(Boolean(system && system.matches));
})();
