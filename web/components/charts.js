// Charts of reports and of the web page, drawn by Apache ECharts. Adds ticks, labels that do not
// overlap, text tooltips and the colors of the theme. It is a classic script, which reports inline:
//   const handle = Ridgewatt.charts.draw(element, option, { onClick: (item) => .. });
//   handle.set(option); handle.toggle(name); handle.svg({ title, source }); handle.dispose();
// An option is the result of to_echarts() (report/figure.h) or of plotOption() below.
"use strict";
window.Ridgewatt = window.Ridgewatt || {};
window.Ridgewatt.charts = (function () {
  const root = document.documentElement;
  const palette = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#B8A900"];  // same as in static figures
  // Colors are read once per task, because reading after a change recomputes the page's styles.
  let colors = null;
  function colorOf(name) {
    if (!colors) {
      colors = new Map();
      setTimeout(() => { colors = null; });
    }
    const key = `${root.className} ${name}`;
    if (!colors.has(key)) colors.set(key, getComputedStyle(root).getPropertyValue(name).trim());
    return colors.get(key);
  }
  const listOf = (axis) => (Array.isArray(axis) ? axis : [axis]).filter(Boolean);

  // The short text of a tick: 0.25, 1500, 2e+6.
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

  // The same ticks as in static figures: 1-2-5 in each decade, or fewer if there is little space.
  // Ticks are evenly spaced if a logarithmic axis has a small range.
  function niceTicks(lo, hi, log, wanted) {
    if (!log) return evenTicks(lo, hi, wanted);
    const styles = [[[1, 2, 3, 4, 5, 6, 7, 8, 9], 1], [[1, 2, 5], 1], [[1, 3], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 5], [[1], 10], [[1], 30]];
    let ticks = [];
    for (const [parts, stride] of styles) {
      // The narrowest gap of the nine is from 9 to 10.
      if (parts.length === 9 && wanted * Math.log10(10 / 9) / Math.log10(hi / lo) < 0.5) continue;
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

  // The ticks of an axis. visible(): its visible range [lo, hi].
  function ticksOfAxis(chart, kind, axis, visible) {
    if (axis.type === "category" && !axis.names) {
      // Labels the first category and every n-th one after it, so that labels do not touch.
      const rows = kind === "yAxis" ? (chart.getHeight() - 80) / 20 : Infinity;
      const every = Math.max(1, Math.ceil(axis.data.length / rows));
      return every > 1 ? { axisLabel: { interval: every - 1 } } : {};
    }
    if (axis.names) return { axisLabel: { width: Math.round(0.45 * chart.getWidth()) } };
    if (!axis.nice) return {};
    const room = kind === "xAxis" ? chart.getWidth() / 65 : chart.getHeight() / 45;
    const ticks = niceTicks(...visible(), axis.type === "log", Math.max(3, Math.floor(room)));
    return { axisTick: { customValues: ticks }, splitLine: { customValues: ticks }, axisLabel: { customValues: ticks } };
  }

  // Ticks of all axes of a drawn chart at its current size.
  function ticksOf(chart) {
    const of = (kind) => chart.getModel().queryComponents({ mainType: kind })
      .map(({ option, axis }) => ticksOfAxis(chart, kind, option, () => axis.scale.getExtent()));
    return { xAxis: of("xAxis"), yAxis: of("yAxis") };
  }

  // Adds to a finished option the ticks of the axes whose range it states, so that they are drawn
  // only once. Returns the ticks like ticksOf, with null for the other axes.
  function addTicks(option, chart) {
    const of = (kind) => listOf(option[kind]).map((axis) => {
      if (axis.nice && !(Number.isFinite(axis.min) && Number.isFinite(axis.max))) return null;
      const ticks = ticksOfAxis(chart, kind, axis, () => [axis.min, axis.max]);
      Object.entries(ticks).forEach(([part, values]) => { axis[part] = { ...axis[part], ...values }; });
      return ticks;
    });
    return { xAxis: of("xAxis"), yAxis: of("yAxis") };
  }

  // Positions for the labels of a chart, which do not overlap, stay inside the plot, and leave the
  // points of lines free.
  function placing(chartOf, series) {
    let taken = [];
    const points = () => series.filter((one) => one.type === "line" && one.showSymbol && !one.xAxisIndex).flatMap((one) => one.data).map((item) => {
      const [x, y] = chartOf().convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, item.value || item);
      return { x: x - 4, y: y - 4, width: 8, height: 8 };
    });
    const plot = () => chartOf().getModel().getComponent("grid").coordinateSystem.getRect();
    const free = (area, box) => box.x >= area.x && box.x + box.width <= area.x + area.width && box.y >= area.y - 2 && box.y + box.height <= area.y + area.height + 2 &&
      taken.every((t) => box.x >= t.x + t.width + 2 || t.x >= box.x + box.width + 2 || box.y >= t.y + t.height || t.y >= box.y + box.height);
    const take = (boxes, last) => {
      const area = plot();
      const box = boxes.find((candidate) => free(area, candidate)) || last;
      taken.push(box);
      return { x: box.x, y: box.y, align: "left", verticalAlign: "top" };
    };
    return {
      // Next to the ring, if possible on the wanted side.
      ring: (wanted) => (label) => {
        if (label.dataIndex === 0) taken = points();
        const { width, height } = label.labelRect;
        const ring = label.rect;
        const middle = ring.x + ring.width / 2 - width / 2;
        const sides = { right: [ring.x + ring.width + 4, ring.y], left: [ring.x - width - 4, ring.y], top: [middle, ring.y - height - 4], bottom: [middle, ring.y + ring.height + 4] };
        const order = [wanted[label.dataIndex], "right", "left", "top", "bottom"];
        const boxes = [0, 16, -16, 32, -32, 48, -48].flatMap((shift) => order.map((side) => ({ x: sides[side][0], y: sides[side][1] + shift, width, height })));
        return take(boxes, boxes[0]);
      },
      // Centered on the first free one of `places` on the line. If none is free, it is not shown.
      line: (places) => (label) => {
        const { width, height } = label.labelRect;
        const boxes = places[label.dataIndex].map((place) => {
          const [x, y] = chartOf().convertToPixel({ xAxisIndex: 1, yAxisIndex: 1 }, place);
          return { x: x - width / 2, y: y - height / 2, width, height };
        });
        return take(boxes, { x: -9999, y: -9999, width, height });
      },
    };
  }

  const nameOf = (axis, other) => (listOf(axis)[0] || {}).name || other;

  function tooltipText(option, item) {
    const value = Array.isArray(item.value) ? item.value : [item.name, item.value];
    const lines = [item.seriesName, item.name].filter((text, i, all) => text && !/^series\d/.test(text) && all.indexOf(text) === i);
    if (item.seriesType === "heatmap") {
      return [listOf(option.xAxis)[0].data[value[0]], listOf(option.yAxis)[0].data[value[1]]]
        .map((level, i) => (i ? nameOf(option.yAxis) : nameOf(option.xAxis)) + ": " + level)
        .concat(item.seriesName + ": " + Number(value[2]).toPrecision(4)).join("\n");
    }
    if (item.seriesType === "bar") return lines.concat(nameOf(option.xAxis) + ": " + Number(item.value).toPrecision(4)).join("\n");
    lines.push(nameOf(option.xAxis, "x") + ": " + Number(value[0]).toPrecision(5));
    if (nameOf(option.yAxis)) lines.push(nameOf(option.yAxis) + ": " + Number(value[1]).toPrecision(5));
    return lines.join("\n");
  }

  function finishAxis(axis, ink) {
    const done = { ...axis, nameTextStyle: { color: ink, ...axis.nameTextStyle } };
    if (axis.nice) done.axisLabel = { ...axis.axisLabel, formatter: tickText };
    return done;
  }

  function finishSeries(given, place, ink) {
    const series = { ...given };
    if (series.rings) series.labelLayout = place.ring(series.data.map((point) => (point.label || {}).position));
    if (series.contours) series.labelLayout = place.line(series.data.map((point) => point.places));
    if (series.ink) {
      series.label = { ...series.label, color: ink, textBorderColor: colorOf("--card"), textBorderWidth: 4 };
      if (series.lineStyle) series.lineStyle = { ...series.lineStyle, color: ink };
      if (series.markLine) series.markLine = { ...series.markLine, label: { ...series.markLine.label, color: ink } };
    }
    if (series.polygon) {
      series.renderItem = (params, api) => ({
        type: "polygon",
        shape: { points: series.polygon.map((point) => api.coord(point)) },
        style: { fill: series.polygonFill, opacity: series.polygonOpacity },
      });
    }
    return series;
  }

  // Splits the name of the horizontal axis into two lines if it is wider than the plot. A letter is
  // about 6.2 pixels wide.
  function breakName(done, width) {
    const [axis] = done.xAxis || [], grids = listOf(done.grid);
    const room = width - 80;
    if (!axis || grids.length > 1 || axis.nameLocation !== "middle" || (axis.name || "").length * 6.2 <= room) return;
    const at = axis.name.lastIndexOf(" ", room / 6.2);
    if (at < 0) return;
    axis.name = `${axis.name.slice(0, at)}\n${axis.name.slice(at + 1)}`;
    axis.nameTextStyle = { ...axis.nameTextStyle, lineHeight: 14 };
    done.grid = { ...grids[0], bottom: (Number((grids[0] || {}).bottom) || 30) + 14 };
  }

  // Adds the functions of an option, which JSON cannot contain.
  function finish(option, chartOf) {
    const ink = colorOf("--ink");
    const place = placing(chartOf, option.series || []);
    const done = { ...option };
    ["xAxis", "yAxis"].forEach((kind) => {
      if (option[kind]) done[kind] = listOf(option[kind]).map((axis) => finishAxis(axis, ink));
    });
    breakName(done, chartOf().getWidth());
    done.series = (option.series || []).map((series) => finishSeries(series, place, ink));
    done.tooltip = { formatter: (item) => tooltipText(option, item), ...option.tooltip };
    return done;
  }

  // Adds title, source and legend for a separate image (on a page, they are HTML). To wrap texts, a
  // letter is assumed to be `letter` pixels wide.
  function standing(option, head, width) {
    const letter = 6.2, swatch = 46, lineHeight = 15, room = width - 16;
    const grid = { ...listOf(option.grid)[0] };
    const names = [...new Set((option.series || []).map((series) => series.name).filter((name) => name && !/^series\d/.test(name)))];
    const lines = (text, size) => Math.ceil((text || "").length * letter * size / room);
    const entries = names.reduce((sum, name) => sum + swatch + letter * name.length, 0);
    const top = lines(head.title, 1.35) * 20 + lines(head.source, 1) * lineHeight + 8;
    const bottom = names.length > 1 ? Math.ceil(1.15 * entries / room) * 24 : 0;
    grid.top = (Number(grid.top) || 34) + top;
    grid.bottom = (Number(grid.bottom) || 30) + bottom;
    const wrapped = { width: room, overflow: "break" };
    const picture = {
      ...option, grid, backgroundColor: colorOf("--card"),
      title: { text: head.title || "", subtext: head.source || "", left: 8, top: 6, padding: 0, itemGap: 4, textStyle: { ...wrapped, fontSize: 14, lineHeight: 20, color: colorOf("--ink") }, subtextStyle: { ...wrapped, fontSize: 11, lineHeight, color: colorOf("--faint") } },
      legend: names.length > 1 ? { show: true, type: "plain", left: 8, right: 8, bottom: 4, itemWidth: 20, itemHeight: 10, data: names, textStyle: { color: colorOf("--ink") } } : { show: false },
    };
    return { picture, more: top + bottom };
  }

  const theme = () => (root.classList.contains("dark") ? "dark" : null);

  // Returns the chart as SVG.
  function toSvg(option, head, width, height) {
    const { picture, more } = standing(option, head, width);
    const chart = echarts.init(null, theme(), { renderer: "svg", ssr: true, width, height: height + more });
    chart.setOption(finish(picture, () => chart));
    chart.setOption(ticksOf(chart));
    const text = chart.renderToSVGString();
    chart.dispose();
    return text;
  }

  // options: renderer ("svg", or "canvas" for many points), onClick(item), onZoom().
  function draw(element, option, options = {}) {
    let now = option, axes = "", ticks = "", inView = true, waits = false;
    const chart = echarts.init(element, theme(), { renderer: options.renderer || "svg" });
    const shape = (of) => JSON.stringify([listOf(of.xAxis), listOf(of.yAxis)].map((list) => list.map((axis) => axis.type)));
    // Sets ticks only if they changed, because setting them redraws the whole chart.
    const setTicks = () => {
      const patch = ticksOf(chart), text = JSON.stringify(patch);
      if (text !== ticks) chart.setOption(patch);
      ticks = text;
    };
    const show = (next) => {
      const same = shape(next) === axes;
      axes = shape(next);
      const done = finish(next, () => chart);
      if (!same) ticks = JSON.stringify(addTicks(done, chart));
      chart.setOption(done, same ? { replaceMerge: ["series"] } : { notMerge: true });
      setTicks();
    };
    const handle = {
      chart,
      // A chart outside the viewport is drawn when it becomes visible. A page with five charts thus
      // redraws only the visible ones while a slider moves.
      set(next) {
        now = next;
        waits = !inView;
        if (inView) show(next);
      },
      toggle: (name) => chart.dispatchAction({ type: "legendToggleSelect", name }),
      svg: (head = {}) => toSvg(now, head, chart.getWidth(), chart.getHeight()),
      resize() {
        if (element.clientWidth === chart.getWidth() && element.clientHeight === chart.getHeight()) return;
        chart.resize();
        setTicks();
      },
      dispose() { watch.disconnect(); viewed.disconnect(); chart.dispose(); },
    };
    const watch = new ResizeObserver(() => element.clientWidth > 0 && handle.resize());
    handle.set(option);
    chart.on("click", (event) => options.onClick && options.onClick(event.data || {}, event));
    chart.on("datazoom", () => { setTicks(); if (options.onZoom) options.onZoom(); });
    watch.observe(element);
    const viewed = new IntersectionObserver((entries) => {
      inView = entries[entries.length - 1].isIntersecting;
      if (!inView || !waits) return;
      waits = false;
      show(now);
    }, { rootMargin: "200px" });
    viewed.observe(element);
    return handle;
  }

  // An axis in the style of report figures. Without `lo` and `hi`, its range is that of the data.
  function axisOption({ label = "", log = false, lo, hi }, vertical) {
    const axis = { type: log ? "log" : "value", name: label, nice: true, scale: true, axisLine: { show: true, onZero: false }, axisTick: { show: true }, axisLabel: { hideOverlap: true }, minorTick: { show: false }, minorSplitLine: { show: false } };
    if (lo !== undefined) axis.min = lo;
    if (hi !== undefined) axis.max = hi;
    return Object.assign(axis, vertical ? { nameLocation: "end", nameGap: 14, nameTextStyle: { align: "left" } } : { nameLocation: "middle", nameGap: 28 });
  }

  // An option for series that the page creates. x and y are { label, log, lo, hi }.
  function plotOption({ title = "", x, y, series, zoom = true }) {
    return {
      animation: false, backgroundColor: "transparent", color: palette,
      aria: { enabled: true, label: { description: title } },
      grid: { left: 12, right: 22, top: 34, bottom: 30, containLabel: true },
      legend: { show: false },
      tooltip: { renderMode: "richText", confine: true, trigger: "item" },
      xAxis: axisOption(x, false), yAxis: axisOption(y, true),
      dataZoom: zoom ? [{ type: "inside", zoomOnMouseWheel: "ctrl" }, { type: "inside", orient: "vertical", zoomOnMouseWheel: "ctrl" }] : [],
      series,
    };
  }

  return { draw, toSvg, plotOption, axisOption, tickText, palette, colorOf };
})();
