// The table of all modes of a board with their costs (the CSV that the command line prints), and
// functions that search it.

// Parses a CSV into columns: numbers as Float64Array (NaN where there is no value), texts as
// arrays.
export function parseCsv(text) {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const split = (line) => (line.includes('"') ? [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] !== undefined ? m[1].replace(/""/g, '"') : m[2])) : line.split(","));
  const names = split(lines.shift() || "");
  const rows = lines.map(split);
  const columns = {};
  names.forEach((name, c) => {
    const numbers = new Float64Array(rows.length);
    const numeric = rows.every((row, i) => {
      const missing = row[c] === undefined || row[c] === "";
      numbers[i] = missing ? NaN : Number(row[c]);
      return missing || isFinite(numbers[i]);
    });
    columns[name] = numeric ? numbers : rows.map((row) => row[c]);
  });
  return { count: rows.length, columns };
}

// The knobs that the rows have; without a GPU there is no gpu_mhz.
const knobNames = (cloud) => ["cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz"].filter((name) => cloud.columns[name] && cloud.columns[name][0] > 0);
// The governor of a row: for a power limit its name, such as "100W", otherwise undefined.
const governorAt = (cloud, i) => (cloud.columns.governor || [])[i] || undefined;
export function modeAt(cloud, i) {
  const knobs = Object.fromEntries(knobNames(cloud).map((name) => [name, cloud.columns[name][i]]));
  const governor = governorAt(cloud, i);
  return governor ? { ...knobs, governor } : knobs;
}

// The row index of a mode, or -1. The clocks in the row of a power limit are those at which it
// settles, so its name alone identifies it.
export function rowOf(cloud, mode) {
  const knobs = mode.governor ? [] : knobNames(cloud).map((name) => [mode[name], cloud.columns[name]]);
  for (let i = 0; i < cloud.count; ++i) if (governorAt(cloud, i) === mode.governor && knobs.every(([value, column]) => column[i] === value)) return i;
  return -1;
}

// Rows of fixed clocks that differ from `mode` at most in `knob`, sorted by this knob.
export function along(cloud, mode, knob) {
  const others = knobNames(cloud).filter((name) => name !== knob).map((name) => [mode[name], cloud.columns[name]]);
  const rows = [];
  for (let i = 0; i < cloud.count; ++i) if (!governorAt(cloud, i) && others.every(([value, column]) => column[i] === value)) rows.push(i);
  return rows.sort((a, b) => cloud.columns[knob][a] - cloud.columns[knob][b]);
}

export function least(cloud, cost, rows) {
  let best = -1;
  const values = cloud.columns[cost];
  const look = (i) => { if (values[i] > 0 && (best < 0 || values[i] < values[best])) best = i; };
  if (rows) rows.forEach(look);
  else for (let i = 0; i < cloud.count; ++i) look(i);
  return best;
}

// The Pareto front: rows for which no other row is lower in both costs, sorted by the first cost.
export function front(cloud, x, y) {
  const xs = cloud.columns[x], ys = cloud.columns[y];
  const order = Array.from({ length: cloud.count }, (_, i) => i).filter((i) => xs[i] > 0 && ys[i] > 0).sort((a, b) => xs[a] - xs[b] || ys[a] - ys[b]);
  let lowest = Infinity;
  return order.filter((i) => { const better = ys[i] < lowest; if (better) lowest = ys[i]; return better; });
}
