// Selects the measured points to show: an uploaded sweep, or a workload of the server's stores.
import { html, useEffect, useMemo, useState } from "./standalone.module.js";
import { get, getText } from "./api.js";
import { fileOf } from "./kept_files.js";
import { ErrorLine, Provenance, Select, Table } from "./controls.js";
import { agreement, differences, pointsOf, readSweep, workloadsOf } from "./measured.js";
import { useReply, workloadOf } from "./questions.js";
import { Upload } from "./workload_form.js";

// The text of an uploaded file from this browser's copy; null if there is no copy, undefined while
// it is being read.
function useKeptText(upload) {
  const [kept, setKept] = useState({});
  useEffect(() => {
    let gone = false;
    const show = (text) => gone || setKept({ upload, text });
    if (upload) fileOf(upload).then((found) => (found ? found.file.text().then(show) : show(null)));
    return () => { gone = true; };
  }, [upload]);
  return kept.upload === upload ? kept.text : undefined;
}

// Returns { question, points, differs, compared, workloads, workload, batch, error } for the sweep
// that the address names: sweep=upload:ID, or store=N with workload=NAME:KIND.
export function useMeasured(query, cloud) {
  const stored = query.store !== undefined;
  const [name, kind] = (query.workload || "").split(":");
  const exported = useReply("runs/export", stored && query.workload ? { store: query.store, workload: name, kind } : null, getText);
  const kept = useKeptText(query.sweep);
  // In another browser there is no copy of the file. The server may still have it and returns its
  // front.
  const front = useReply("pareto", query.sweep && kept === null ? { sweep: query.sweep, workload: query.workload, format: "csv" } : null, getText);
  const text = stored ? exported.text : query.sweep ? kept || front.text : undefined;
  const table = useMemo(() => (text ? readSweep(text) : undefined), [text]);
  const workloads = useMemo(() => (table ? workloadsOf(table) : []), [table]);
  const workload = workloads.find((one) => one.name === query.workload) || workloads[0];
  const wanted = Number(query["measured-batch"]);
  const batch = workload && (workload.batches.includes(wanted) ? wanted : workload.batches[0]);
  const found = useMemo(() => (table && workload ? pointsOf(table, workload.name, batch, cloud) : undefined), [table, workload && workload.name, batch, cloud]);
  const asked = workloadOf(query);
  const usual = asked.training ? 16 : 1;
  const differs = found && found.length ? differences({ name: workload.name, board: found[0].board, batch }, { ...asked, file: query.file, batch: Number(asked.batch) || usual }) : [];
  const compared = differs.length === 0 || query.compare === "1";
  // If the sweep belongs to another question, its points are shown without predictions.
  const points = useMemo(() => (found && !compared ? found.map((point) => ({ ...point, row: -1 })) : found), [found, compared]);
  const error = (stored ? exported.error : front.error) || (text && table === null ? new Error("this CSV is not a sweep: it needs cpu_cores, cpu_mhz, gpu_mhz, mem_mhz, time_ms and power_w") : null);
  return { question: query.sweep && workload ? { sweep: query.sweep, workload: workload.name } : null, points, differs, compared, workloads, workload, batch, error, onlyFront: Boolean(query.sweep && !kept && front.text) };
}

// The workloads of all stores, requested when the user opens the list.
async function listRuns() {
  const { json } = await get("stores");
  const lists = await Promise.all(json.rows.map(async (store) => (await get("runs", { store: store.store })).json.rows.map((row) => ({ store: store.store, file: store.name, workload: [row.workload, row.kind].filter(Boolean).join(":") }))));
  const runs = new Map(lists.flat().map((run) => [`${run.store} ${run.workload}`, run]));
  return { runs, several: json.rows.length > 1, none: json.rows.length === 0 };
}

function StoreChoice({ query, setQuery }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const list = () => listRuns().then((runs) => { setFound(runs); setError(null); }, setError);
  if (!found) return html`<div><button type="button" onClick=${list}>Choose from the store</button><${ErrorLine} error=${error} /></div>`;
  if (found.none) return html`<p class="faint note" role="status">The server was started without --store.</p>`;
  if (!found.runs.size) return html`<p class="faint note" role="status">The store is empty.</p>`;
  const choose = (key) => {
    const run = found.runs.get(key);
    setQuery({ store: run && run.store, workload: run && run.workload, sweep: undefined, sweepfile: undefined, "measured-batch": undefined, compare: undefined }, { push: true });
  };
  const options = [...found.runs].map(([value, run]) => ({ value, label: found.several ? `${run.workload} (${run.file})` : run.workload }));
  return html`<${Select} label="Workload of the store" value=${query.store === undefined ? "" : `${query.store} ${query.workload}`} options=${[{ value: "", label: "none" }, ...options]} onChange=${choose} />`;
}

export function MeasuredForm({ query, setQuery, measured }) {
  const take = (sweep, sweepfile) => {
    setQuery({ sweep, sweepfile, store: undefined, workload: undefined, "measured-batch": undefined, compare: undefined }, { push: true });
  };
  const shownNow = query.sweep || query.store !== undefined;
  return html`<fieldset><legend>Points of a sweep</legend>
    <${Upload} label="Upload a sweep (CSV)" accept=".csv" hint="drop the CSV of a sweep here" onDone=${take} />
    <${StoreChoice} query=${query} setQuery=${setQuery} />
    <${ErrorLine} error=${measured.error} />
    ${query.sweep && html`<p class="note">${query.sweepfile || query.sweep}</p>`}
    ${query.sweep && measured.workloads.length > 1 && html`<${Select} label="Workload" value=${measured.workload.name} options=${measured.workloads.map((one) => one.name)} onChange=${(workload) => setQuery({ workload })} />`}
    ${measured.workload && measured.workload.batches.length > 1 && html`<${Select} label="Measured batch" value=${String(measured.batch)} options=${measured.workload.batches.map(String)} onChange=${(value) => setQuery({ "measured-batch": value })} />`}
    ${shownNow && html`<button type="button" onClick=${() => setQuery({ sweep: undefined, sweepfile: undefined, store: undefined, workload: undefined, "measured-batch": undefined, compare: undefined }, { push: true })}>Take them away</button>`}</fieldset>`;
}

const agreementColumns = [{ key: "cost", label: "cost" }, { key: "points", label: "points" }, { key: "mean_error_pct", label: "mean error (%)", digits: 3 }, { key: "within_interval", label: "within the 90 % interval" }];

// The agreement between the prediction for the chosen model and the measured points. If their
// workload, board or batch have different names, they are compared only if the user asks for it.
export function Agreement({ measured, cloud, setQuery }) {
  if (!measured.points || !measured.points.length) return html`<p class="faint">No points of this workload and batch.</p>`;
  const kinds = [...new Set(measured.points.map((point) => point.provenance).filter(Boolean))];
  return html`<div><${Provenance} kind=${kinds[0]} text=${`${measured.points.length} points of ${measured.workload.name}, minibatch of ${measured.batch}${measured.onlyFront ? "; the front only: the file itself is in the browser that uploaded it" : ""}`} />
    ${measured.differs.length > 0 && html`<p class="warn note" role="alert">The sweep may not match the question: ${measured.differs.join("; ")}.${" "}
      <button type="button" onClick=${() => setQuery({ compare: measured.compared ? undefined : 1 })}>${measured.compared ? "Do not compare them" : "Compare them anyway"}</button></p>`}
    ${cloud && measured.compared && html`<p class="faint note">Predictions are for the model chosen above, in the same modes.</p>
      <${Table} label="Predicted and measured" columns=${agreementColumns} rows=${agreement(measured.points, cloud)} />`}</div>`;
}
