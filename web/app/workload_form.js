// The form for the workload: a model of the zoo or an uploaded file, board, runtime, precision,
// batch.
import { html, useMemo, useState } from "./standalone.module.js";
import { send } from "./api.js";
import { Check, ErrorLine, NumberField, Select } from "./controls.js";
import { defaults, noMode, useBoards, useChoices, useModels, workloadOf } from "./questions.js";

// Uploads a file. The server keeps it in memory for a limited time and never on disk; this browser
// keeps a copy (kept_files.js).
export function Upload({ label, accept, hint, onDone }) {
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const take = async (file) => {
    if (!file) return;
    setBusy(true);
    setError(null);
    try {
      await onDone(await send(file), file.name);
    } catch (fault) { setError(fault); }
    setBusy(false);
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return html`<label class=${over ? "drop over" : "drop"} onDragOver=${(e) => { e.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <span>${busy ? "Sending" : hint}</span>
    <input type="file" accept=${accept} aria-label=${label} disabled=${busy} onChange=${(e) => { take(e.target.files[0]); e.target.value = ""; }} />
    <${ErrorLine} error=${error} /></label>`;
}

export function WorkloadForm({ query, setQuery }) {
  const models = useModels();
  const now = { ...defaults, ...Object.fromEntries(Object.entries(workloadOf(query)).filter(([, value]) => value !== undefined)) };
  const runtimes = useChoices("estimate", "runtime", now.runtime), precisions = useChoices("estimate", "precision", now.precision);
  const entries = useMemo(() => {
    const zoo = models.json ? models.json.rows.map((row) => ({ value: `zoo:${row.name}`, label: row.description ? `${row.name}: ${row.description.split(/[,(]/)[0]}` : row.name, group: "Zoo" })) : [];
    if (zoo.some((entry) => entry.value === now.model)) return zoo;
    return [{ value: now.model, label: query.file || now.model, group: now.model.startsWith("upload:") ? "Your file" : "" }, ...zoo];
  }, [models.json, now.model, query.file]);
  const boards = useBoards(now.device);
  const otherBoard = (device) => setQuery({ device, ...noMode }, { push: true });
  const put = (name) => (value) => setQuery({ [name]: value === defaults[name] ? undefined : value }, { push: true });
  return html`<fieldset><legend>Workload</legend>
    <${ErrorLine} error=${models.error || boards.error} />
    <${Select} label="Model" value=${now.model} options=${entries} onChange=${(model) => setQuery({ model, file: undefined }, { push: true })} />
    <${Upload} label="Upload an ONNX file" accept=".onnx" hint="or drop an ONNX file here" onDone=${(model, file) => setQuery({ model, file }, { push: true })} />
    <${Select} label="Board" value=${now.device} options=${boards.names} onChange=${otherBoard} />
    <div class="pair"><${Select} label="Runtime" value=${now.runtime} options=${runtimes} onChange=${put("runtime")} />
      <${Select} label="Precision" value=${now.precision} options=${precisions} onChange=${put("precision")} /></div>
    <div class="pair"><${NumberField} label="Batch" value=${now.batch} min=${1} step=${1} placeholder=${now.training ? "16" : "1"} onChange=${(batch) => setQuery({ batch }, { push: true })} />
      <${Check} label="Training" checked=${now.training} onChange=${(on) => setQuery({ training: on ? 1 : undefined }, { push: true })} /></div>
  </fieldset>`;
}
