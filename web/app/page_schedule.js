// The Schedule page: training and inference on one board. It shows the plan of `ridgewatt schedule
// plan` and its simulation by `ridgewatt schedule simulate`: timeline, power, latencies. Workloads
// are models, whose costs come from the board's twin, or uploaded sweeps. The address contains all
// values of the form.
import { html, useRef } from "./standalone.module.js";
import { address } from "./api.js";
import { Chart, DownloadBar, ErrorLine, NumberField, Provenance, Select, Table, duration, number } from "./controls.js";
import { defaults as usual, freshness, modeWords, useBoards, useChoices, useModels, useReply } from "./questions.js";
import { Intro, Side as Form, Strip, Term } from "./strip.js";
import { Upload } from "./workload_form.js";

export const title = "Schedule";
export const keys = ["training", "training_file", "inference", "inference_file", "device", "runtime", "precision", "rate", "arrivals", "max-latency", "max-power",
  "tbatch", "ibatch", "duration", "seed"];
// Names in addresses of older versions -> current names.
export const aliases = { latency: "max-latency", power: "max-power" };

const defaults = { training: "zoo:resnet18", inference: "zoo:mobilenet_v3_large", device: "agx-orin", rate: "60", "max-latency": "1000", "max-power": "30",
  arrivals: "poisson", duration: "600", runtime: usual.runtime, precision: usual.precision };
const none = "none";
const isSweep = (query, side) => (query[`${side}_file`] || "").toLowerCase().endsWith(".csv");

// The parameters of `schedule plan`, from the address.
export function planParams(query) {
  const of = (name) => query[name] || defaults[name];
  const sides = ["training", "inference"].filter((side) => of(side) !== none);
  const params = {};
  sides.forEach((side) => { params[isSweep(query, side) ? `${side}-sweep` : side] = of(side); });
  if (params.training) params["training-batch"] = query.tbatch;
  if (params.inference) {
    params["inference-batch"] = query.ibatch;
    params["inference-runtime"] = of("runtime") === usual.runtime ? undefined : of("runtime");
    params["inference-precision"] = of("precision") === usual.precision ? undefined : of("precision");
  }
  if (params.training || params.inference) params.device = of("device");
  if (sides.includes("inference")) {
    params["arrival-rate"] = of("rate");
    params["max-latency"] = query["max-latency"] === none ? undefined : of("max-latency");
  }
  params["max-power"] = query["max-power"] === none ? undefined : of("max-power");
  return sides.length ? params : null;
}

// The parameters of `schedule simulate`: those of the plan and further ones.
export function simulateParams(query) {
  const params = planParams(query);
  if (!params) return null;
  const arrives = params["arrival-rate"] !== undefined;
  return { ...params, arrivals: arrives ? query.arrivals || defaults.arrivals : undefined, duration: query.duration || defaults.duration, seed: query.seed };
}

function Side({ side, legend, query, setQuery, models, children }) {
  const value = query[side] || defaults[side];
  const entries = [{ value: none, label: "none" }, ...(models.json ? models.json.rows.map((row) => ({ value: `zoo:${row.name}`, label: `${row.name}: ${row.description.split(/[,(]/)[0]}`, group: "Zoo" })) : [])];
  if (!entries.some((entry) => entry.value === value)) entries.push({ value, label: query[`${side}_file`] || value, group: value.startsWith("upload:") ? "Your file" : "Zoo" });
  const put = (changes) => setQuery(changes, { push: true });
  return html`<fieldset><legend>${legend}</legend>
    <${Select} label=${`Model of the ${side}`} value=${value} options=${entries} onChange=${(model) => put({ [side]: model, [`${side}_file`]: undefined })} />
    <${Upload} label=${`Upload a sweep or model of the ${side}`} accept=".csv,.onnx" hint="or drop a sweep (CSV) or an ONNX file here" onDone=${(id, file) => put({ [side]: id, [`${side}_file`]: file })} />
    ${children}</fieldset>`;
}

function Fields({ query, setQuery }) {
  const of = (name) => query[name] || defaults[name];
  const models = useModels(), boards = useBoards(of("device"));
  const arrivals = useChoices("schedule/simulate", "arrivals", of("arrivals"));
  const runtimes = useChoices("estimate", "runtime", of("runtime")), precisions = useChoices("estimate", "precision", of("precision"));
  const put = (name) => (value) => setQuery({ [name]: value === undefined || String(value) === defaults[name] ? undefined : value }, { push: true });
  const limit = (name) => (value) => setQuery({ [name]: value === undefined ? none : String(value) === defaults[name] ? undefined : value }, { push: true });
  const shown = (name) => (query[name] === none ? "" : of(name));
  const side = { query, setQuery, models };
  return html`<${ErrorLine} error=${models.error || boards.error} />
    <${Side} ...${side} side="training" legend="Training">
      ${!isSweep(query, "training") && html`<${NumberField} label="Training batch" value=${query.tbatch} min=${1} step=${1} placeholder="16" onChange=${put("tbatch")} />`}<//>
    <${Side} ...${side} side="inference" legend="Inference">
      ${!isSweep(query, "inference") && html`<div class="pair"><${Select} label="Runtime" value=${of("runtime")} options=${runtimes} onChange=${put("runtime")} />
        <${Select} label="Precision" value=${of("precision")} options=${precisions} onChange=${put("precision")} /></div>`}
      <div class="pair"><${NumberField} label="Arrival rate" unit="1/s" value=${of("rate")} onChange=${put("rate")} />
        <${Select} label="Arrivals" value=${of("arrivals")} options=${arrivals} onChange=${put("arrivals")} /></div><//>
    <fieldset><legend>Board and limits</legend>
      <${Select} label="Board" value=${of("device")} options=${boards.names} onChange=${put("device")} />
      <div class="pair"><${NumberField} label="Worst latency" unit="ms" value=${shown("max-latency")} onChange=${limit("max-latency")} />
        <${NumberField} label="Power budget" unit="W" value=${shown("max-power")} onChange=${limit("max-power")} /></div>
      <div class="pair"><${NumberField} label="Simulated time" unit="s" value=${of("duration")} min=${1} max=${86400} onChange=${put("duration")} />
        <${NumberField} label="Seed" value=${query.seed} min=${0} step=${1} placeholder="1" onChange=${put("seed")} /></div></fieldset>`;
}

function Answer({ plan }) {
  const point = plan.feasible ? plan : plan.nearest_miss;
  if (!point) return null;
  const fact = (name, value, unit, note) => html`<div key=${name}><dt>${name}</dt><dd><span data-answer=${name}>${value}</span>${unit && html` <small>${unit}</small>`}</dd>${note && html`<dd>${note}</dd>`}</div>`;
  const inference = point.batch !== undefined && point.batch !== null;
  return html`${!plan.feasible && html`<p class="error" role="alert">No plan meets these limits. The nearest misses ${point.misses}.</p>`}
    <dl class="answers">
      ${fact("Training", number(point.training_throughput), "minibatches/s", inference ? `${point.training_minibatches_per_cycle} per cycle of ${number(point.period_ms)} ms` : "")}
      ${inference && fact("Worst latency", number(point.latency_ms), "ms", `with constant arrivals; batches of ${point.batch}, ${number(point.inference_time_ms)} ms each; bound: ${plan.bound}`)}
      ${fact("Peak power", number(point.power_w), "W", `mean ${number(point.mean_power_w)} W; idle ${number(point.idle_power_w)} W`)}
      ${fact("Device in use", number(100 * point.utilization, 3), "%")}</dl>
    <p><b>Mode</b>: <span data-answer="mode">${modeWords(point.mode)}</span></p>`;
}

const sharingColumns = [{ key: "sharing", label: "sharing" }, { key: "latency_p50_ms", label: "latency p50 (ms)" }, { key: "latency_p99_ms", label: "p99 (ms)" }, { key: "latency_worst_ms", label: "worst (ms)" },
  { key: "violations", label: "late", digits: 7 }, { key: "unserved", label: "unserved", digits: 7 }, { key: "requests", label: "requests", digits: 9 }, { key: "training_throughput", label: "training (1/s)" },
  { key: "power_mean_w", label: "mean power (W)" }, { key: "power_peak_w", label: "peak (W)" }, { key: "energy_j", label: "energy (J)" }];

function Figure({ figure, name }) {
  const handle = useRef(null);
  return html`<div><${Chart} figure=${figure} renderer="svg" onReady=${(ready) => { handle.current = ready; }} />
    <${DownloadBar} name=${name} svg=${() => handle.current.picture()} /></div>`;
}

const capital = (name) => (name === "poisson" ? "Poisson" : name);

function Simulation({ params, query }) {
  const { json, command, error, stale } = useReply("schedule/simulate", { ...params, figures: 1 });
  const arrives = params["arrival-rate"] !== undefined;
  const managed = json && params.arrivals !== "constant" && json.results.find((one) => one.sharing === "managed" && one.latency_worst_ms > 0);
  return html`<h2>Under ${arrives ? `${capital(query.arrivals || defaults.arrivals)} arrivals` : "load"}</h2><${ErrorLine} error=${error} />
    ${!json && !error && html`<p class="faint" role="status">Simulating</p>`}
    ${json && html`<div class=${stale ? "stale" : ""}>
      ${managed && html`<p>The plan is for constant arrivals. Simulated with these arrivals, its worst latency is <b data-answer="Simulated latency">${duration(managed.latency_worst_ms)}</b>, and ${managed.violations === 0 ? "no request is late" : `${number(managed.violations, 7)} of ${number(managed.requests, 9)} requests are late`}.</p>`}
      <div class="faint note">Ways of sharing <${Term} of="Managed interleaving" /></div>
      <${Table} columns=${sharingColumns} rows=${json.results} label="Ways of sharing the device" />
      <div class="charts dense">${(json.figures || []).map((figure, i) => html`<${Figure} key=${figure.title + i} figure=${figure} name=${`schedule_${i + 1}`} />`)}</div></div>`}
    <${DownloadBar} command=${command} name="simulation" csv=${address("schedule/simulate", { ...params, format: "csv" })} json=${address("schedule/simulate", params)} />`;
}

export function Page({ query, setQuery }) {
  const params = planParams(query);
  const reply = useReply("schedule/plan", params);
  const { json, command, error, stale } = reply;
  const miss = error && error.status === 422 && error.json && error.json.nearest_miss ? error.json : null;
  const plan = params ? miss || (error ? null : json) : null;
  const best = plan && plan.feasible ? plan : null;
  const sides = ["training", "inference"].map((side) => query[`${side}_file`] || (query[side] || defaults[side]).replace(/^zoo:/, ""));
  return html`<h1>Schedule</h1>
    <${Intro} terms=${["Minibatch", "Cycle", "Managed interleaving"]}>Training and inference share one board. Which mode and which batches train fastest while every request is answered in time?</${Intro}>
    <${Strip} on=${query.device || defaults.device} items=${best && [params["arrival-rate"] !== undefined && params.training === undefined && params["training-sweep"] === undefined ? "" : `${number(best.training_throughput, 3)} minibatches/s trained`,
      best.latency_ms ? `worst latency ${duration(best.latency_ms)} with constant arrivals` : "", `peak ${number(best.power_w, 3)} W`]} stale=${stale} empty=${params ? (plan || error ? "No plan meets these limits" : "Planning") : "Nothing to plan"} />
    <div class="sided"><${Form} summary=${`Training ${sides[0]}, inference ${sides[1]}, on ${query.device || defaults.device}`}><${Fields} query=${query} setQuery=${setQuery} /></${Form}>
    <div>${!params && html`<p>Choose a training, an inference, or both.</p>`}
      <${ErrorLine} error=${miss ? null : error} />
      ${params && !plan && !error && html`<p class="faint" role="status">Planning</p>`}
      ${plan && html`<div class=${freshness(reply)}><${Answer} plan=${plan} />
        <${Provenance} kind=${plan.provenance} text=${[plan.workload, plan.board && `on ${plan.board}`, `idle power: ${plan.idle_power}`].filter(Boolean).join("; ")} /></div>
        <${DownloadBar} command=${command} name="plan" csv=${address("schedule/plan", { ...params, format: "csv" })} json=${address("schedule/plan", params)} />`}
      ${plan && plan.feasible && html`<${Simulation} params=${simulateParams(query)} query=${query} />`}</div></div>`;
}
