// The charts of the Live page, as options for Chart: power by rail, loads, GPU clock and the
// highest temperature. The time axis ends at the newest reading.
import { html, useMemo } from "./standalone.module.js";
import { Chart } from "./controls.js";

const { charts } = window.Ridgewatt;

// Lines over the last `span` seconds. A reading without a value interrupts the line.
// sets: [{ name, color, width, value(point) }].
function overTime(points, span, sets, y) {
  const now = points.length ? points[points.length - 1].time_s : 0;
  const shown = points.filter((point) => point.time_s >= now - span);
  const series = sets.map((set) => ({
    name: set.name, type: "line", showSymbol: false, symbol: "circle", color: set.color, silent: false, connectNulls: false,
    lineStyle: { width: set.width || 1.6, type: set.dashed ? "dashed" : "solid" },
    data: shown.map((point) => [Math.round((point.time_s - now) * 100) / 100, set.value(point)]),
  }));
  const option = charts.plotOption({ title: y.label, x: { label: "time before now (s)", lo: -span, hi: 0 }, y, series, zoom: false });
  option.tooltip = { ...option.tooltip, trigger: "item" };
  return option;
}

const legendOf = (sets) => (sets.length > 1 ? sets.map((set) => ({ name: set.name, color: set.color, mark: "line", dashed: set.dashed })) : []);

function Streaming({ points, span, sets, y, title, source, height, onReady }) {
  const option = useMemo(() => overTime(points, span, sets, y), [points, span, sets]);
  const legend = useMemo(() => legendOf(sets), [sets]);
  return html`<${Chart} option=${option} title=${title} source=${source} legend=${legend} height=${height} label=${`${title} over the last ${span} seconds. ${source}`} onReady=${onReady} />`;
}

export function PowerChart({ points, span, rails, source, onReady }) {
  const names = rails.join("\n");
  const sets = useMemo(() => [{ name: "total", color: charts.palette[0], width: 2.6, value: (point) => point.total_w },
    ...rails.map((name, i) => ({ name, color: charts.palette[1 + (i % (charts.palette.length - 1))], dashed: i >= charts.palette.length - 1,
      value: (point) => point.rails[name] ?? null }))], [names]);
  return html`<${Streaming} points=${points} span=${span} sets=${sets} y=${{ label: "power (W)", lo: 0 }} title="Power" source=${source} height=${300} onReady=${onReady} />`;
}

const percent = (share) => (share === null || share === undefined ? null : 100 * share);
const gpuLoad = { name: "GPU", color: charts.palette[0], value: (point) => percent(point.gpu_load) };
const cpuLoad = { name: "CPU, mean of cores", color: charts.palette[1], value: (point) => percent(point.cpu_load) };
const clockSets = [{ name: "GPU", color: charts.palette[0], value: (point) => point.gpu_mhz }];
const heatSets = [{ name: "hottest", color: charts.palette[1], value: (point) => point.celsius }];

// A load that the machine does not report has no line.
export function LoadChart(props) {
  const gpu = props.points.some((point) => point.gpu_load !== null), cpu = props.points.some((point) => point.cpu_load !== null);
  const sets = useMemo(() => [...(gpu || !cpu ? [gpuLoad] : []), ...(cpu ? [cpuLoad] : [])], [gpu, cpu]);
  const title = gpu && !cpu ? "Load of the GPU" : cpu && !gpu ? "Load of the CPU" : "Load";
  return html`<${Streaming} ...${props} sets=${sets} y=${{ label: "load (%)", lo: 0, hi: 100 }} title=${title} height=${200} />`;
}
// A machine without a GPU has no such chart.
export const ClockChart = (props) => props.points.some((point) => point.gpu_mhz !== null) && html`<${Streaming} ...${props} sets=${clockSets} y=${{ label: "clock (MHz)", lo: 0 }} title="Clock of the GPU" height=${200} />`;
export const HeatChart = (props) => html`<${Streaming} ...${props} sets=${heatSets} y=${{ label: "temperature (°C)" }} title="Hottest zone" height=${200} />`;
