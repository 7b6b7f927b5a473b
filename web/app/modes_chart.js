// The chart of all modes over two costs: modes within and beyond the limits, the Pareto front,
// presets, the answer, and measured points with their predictions.
import { front, modeAt, rowOf } from "./cloud.js";
import { grouped } from "./controls.js";
import { modeName } from "./questions.js";

const { charts } = window.Ridgewatt;

export const axes = {
  time: { column: "time_ms", label: "time of a minibatch (ms)", name: "Time", unit: "ms", option: "max-time", log: true },
  power: { column: "power_w", label: "power (W)", name: "Power", unit: "W", option: "max-power", log: false },
  energy: { column: "energy_j", label: "energy of a minibatch (J)", name: "Energy", unit: "J", option: "max-energy", log: true },
};

const colors = { front: "#009E73", measured: "#E69F00", predicted: "#7F7F7F" };

// Returns the indices of the rows that meet all limits (kept) and of all others (rest), ascending.
export function divide(cloud, limits) {
  const kept = [], rest = [];
  const given = Object.values(axes).filter((axis) => limits[axis.option] !== undefined).map((axis) => [cloud.columns[axis.column], limits[axis.option]]);
  for (let i = 0; i < cloud.count; ++i) (given.every(([values, limit]) => values[i] <= limit) ? kept : rest).push(i);
  return { kept, rest };
}

const coordinates = (cloud, rows, x, y) => {
  const data = new Float64Array(2 * rows.length);
  rows.forEach((row, i) => { data[2 * i] = cloud.columns[x][row]; data[2 * i + 1] = cloud.columns[y][row]; });
  return data;
};

const dots = (name, cloud, rows, x, y, color, opacity) => ({
  type: "scatter", name, large: true, largeThreshold: 0, progressive: 0, symbolSize: 3, silent: true, silentTable: true, itemStyle: { color, opacity },
  dimensions: ["x", "y"], data: coordinates(cloud, rows, x, y),
});

const ring = (x, y, name, position, color = "#E53935") => ({ value: [x, y], name, itemStyle: { color: "transparent", borderColor: color, borderWidth: 2 }, label: { show: true, position } });

// For each measured mode: error bars of the predicted interval, and a line from the prediction to
// the measurement.
function whiskers(points, cloud, x, y) {
  const end = (column, which, row) => cloud.columns[column.replace(/_(\w+)$/, `_${which}_$1`)][row];
  const data = points.filter((point) => point.row >= 0).map((point) => [
    cloud.columns[x][point.row], cloud.columns[y][point.row], end(x, "lo", point.row), end(x, "hi", point.row), end(y, "lo", point.row), end(y, "hi", point.row), point[x], point[y]]);
  return {
    type: "custom", name: "predicted, 90 % interval", data, dimensions: ["x", "y", "xlo", "xhi", "ylo", "yhi", "mx", "my"], encode: { x: [0, 2, 3], y: [1, 4, 5] }, silent: true, silentTable: true, clip: true, z: 4,
    itemStyle: { color: colors.predicted },
    renderItem: (params, api) => {
      const at = (i, j) => api.coord([api.value(i), api.value(j)]);
      const line = (a, b, style) => ({ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: colors.predicted, lineWidth: 1, ...style } });
      return { type: "group", children: [line(at(2, 1), at(3, 1)), line(at(0, 4), at(0, 5)), line(at(0, 1), at(6, 7), { stroke: colors.measured, lineDash: [2, 2] })] };
    },
  };
}

function range(values, log) {
  let lo = Infinity, hi = -Infinity;
  values.forEach((list) => list.forEach((v) => { if (v > 0) { if (v < lo) lo = v; if (v > hi) hi = v; } }));
  if (!(hi > 0)) return { lo: log ? 1 : 0, hi: log ? 10 : 1 };
  return log ? { lo: lo / 1.12, hi: hi * 1.12 } : { lo: Math.max(0, lo - 0.06 * (hi - lo)), hi: hi + 0.06 * (hi - lo) };
}

// answer: { mode, time_ms, power_w, energy_j } of tune, or null. Returns { option, legend, note }.
// partial: the answer also meets limits or a confidence that the chart does not know.
export function cloudChart({ cloud, limits, x, y, presets, answer, measured, title, partial }) {
  const cx = axes[x].column, cy = axes[y].column;
  const { kept, rest } = divide(cloud, limits);
  const limited = rest.length > 0, given = Object.values(axes).some((axis) => limits[axis.option] !== undefined);
  // The costs are means, as in tune at a confidence of 0.5.
  const bounds = partial ? "the limits of mean time, power and energy" : "the limits";
  const best = front(cloud, cx, cy);
  const series = [];
  // ECharts cannot draw a series with `large` and no points.
  if (limited) series.push(dots("beyond a limit", cloud, rest, cx, cy, charts.colorOf("--faint"), 0.22));
  if (kept.length) series.push(dots(limited ? `modes within ${bounds}` : "modes", cloud, kept, cx, cy, charts.colorOf("--accent"), 0.45));
  series.push({ type: "line", name: "Pareto front", step: "end", showSymbol: false, z: 3, lineStyle: { color: colors.front, width: 2 }, itemStyle: { color: colors.front }, data: best.map((row) => ({ value: [cloud.columns[cx][row], cloud.columns[cy][row]], row, name: modeName(modeAt(cloud, row), presets) })) });
  const legend = series.map((one) => ({ name: one.name, color: one.itemStyle.color, mark: one.type === "line" ? "line" : "dot" }));
  if (measured && measured.length) {
    const kinds = [...new Set(measured.map((point) => point.provenance).filter(Boolean))];
    const name = kinds.length === 1 && kinds[0] !== "measured" ? `sweep (${kinds[0]})` : "measured";
    series.push(whiskers(measured, cloud, cx, cy));
    series.push({ type: "scatter", name, symbolSize: 8, z: 5, itemStyle: { color: colors.measured, borderColor: "#00000055", borderWidth: 1 }, data: measured.map((point) => ({ value: [point[cx], point[cy]], name: modeName(point.mode, presets), row: point.row })) });
    legend.push({ name: "predicted, 90 % interval", color: colors.predicted, mark: "line" }, { name, color: colors.measured, mark: "dot" });
  }
  const marks = presets.map((preset) => {
    const i = rowOf(cloud, preset.mode);
    return i < 0 ? null : ring(cloud.columns[cx][i], cloud.columns[cy][i], preset.name, "top", charts.colorOf("--ink"));
  }).filter(Boolean);
  if (answer) marks.push(ring(answer[cx], answer[cy], "answer", "bottom"));
  series.push({ type: "scatter", data: marks, silent: true, silentTable: true, symbol: "circle", symbolSize: 12, z: 10, rings: true, ink: true, label: { show: true, formatter: "{b}", fontSize: 11 } });
  const shownOf = (column) => [cloud.columns[column]].concat(measured ? [measured.map((point) => point[column])] : []);
  return {
    option: charts.plotOption({ title, x: { label: axes[x].label, log: axes[x].log, ...range(shownOf(cx), axes[x].log) }, y: { label: axes[y].label, log: axes[y].log, ...range(shownOf(cy), axes[y].log) }, series, zoom: false }),
    legend, note: `${given || !partial ? `${grouped(kept.length)} modes within ${bounds}, ` : ""}${best.length} on the front`,
  };
}
