// The charts of the Explore page: the roofline, on axes that do not change while a slider moves,
// and cost over a knob.
import { along, least, rowOf } from "./cloud.js";
import { knobsOf } from "./questions.js";

const { charts } = window.Ridgewatt;

const short = (name) => name.replace(/^.*?, (ceiling|reached)/, "$1");
const isCeiling = (series) => /, ceiling/.test(series.name || "");

function widened(axis, other) {
  if (!axis || !other || axis.min === undefined || other.min === undefined) return axis;
  return { ...axis, min: Math.min(axis.min, other.min), max: Math.max(axis.max, other.max) };
}

// The figure of one mode, with axes that also fit the figure of the highest clocks (`atMost`). The
// ceilings of `atMost` are added as thin lines for comparison.
export function onStillAxes(figure, atMost) {
  const option = { ...figure.option };
  const legend = (figure.legend || []).map((entry) => ({ ...entry, name: short(entry.name) }));
  option.series = option.series.map((series) => (series.name ? { ...series, name: short(series.name) } : series));
  if (atMost) {
    option.xAxis = widened(option.xAxis, atMost.option.xAxis);
    option.yAxis = widened(option.yAxis, atMost.option.yAxis);
    const ghosts = atMost.option.series.filter(isCeiling).map((series) => ({ ...series, name: undefined, silent: true, silentTable: true, z: 0, lineStyle: { color: charts.colorOf("--faint"), width: 1, opacity: 0.6, type: "dotted" } }));
    option.series = ghosts.concat(option.series);
  }
  return { ...figure, option, legend };
}

export const costs = {
  energy_j: { label: "energy of a minibatch (J)", name: "Energy", unit: "J" },
  time_ms: { label: "time of a minibatch (ms)", name: "Time", unit: "ms" },
  power_w: { label: "power (W)", name: "Power", unit: "W" },
};

const bound = (cost, end) => cost.replace(/_(\w+)$/, `_${end}_$1`);
const ringStyle = { color: "transparent", borderColor: "#E53935", borderWidth: 2 };

// Cost over the values of a knob, with the other knobs as in `mode`. The points are rows of
// `cloud`, so that a click on a point selects a mode. A horizontal line shows the lowest cost of
// all modes.
export function costOverKnob(cloud, mode, knob, cost) {
  const rows = along(cloud, mode, knob.of);
  const at = (name, i) => cloud.columns[name][i];
  const points = rows.map((i) => ({ value: [at(knob.of, i), at(cost, i)], row: i, name: knob.label }));
  const lo = bound(cost, "lo"), hi = bound(cost, "hi");
  const series = [];
  if (cloud.columns[lo]) {
    const polygon = rows.map((i) => [at(knob.of, i), at(lo, i)]).concat([...rows].reverse().map((i) => [at(knob.of, i), at(hi, i)]));
    series.push({ type: "custom", name: "90 % interval", polygon, polygonFill: charts.colorOf("--accent"), polygonOpacity: 0.2, clip: true, silent: true, itemStyle: { color: charts.colorOf("--accent") }, data: [polygon[0] || [0, 0]] });
  }
  series.push({ type: "line", name: costs[cost].name.toLowerCase(), data: points, showSymbol: true, symbolSize: 7, lineStyle: { color: charts.colorOf("--accent") }, itemStyle: { color: charts.colorOf("--accent") } });
  const now = rowOf(cloud, mode);
  const low = least(cloud, cost, rows), best = least(cloud, cost);
  const rings = [];
  if (now >= 0) rings.push({ value: [at(knob.of, now), at(cost, now)], name: "chosen", label: { show: true, position: "top" } });
  const lowest = low >= 0 && at(cost, low) === at(cost, best);
  if (low >= 0 && low !== now) rings.push({ value: [at(knob.of, low), at(cost, low)], name: `${lowest ? "least of all modes" : "least here"}: ${charts.tickText(Number(at(cost, low).toPrecision(3)))} ${costs[cost].unit}`, label: { show: true, position: "top" } });
  series.push({
    type: "scatter", data: rings, silent: true, silentTable: true, symbol: "circle", symbolSize: 13, z: 10, itemStyle: ringStyle, rings: true, ink: true,
    label: { show: true, formatter: "{b}", fontSize: 11 },
    markLine: best < 0 || lowest ? undefined : { symbol: "none", silent: true, lineStyle: { type: "dashed", color: "#888" }, label: { formatter: "{b}", position: "insideEndBottom" }, data: [{ yAxis: at(cost, best), name: `least of all modes: ${charts.tickText(Number(at(cost, best).toPrecision(3)))} ${costs[cost].unit}` }] },
  });
  // The axis includes all drawn values and the best one. It is logarithmic, because costs span
  // decades.
  const values = rows.flatMap((i) => [at(lo, i), at(hi, i), at(cost, i)]).concat(best < 0 ? [] : [at(cost, best)]).filter((v) => v > 0);
  const steps = rows.map((i) => at(knob.of, i));
  const pad = steps.length > 1 ? 0.03 * (steps[steps.length - 1] - steps[0]) : 1;
  return {
    option: charts.plotOption({
      title: `${costs[cost].name} over ${knob.label}`,
      x: { label: `${knob.label}${knob.unit && ` (${knob.unit})`}`, lo: Math.max(0, steps[0] - pad), hi: steps[steps.length - 1] + pad },
      y: { label: costs[cost].label, log: true, lo: Math.min(...values) * 0.9, hi: Math.max(...values) * 1.1 }, series,
    }),
    legend: [{ name: costs[cost].name.toLowerCase(), color: charts.colorOf("--accent"), mark: "linepoints" }, { name: "90 % interval", color: charts.colorOf("--accent"), mark: "band" }].slice(0, cloud.columns[lo] ? 2 : 1),
    best,
  };
}

export const knobOf = (key, board) => knobsOf(board).find((knob) => knob.key === key) || knobsOf(board)[0];
