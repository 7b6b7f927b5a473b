// The Explore page: the cost of a model on a board at clocks that the user sets with sliders, the
// roofline with the layers, the cost over a knob, and a table of layers. The numbers are those of
// `ridgewatt estimate` and `ridgewatt roofline`.
import { html, useMemo, useRef, useState } from "./standalone.module.js";
import { address, get, getText } from "./api.js";
import { Chart, DownloadBar, ErrorLine, NumberField, Provenance, Select, Table, grouped, number, useThemeCount } from "./controls.js";
import { modeAt, parseCsv, rowOf } from "./cloud.js";
import { costOverKnob, costs, knobOf, onStillAxes } from "./explore_charts.js";
import { ModeForm } from "./mode_form.js";
import { Pinned, pinKey } from "./pinned.js";
import { clocksOf, cloudColumns, freshness, knobsOf, modeKeys, modeName, modeOf, modeText, modeWords, queryOfMode, shown, useBoard, useChoices, useReply, workloadKeys, workloadLine, workloadOf } from "./questions.js";
import { Intro, Remarks, Sentences, Side, Strip, Term, costItems, costSpread } from "./strip.js";
import { everywhere, hashOf } from "./state.js";
import { WorkloadForm } from "./workload_form.js";

export const title = "Explore";
export const keys = [...workloadKeys, ...modeKeys, "over", "cost", "rate", pinKey];

// The costs of a mode from the table of all modes, which are available before the server answers.
const costKeys = ["time_ms", "time_lo_ms", "time_hi_ms", "power_w", "power_lo_w", "power_hi_w", "energy_j", "energy_lo_j", "energy_hi_j"];
function costsAt(table, mode) {
  const row = table ? rowOf(table, mode) : -1;
  return row < 0 ? null : Object.fromEntries(costKeys.map((key) => [key, table.columns[key][row]]));
}

function Answer({ name, value, lo, hi, unit, against, digits = 4 }) {
  const factor = against > 0 && value > 0 && value !== against ? value / against : null;
  return html`<div><dt>${name}</dt><dd><span data-answer=${name}>${number(value, digits)}</span> <small>${unit}</small></dd>
    ${typeof lo === "number" && html`<dd>90 %: ${number(lo, 3)} to ${number(hi, 3)} ${unit}</dd>`}
    ${factor && html`<dd>${number(factor, 3)} times the highest clocks' ${number(against, digits)} ${unit}</dd>`}</div>`;
}

// What takes most of the time, in words.
const bounds = { launch: "kernel launches", memory: "memory traffic", compute: "computation", host: "work of the CPU", loader: "waiting for data" };

const secondsOfDay = 86400, joulesOfKwh = 3.6e6;

// Requests arrive at `rate` per second, one sample each, and the board idles between minibatches.
// Requests wait for no loader, as in `schedule plan`, so the estimate has a loader time of 0. idle_w
// is the power between minibatches. The time of a minibatch is its energy over its power, so that
// the mean power stays between idle and busy power.
function PerDay({ question, rate, setQuery }) {
  const reply = useReply("estimate", rate > 0 && { ...question, "loader-time": 0 });
  return html`<div class="row per-day"><${NumberField} label="Requests per second" value=${rate || undefined} placeholder="for example 30" onChange=${(value) => setQuery({ rate: value })} /><span role="status">${rate > 0 && reply.json ? html`<${Day} one=${reply.json.estimates[0]} rate=${rate} stale=${reply.stale} />` : html`<span class="faint">${rate > 0 ? "Asking" : "Enter a rate to get the energy of a day."}</span>`}</span></div>`;
}

function Day({ one, rate, stale }) {
  const mostAt = (time_ms) => 1000 * one.batch / time_ms, busy = rate / mostAt(one.time_ms);
  const mean = (energy, power) => one.idle_w + Math.min(1, rate * energy / power / one.batch) * (power - one.idle_w);
  const day = (...cost) => number(mean(...cost) * secondsOfDay / joulesOfKwh, 3);
  const slow = mostAt(one.time_hi_ms);
  return busy > 1 ? html`<b class="warn">Too many: this mode computes at most ${number(mostAt(one.time_ms), 3)} samples/s.</b>`
    : html`<span class=${stale ? "stale" : ""}><b><span data-answer="Day">${day(one.energy_j, one.power_w)}</span> kWh per day</b> ${one.energy_lo_j !== undefined && html` (<span data-answer="Day interval">${day(one.energy_lo_j, one.power_lo_w)} to ${day(one.energy_hi_j, one.power_hi_w)}</span>)`}: mean ${number(mean(one.energy_j, one.power_w), 3)} W; busy ${number(100 * busy, 3)} % of the time, otherwise idle at ${number(one.idle_w, 3)} W, which has no interval.
        ${rate > slow && html`<b class="warn"> At the upper end of its time, ${number(one.time_hi_ms, 3)} ms, this mode computes only ${number(slow, 3)} samples/s.</b>`}</span>`;
}

// one: the row of estimate, with the costs that are already known. late: the other values of `one`
// belong to an earlier question.
function Answers({ one, late, stale, highest }) {
  const top = highest.json && highest.json.estimates[0];
  const cost = (name, unit) => ({ value: one[`${name}_${unit}`], lo: one[`${name}_lo_${unit}`], hi: one[`${name}_hi_${unit}`], against: !highest.stale && top && top[`${name}_${unit}`], unit: unit === "j" ? "J" : unit === "w" ? "W" : unit });
  const memory = one.memory_needed_gb > 0 ? `${number(one.memory_needed_gb, 3)} of ${number(one.memory_free_gb, 3)} GB` : "";
  return html`<dl class=${`answers${stale ? " stale" : ""}`} aria-live="polite">
      <${Answer} name="Time" ...${cost("time", "ms")} /><${Answer} name="Power" ...${cost("power", "w")} /><${Answer} name="Energy" ...${cost("energy", "j")} />
      <div><dt>Throughput</dt><dd>${number(1000 * one.batch / one.time_ms)} <small>samples/s</small></dd><dd>${typeof one.energy_j === "number" && `${number(1000 * one.energy_j / one.batch)} mJ per sample; `}minibatch of ${one.batch}</dd></div>
      <div class=${late ? "stale" : ""}><dt>Bound by <${Term} of="Bound" /></dt><dd class="words">${bounds[one.bound] || one.bound}</dd><dd>${[one.gpu_load_pct > 0 && `GPU busy ${number(one.gpu_load_pct, 3)} %`, one.stall_ms > 0 && `waiting for data ${number(one.stall_ms, 3)} ms`].filter(Boolean).join(", ")}</dd>
        <dd>${one.fits_memory ? `memory ${memory}` : html`<b class="warn">needs ${memory}</b>`}</dd></div>
    </dl>`;
}

// The change of the form that a remedy names: a batch or a runtime.
function changeOf(what, runtimes) {
  const [, batch] = /^batch (\d+)$/.exec(what) || [];
  return batch ? { batch } : runtimes.includes(what) ? { runtime: what } : null;
}

function Remedy({ one, runtimes, setQuery }) {
  const change = changeOf(one.what, runtimes), text = html`${one.what} <b>${number(one.times_faster, 3)}×</b>`;
  return change ? html`<button type="button" onClick=${() => setQuery(change, { push: true })}>${text}</button>` : html`<span>${text}</span>`;
}

function Basis({ json, setQuery }) {
  const runtimes = useChoices("estimate", "runtime", "");
  return html`<${Provenance} kind=${json.estimates[0].provenance} text=${json.ground}><${Term} of="Provenance" /></${Provenance}>
    <${Remarks} list=${json.remarks} />
    ${[["unsupported", "Not counted"], ["assumed", "Assumed"]].map(([key, text]) => (json[key] || []).length > 0 && html`<p class="warn note">${text}: ${json[key].map((x) => (typeof x === "string" ? x : JSON.stringify(x))).join(", ")}</p>`)}
    ${(json.remedies || []).length > 1 && html`<p class="note row"><span class="faint">Faster per sample, as modelled:</span> ${json.remedies.map((one) => html`<${Remedy} key=${one.what} one=${one} runtimes=${runtimes} setQuery=${setQuery} />`)}</p>`}`;
}

const layerColumns = [
  { key: "layer", label: "layer", cut: true }, { key: "time_ms", label: "time with launch (ms)" }, { key: "gpu_share_pct", label: "GPU time (%)", digits: 3, bar: true }, { key: "op", label: "operator", cut: true },
  { key: "bound", label: "bound by" }, { key: "power_w", label: "power (W)" }, { key: "reached_gflop_per_s", label: "reached (GFLOP/s)" }, { key: "intensity", label: "FLOP/byte" },
  { key: "work_mflop", label: "work (MFLOP)" }, { key: "traffic_mb", label: "traffic (MB)" },
];

// Highlights the point of a table row in the charts.
function highlight(handle, row) {
  if (!handle) return;
  handle.chart.dispatchAction({ type: "downplay" });
  (handle.chart.getOption().series || []).forEach((series, seriesIndex) => (series.data || []).forEach((item, dataIndex) => {
    if (item && item.row === row) handle.chart.dispatchAction({ type: "highlight", seriesIndex, dataIndex });
  }));
}

function Roofs({ roofs, highest, question, children }) {
  const handle = useRef(null);
  const [row, setRow] = useState(null);
  const layers = (roofs.json && roofs.json.layers) || [];
  const found = (reply, i) => reply.json && reply.json.figures && reply.json.figures[i];
  const still = (i) => useMemo(() => found(roofs, i) && onStillAxes(found(roofs, i), found(highest, i)), [roofs.json, highest.json]);
  const figures = [still(0), still(1), still(2)];
  const bars = found(roofs, 3);
  const choose = (index) => { setRow(index); highlight(handle.current, index); };
  const files = { csv: address("roofline", { ...question, format: "csv" }), json: address("roofline", question) };
  return html`<${ErrorLine} error=${roofs.error} />
    <div class=${`charts dense ${freshness(roofs)}`}>${figures[0] && html`<div><${Chart} figure=${figures[0]} brief idle height=${430} onReady=${(h) => { handle.current = h; }} onClick=${(item) => item.row !== undefined && choose(item.row)} />
      <${DownloadBar} command=${shown(roofs.command)} ...${files} svg=${() => handle.current.picture()} name="roofline" /></div>`}
      ${children}
      ${bars && html`<div class="whole"><${Chart} figure=${bars} brief idle /></div>`}
      ${figures.slice(1).map((figure, i) => figure && html`<${Chart} key=${i} figure=${figure} brief idle height=${360} />`)}</div>
    ${layers.length > 0 && html`<h2>Layers</h2><div class=${freshness(roofs)}><${Table} label="Layers" filter order=${{ key: "gpu_share_pct", descending: true }} columns=${layerColumns} rows=${layers} selected=${layers[row]} onSelect=${(one) => choose(layers.indexOf(one))} />
      <${DownloadBar} command=${shown(roofs.command)} ...${files} name="layers" /></div>`}`;
}

function CostOverKnob({ cloud, table, asked, mode, board, query, setQuery, question }) {
  const handle = useRef(null);
  const knob = knobOf(query.over, board);
  // Without a power model, only the time is known.
  const known = Object.entries(costs).filter(([value]) => !table || (table.columns[value] && isFinite(table.columns[value][0])));
  const cost = known.some(([value]) => value === query.cost) ? query.cost : (known[0] || ["time_ms"])[0];
  const theme = useThemeCount();  // the chart uses its colors
  const drawn = useMemo(() => table && table.count > 0 && costOverKnob(table, mode, knob, cost), [table, modeText(mode), knob, cost, theme]);
  if (!drawn) return html`<figure class="chart"><figcaption><strong>Cost over clocks</strong></figcaption><${ErrorLine} error=${cloud.error} />${!cloud.error && html`<p class="faint" role="status">${asked ? `Computing all ${grouped(board.modes)} modes` : "All modes are computed after the mode above."}</p>`}</figure>`;
  const all = { ...question, modes: "all", columns: cloudColumns };
  const best = drawn.best >= 0 && modeAt(table, drawn.best);
  return html`<div class=${freshness(cloud)}><${Chart} option=${drawn.option} title=${`${costs[cost].name} over ${knob.label}`} legend=${drawn.legend} height=${430}
      source="Other knobs have the values of the sliders. Click a point to select it." onReady=${(h) => { handle.current = h; }}
      onClick=${(item) => item.row !== undefined && setQuery({ [knob.key]: table.columns[knob.of][item.row], governor: undefined })} />
    <div class="row"><${Select} label="Cost" value=${cost} options=${known.map(([value, one]) => ({ value, label: one.name }))} onChange=${(value) => setQuery({ cost: value })} />
      <${Select} label="Over" value=${knob.key} options=${knobsOf(board).map((one) => ({ value: one.key, label: one.label }))} onChange=${(value) => setQuery({ over: value })} />
      ${best && html`<button type="button" onClick=${() => setQuery(queryOfMode(best))}>Set the mode of least ${costs[cost].name.toLowerCase()}</button>`}</div>
    ${best && html`<p class="faint note">Least ${costs[cost].name.toLowerCase()} of all modes: ${modeName(best, board.presets)}. <a href=${hashOf("modes", { ...Object.fromEntries([...workloadKeys, ...everywhere].map((name) => [name, query[name]])), minimize: costs[cost].name.toLowerCase() })}>Modes</a> takes the fastest of the modes that are about as good, and keeps limits.</p>`}
    <${DownloadBar} command=${shown(cloud.command)} csv=${address("estimate", { ...all, format: "csv" })} json=${address("estimate", { ...question, modes: "all" })} svg=${() => handle.current.picture()} name="modes" /></div>`;
}

export function Page({ query, setQuery }) {
  const workload = workloadOf(query);
  const board = useBoard(workload.device);
  const mode = board.knobs && modeOf(query, board);
  const top = board.knobs && modeOf({}, board);
  const at = (of) => of && { ...workload, modes: modeText(of) };
  const question = at(mode);
  // If the table of all modes has the costs, they are drawn before the server is asked.
  const hasTable = useRef(false);
  const restMs = hasTable.current ? 60 : 0;
  const estimate = useReply("estimate", question, get, restMs);
  // The roofline of `local` is measured on the machine, not asked.
  const hasRoofs = workload.device !== "local";
  // With a power limit the roofline is that of the clocks at which the board settles.
  const settled = mode && mode.governor ? !estimate.stale && estimate.json && clocksOf(estimate.json.estimates[0].clocks, board) : mode;
  const ofRoofs = at(settled);
  const roofs = useReply("roofline", hasRoofs && ofRoofs && { ...ofRoofs, figures: 1 }, get, restMs);
  const highest = useReply("estimate", at(top));
  const highestRoofs = useReply("roofline", hasRoofs && top && { ...at(top), figures: 1 });
  // Requests the selected mode first, and all modes of the workload after the reply.
  const answered = useRef(null);
  if (estimate.error) answered.current = null;
  else if (estimate.json && !estimate.stale) answered.current = workload;
  const everyMode = useReply("estimate", answered.current && { ...answered.current, modes: "all", format: "csv", columns: cloudColumns }, getText);
  const other = address("estimate", answered.current || {}) !== address("estimate", workload);
  const cloud = other ? { ...everyMode, command: "", stale: true } : everyMode;
  const table = useMemo(() => cloud.text && parseCsv(cloud.text), [cloud.text]);
  hasTable.current = Boolean(table && !cloud.stale);
  const asked = estimate.json && estimate.json.estimates[0];
  const known = asked && estimate.stale && !cloud.stale && costsAt(table, mode);
  const one = known ? { ...asked, ...known } : asked;
  const stale = estimate.stale && !known;
  return html`<h1>Explore</h1>
    <${Intro} terms=${["Power mode", "Interval", "Roofline", "Arch line"]}>What does a model cost at given clocks, and what limits it? No board is needed.</${Intro}>
    <${Strip} on=${workload.device} items=${one && costItems(one)} spread=${one && costSpread(one)} stale=${stale} empty=${estimate.error ? "No answer to this question" : "Asking"} />
    <div class="sided">
    <${Side} summary=${workloadLine(query)}><${WorkloadForm} query=${query} setQuery=${setQuery} /><${ErrorLine} error=${board.error} />
      ${mode && html`<${ModeForm} board=${board} mode=${mode} setQuery=${setQuery} />`}</${Side}>
    <div>${mode && html`<${ErrorLine} error=${estimate.error} />
      ${one && html`<${Answers} one=${one} late=${estimate.stale} stale=${stale} highest=${highest} />
        <div class=${freshness(estimate)}><${Sentences} list=${estimate.json.sentences} />${mode.governor && settled && html`<p class="note">With this ${modeWords(mode)} the board settles at ${modeWords(settled)}, for which the roofline is drawn.</p>`}<${Basis} json=${estimate.json} setQuery=${setQuery} /></div>
        <${DownloadBar} command=${shown(estimate.command)} csv=${address("estimate", { ...question, format: "csv" })} json=${address("estimate", question)} name="estimate" />
        ${one.idle_w > 0 && !workload.training && html`<${PerDay} question=${question} rate=${Number(query.rate) || 0} setQuery=${setQuery} />`}
        <${Pinned} query=${query} setQuery=${setQuery} b=${one} stale=${stale} />`}
      <${Roofs} roofs=${estimate.error ? {} : roofs} highest=${highestRoofs} question=${ofRoofs || question}>
        <${CostOverKnob} cloud=${cloud} table=${table} asked=${!estimate.error} mode=${mode} board=${board} query=${query} setQuery=${setQuery} question=${workload} /></${Roofs}>`}</div></div>`;
}
