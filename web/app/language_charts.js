// The charts of the Language models page: a figure over the length of the prompt, a figure over a
// knob, and all modes by time per token and energy per token.
import { along, front, modeAt, rowOf } from "./cloud.js";
import { modeName } from "./questions.js";

const { charts } = window.Ridgewatt;

// `stem` and `unit` form the JSON keys of `llm`: tokens_per_s, tokens_lo_per_s, tokens_hi_per_s.
export const figures = {
  speed: { stem: "tokens", unit: "_per_s", name: "Tokens per second", label: "tokens per second", high: true },
  ttft: { stem: "ttft", unit: "_ms", name: "First token", label: "time to the first token (ms)" },
  tpot: { stem: "tpot", unit: "_ms", name: "Time per token", label: "time per token (ms)" },
  joules: { stem: "joules", unit: "_per_token", name: "Joules per token", label: "joules per token" },
  power: { stem: "decode_power", unit: "_w", name: "Power of decoding", label: "power of decoding (W)" },
};
export const keyOf = (figure, bound = "") => `${figure.stem}${bound && `_${bound}`}${figure.unit}`;
export const modeColumns = ["cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz", "governor", ...Object.values(figures).flatMap((figure) => ["", "lo", "hi"].map((bound) => keyOf(figure, bound)))].join(",");

const blue = () => charts.colorOf("--accent"), green = "#009E73", red = "#E53935";
const ring = (x, y, name, position, color = red) => ({ value: [x, y], name, itemStyle: { color: "transparent", borderColor: color, borderWidth: 2 }, label: { show: true, position } });
const rings = (data) => ({ type: "scatter", data, silent: true, silentTable: true, symbol: "circle", symbolSize: 13, z: 10, rings: true, ink: true, label: { show: true, formatter: "{b}", fontSize: 11 } });
const padded = (values) => ({ lo: Math.min(...values) * 0.9, hi: Math.max(...values) * 1.1 });

// A line with its 90 % band. points: { x, value, lo, hi, item, faint }.
function banded(points, figure) {
  const polygon = points.map((p) => [p.x, p.lo]).concat([...points].reverse().map((p) => [p.x, p.hi]));
  return [
    { type: "custom", name: "90 % interval", polygon, polygonFill: blue(), polygonOpacity: 0.2, clip: true, silent: true, itemStyle: { color: blue() }, data: [polygon[0] || [0, 0]] },
    { type: "line", name: figure.label.replace(/ \(.*/, ""), showSymbol: true, symbol: "circle", symbolSize: 7, lineStyle: { color: blue() }, itemStyle: { color: blue() },
      data: points.map((p) => ({ value: [p.x, p.value], ...p.item, itemStyle: p.faint ? { color: charts.colorOf("--card"), borderColor: blue(), borderWidth: 2 } : undefined })) },
  ];
}

const bandLegend = (figure) => [{ name: figure.label.replace(/ \(.*/, ""), color: blue(), mark: "linepoints" }, { name: "90 % interval", color: blue(), mark: "band" }];

// rows: { prompt, row } of `llm`. A hollow point means that the request does not fit the memory.
export function overLength(rows, figure, prompt) {
  const points = rows.map(({ prompt: x, row }) => ({ x, value: row[keyOf(figure)], lo: row[keyOf(figure, "lo")], hi: row[keyOf(figure, "hi")], faint: !row.fits, item: { prompt: x, name: row.fits ? "" : "does not fit" } }));
  const now = points.find((p) => p.x === prompt);
  const lengths = points.map((p) => p.x);
  return {
    option: charts.plotOption({
      title: `${figure.name} over the prompt`, x: { label: "prompt (tokens)", log: true, lo: Math.min(...lengths) / 1.2, hi: Math.max(...lengths) * 1.2 },
      y: { label: figure.label, log: true, ...padded(points.flatMap((p) => [p.value, p.lo, p.hi])) }, series: [...banded(points, figure), rings(now ? [ring(now.x, now.value, "asked", "top")] : [])],
    }),
    legend: bandLegend(figure), outgrown: points.some((p) => p.faint),
  };
}

const best = (cloud, figure, rows) => rows.reduce((found, row) => {
  const values = cloud.columns[keyOf(figure)];
  return found < 0 || (figure.high ? values[row] > values[found] : values[row] < values[found]) ? row : found;
}, -1);

// A figure over the values of a knob, with the other knobs unchanged.
export function overKnob(cloud, mode, knob, figure) {
  const at = (bound, row) => cloud.columns[keyOf(figure, bound)][row];
  const rows = along(cloud, mode, knob.of);
  const points = rows.map((row) => ({ x: cloud.columns[knob.of][row], value: at("", row), lo: at("lo", row), hi: at("hi", row), item: { row, name: knob.label } }));
  const now = rowOf(cloud, mode);
  const least = best(cloud, figure, rows);
  const marks = now >= 0 ? [ring(cloud.columns[knob.of][now], at("", now), "chosen", "top")] : [];
  if (least >= 0 && now !== least) marks.push(ring(cloud.columns[knob.of][least], at("", least), figure.high ? "most here" : "least here", "right"));
  const steps = points.map((p) => p.x), pad = steps.length > 1 ? 0.03 * (steps[steps.length - 1] - steps[0]) : 1;
  return {
    option: charts.plotOption({
      title: `${figure.name} over ${knob.label}`, x: { label: `${knob.label}${knob.unit && ` (${knob.unit})`}`, lo: Math.max(0, steps[0] - pad), hi: steps[steps.length - 1] + pad },
      y: { label: figure.label, log: true, ...padded(points.flatMap((p) => [p.value, p.lo, p.hi])) }, series: [...banded(points, figure), rings(marks)],
    }),
    legend: bandLegend(figure),
  };
}


// All modes: energy per token over time per token. Lower is better for both. The points of the
// front can be clicked.
export function allModes(cloud, presets, mode, answer) {
  const x = keyOf(figures.tpot), y = keyOf(figures.joules);
  const data = new Float64Array(2 * cloud.count);
  for (let row = 0; row < cloud.count; ++row) { data[2 * row] = cloud.columns[x][row]; data[2 * row + 1] = cloud.columns[y][row]; }
  const list = front(cloud, x, y);
  const place = (of, name, position, color) => {
    const row = of ? rowOf(cloud, of) : -1;
    return row < 0 ? [] : [ring(cloud.columns[x][row], cloud.columns[y][row], name, position, color)];
  };
  const marks = presets.flatMap((preset) => place(preset.mode, preset.name, "top", charts.colorOf("--ink"))).concat(place(mode, "chosen", "right"), place(answer, "best", "bottom"));
  const series = [
    { type: "scatter", name: "modes", large: true, largeThreshold: 0, progressive: 0, symbolSize: 3, silent: true, silentTable: true, itemStyle: { color: charts.colorOf("--accent"), opacity: 0.45 }, dimensions: ["x", "y"], data },
    { type: "line", name: "Pareto front", step: "end", showSymbol: true, symbolSize: 6, z: 3, lineStyle: { color: green, width: 2 }, itemStyle: { color: green }, data: list.map((row) => ({ value: [cloud.columns[x][row], cloud.columns[y][row]], row, name: modeName(modeAt(cloud, row), presets) })) },
    rings(marks),
  ];
  return {
    option: charts.plotOption({
      title: "Joules per token over time per token", x: { label: figures.tpot.label, log: true, ...padded([...cloud.columns[x]].filter((v) => v > 0)) },
      y: { label: figures.joules.label, log: true, ...padded([...cloud.columns[y]].filter((v) => v > 0)) }, series,
    }),
    legend: [{ name: "modes", color: charts.colorOf("--accent"), mark: "dot" }, { name: "Pareto front", color: green, mark: "line" }], onFront: list.length,
  };
}
