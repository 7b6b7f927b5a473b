// Data of the Runs page: the content of the server's stores, requested every few seconds because
// points may be added; the points of a run; and the common points of two runs.
import { useEffect, useRef, useState } from "./standalone.module.js";
import { get, getText } from "./api.js";
import { parseCsv } from "./cloud.js";

const eachMs = 2500;

// Returns { stores: [{ number, name, rows, command, error }], error }. Requests it again while the
// page is visible.
export function useStores() {
  const [state, setState] = useState({ stores: null });
  useEffect(() => {
    let gone = false, timer = 0, last = "";
    const look = async () => {
      if (document.visibilityState === "visible") {
        let next;
        try { next = { stores: await allStores(), error: null }; } catch (error) { next = { error: Object.assign(error, { again: look }) }; }
        if (gone) return;
        const text = JSON.stringify(next);
        // After an error, the last stores stay.
        if (text !== last || next.error) setState((old) => ({ ...old, ...next }));
        last = text;
      }
      clearTimeout(timer);
      timer = setTimeout(look, eachMs);
    };
    look();
    return () => { gone = true; clearTimeout(timer); };
  }, []);
  return state;
}

async function allStores() {
  const { json } = await get("stores");
  return Promise.all(json.rows.map(async (store) => {
    try {
      const reply = await get("runs", { store: store.store });
      return { number: store.store, name: store.name, rows: reply.json.rows, command: reply.command };
    } catch (error) {
      return { number: store.store, name: store.name, rows: [], error: error.message };
    }
  }));
}

export const runKey = (run) => [run.store, run.board, run.workload, run.kind, run.provenance].map(encodeURIComponent).join("~");
export const runsOf = (stores) => (stores || []).flatMap((store) => store.rows.map((row) => ({ ...row, store: store.number, file: store.name })));
export const exportParams = (run) => ({ store: run.store, workload: run.workload, kind: run.kind, device: run.board });

// The points of a run. Requests them again when the store has more.
export function usePoints(run) {
  const [state, setState] = useState({});
  const key = run ? `${runKey(run)} ${run.points}` : "";
  const asked = useRef("");
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (!run) return setState({});
    let gone = false;
    if (asked.current !== runKey(run)) setState({});
    asked.current = runKey(run);
    getText("runs/export", exportParams(run)).then(
      ({ text, command }) => gone || setState({ rows: rowsOf(text, run.provenance), command }),
      (error) => gone || setState({ error: Object.assign(error, { again: () => setRound((n) => n + 1) }) }));
    return () => { gone = true; };
  }, [key, round]);
  return state;
}

export function rowsOf(text, provenance) {
  const { count, columns } = parseCsv(text);
  const names = Object.keys(columns);
  const rows = [];
  for (let i = 0; i < count; ++i) {
    const row = Object.fromEntries(names.map((name) => [name, columns[name][i]]));
    if (provenance && row.provenance !== provenance) continue;
    if (!(row.energy_j > 0)) row.energy_j = (row.time_ms / 1e3) * row.power_w;
    rows.push(row);
  }
  return rows;
}

const pointKey = (row) => [row.cpu_cores, row.cpu_mhz, row.gpu_mhz, row.mem_mhz, row.governor, row.batch].map((value) => (Number.isNaN(value) || value === undefined ? "" : value)).join(" ");

// Points that occur in both runs, with the ratios of their costs (second to first).
export function joined(a, b) {
  const other = new Map(b.map((row) => [pointKey(row), row]));
  return a.flatMap((row) => {
    const match = other.get(pointKey(row));
    return match ? [{ ...row, time_ratio: match.time_ms / row.time_ms, power_ratio: match.power_w / row.power_w, energy_ratio: match.energy_j / row.energy_j }] : [];
  });
}

// The geometric mean of a ratio. Exchanging the two runs inverts it.
export const meanRatio = (rows, name) => (rows.length ? Math.exp(rows.reduce((sum, row) => sum + Math.log(row[name]), 0) / rows.length) : NaN);
