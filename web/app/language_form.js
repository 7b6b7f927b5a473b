// The question about a language model, as read from the address, and its form: model, board,
// engine, quantization, lengths of prompt and answer, number of simultaneous sequences.
import { html } from "./standalone.module.js";
import { ErrorLine, Select, Slider, number } from "./controls.js";
import { noMode, useBoards, useChoices, useOnce } from "./questions.js";
import { Upload } from "./workload_form.js";

const languageDefaults = { model: "zoo:llama-3.1-8b", device: "orin-nano-8gb", prompt: 512, generate: 256, concurrency: 1 };
const asStored = "as stored, or in about 4 bits";

export const languageKeys = ["model", "file", "device", "runtime", "quantization", "kv-type", "prompt", "generate", "concurrency"];

const powers = (from, to) => {
  const list = [];
  for (let value = from; value <= to; value *= 2) list.push(value);
  return list;
};
const steps = { prompt: powers(16, 131072), generate: powers(16, 16384), concurrency: powers(1, 256) };
const nearestStep = (name, query) => {
  const wanted = Number(query[name] || languageDefaults[name]);
  return steps[name].reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));
};

export function languageQuestion(query) {
  return {
    model: query.model || languageDefaults.model, device: query.device || languageDefaults.device,
    runtime: query.runtime || undefined, quantization: query.quantization || undefined, "kv-type": query["kv-type"] || undefined,
    prompt: nearestStep("prompt", query), generate: nearestStep("generate", query), concurrency: nearestStep("concurrency", query),
  };
}

// The same question for `fits`: the memory after the last token.
export const fitsQuestion = ({ model, device, quantization, prompt, generate, concurrency, "kv-type": kv }) =>
  ({ model, device, quantization, context: prompt + generate, batch: concurrency, "kv-type": kv });

export function LanguageForm({ query, setQuery, quantizations }) {
  const now = languageQuestion(query);
  const models = useOnce("zoo", { language: 1 }), boards = useBoards(now.device);
  const entries = models.json ? models.json.rows.map((row) => ({ value: `zoo:${row.name}`, label: `${row.name}: ${number(row.parameters / 1e9, 3)} billion weights`, group: "Zoo" })) : [];
  if (!entries.some((entry) => entry.value === now.model)) entries.unshift({ value: now.model, label: query.file || now.model, group: now.model.startsWith("upload:") ? "Your file" : "" });
  const otherBoard = (device) => setQuery({ device, ...noMode }, { push: true });
  const put = (name) => (value) => setQuery({ [name]: value || undefined }, { push: true });
  const engines = useChoices("llm", "runtime", now.runtime || "llama.cpp");
  const kvTypes = useChoices("llm", "kv-type", now["kv-type"] || "f16");
  const names = [{ value: "", label: asStored }, ...quantizations.map((name) => ({ value: name, label: name }))];
  if (now.quantization && !quantizations.includes(now.quantization)) names.push({ value: now.quantization, label: now.quantization });
  const slider = (name, label, unit) => html`<${Slider} label=${label} unit=${unit} values=${steps[name]} value=${now[name]} onInput=${(value) => setQuery({ [name]: value })} />`;
  return html`<fieldset><legend>Model</legend>
    <${ErrorLine} error=${models.error || boards.error} />
    <${Select} label="Model" value=${now.model} options=${entries} onChange=${(model) => setQuery({ model, file: undefined, quantization: undefined }, { push: true })} />
    <${Upload} label="Upload config.json or a GGUF file" accept=".json,.gguf,.safetensors" hint="or drop config.json here, or a GGUF or safetensors file of at most 64 MB"
      onDone=${(model, file) => setQuery({ model, file, quantization: undefined }, { push: true })} />
    <${Select} label="Board" value=${now.device} options=${boards.names} onChange=${otherBoard} />
    <${Select} label="Quantization" value=${now.quantization || ""} options=${names} onChange=${put("quantization")} />
    <div class="pair"><${Select} label="Runtime" value=${now.runtime || ""} options=${[{ value: "", label: "usual" }, ...engines]} onChange=${put("runtime")} />
      <${Select} label="Cache" value=${now["kv-type"] || ""} options=${[{ value: "", label: "f16" }, ...kvTypes.filter((type) => type !== "f16")]} onChange=${put("kv-type")} /></div></fieldset>
    <fieldset><legend>Request</legend>
    ${slider("prompt", "Prompt", "tokens")}${slider("generate", "Answer", "tokens")}${slider("concurrency", "Sequences at once", "")}</fieldset>`;
}
