// Compares the measured points of a sweep (an uploaded CSV, or a workload of a store) with the
// twin's predictions for the same modes: the mean error, and the number of points within the 90 %
// interval.
import { modeAt, parseCsv } from "./cloud.js";

const keyOf = (mode) => mode.governor || `${mode.cpu_cores} ${mode.cpu_mhz} ${mode.gpu_mhz} ${mode.mem_mhz}`;

// Returns { count, columns } with energy_j computed if it is missing; null if the text is not a
// sweep.
export function readSweep(text) {
  const table = parseCsv(text);
  const has = (name) => table.columns[name] !== undefined;
  if (!["cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz", "time_ms", "power_w"].every(has)) return null;
  const { time_ms: time, power_w: power } = table.columns;
  if (!has("energy_j")) table.columns.energy_j = time.map((t, i) => t * power[i] * 1e-3);
  return table;
}

const textAt = (table, name, i) => (table.columns[name] === undefined ? "" : String(table.columns[name][i]));
const workloadAt = (table, i) => [textAt(table, "workload", i), textAt(table, "kind", i)].filter(Boolean).join(":");

// Returns { name: "NAME:KIND", batches } for each workload.
export function workloadsOf(table) {
  const found = new Map();
  for (let i = 0; i < table.count; ++i) {
    const name = workloadAt(table, i);
    if (!found.has(name)) found.set(name, new Set());
    found.get(name).add(table.columns.batch ? table.columns.batch[i] : 1);
  }
  return [...found].map(([name, batches]) => ({ name, batches: [...batches].sort((a, b) => a - b) }));
}

const words = (text) => String(text || "").toLowerCase().replace(/^fake:|@.*$/g, "").replace(/[^a-z0-9]/g, "");

// Returns texts that describe the differences between the sweep and the question.
// asked: { model, file, device, training, batch }.
export function differences(sweep, asked) {
  const [name, kind] = sweep.name.split(":");
  const model = asked.file ? asked.file.replace(/\.[^.]*$/, "") : asked.model.replace(/^zoo:/, "");
  const said = (what, theirs, ours) => `its ${what} is ${theirs}, the question's ${ours}`;
  return [
    words(name) !== words(model) && said("workload", name, model),
    kind && (kind === "training") !== asked.training && said("kind", kind, asked.training ? "training" : "inference"),
    sweep.board && words(sweep.board) !== words(asked.device) && said("board", sweep.board, asked.device),
    sweep.batch > 0 && sweep.batch !== asked.batch && said("batch", sweep.batch, asked.batch),
  ].filter(Boolean);
}

// Returns the points of one workload and batch: mode, costs, and the row of `cloud` with the same
// mode (-1 if none).
export function pointsOf(table, workload, batch, cloud) {
  const rows = new Map();
  if (cloud) for (let i = 0; i < cloud.count; ++i) rows.set(keyOf(modeAt(cloud, i)), i);
  const points = [];
  for (let i = 0; i < table.count; ++i) {
    if (workloadAt(table, i) !== workload || (table.columns.batch && table.columns.batch[i] !== batch)) continue;
    const mode = modeAt(table, i);
    const found = rows.get(keyOf(mode));
    points.push({
      mode, row: found === undefined ? -1 : found, provenance: textAt(table, "provenance", i), board: textAt(table, "board", i),
      time_ms: table.columns.time_ms[i], power_w: table.columns.power_w[i], energy_j: table.columns.energy_j[i],
    });
  }
  return points.filter((point) => point.time_ms > 0 && point.power_w > 0);
}

// Returns, for each cost, the mean absolute error in percent and the number of points within the
// interval.
export function agreement(points, cloud) {
  const both = points.filter((point) => point.row >= 0);
  return ["time_ms", "power_w", "energy_j"].map((cost) => {
    const [name, unit] = cost.split("_");
    let error = 0, held = 0;
    both.forEach((point) => {
      const predicted = cloud.columns[cost][point.row];
      error += Math.abs(predicted - point[cost]) / point[cost];
      const lo = cloud.columns[`${name}_lo_${unit}`][point.row], hi = cloud.columns[`${name}_hi_${unit}`][point.row];
      if (point[cost] >= lo && point[cost] <= hi) ++held;
    });
    return { cost: name, points: both.length, mean_error_pct: both.length ? 100 * error / both.length : null, within_interval: `${held} of ${both.length}` };
  });
}
