// The Modes page: a chart of all power modes of a board, limits that the user sets by moving lines,
// the answer of `ridgewatt tune` within them, and measured points of a sweep compared with their
// predictions.
import { html, useMemo, useState } from "./standalone.module.js";
import { address, getText } from "./api.js";
import { Chart, DownloadBar, ErrorLine, NumberField, Provenance, Select, Table, grouped, number, useThemeCount } from "./controls.js";
import { parseCsv } from "./cloud.js";
import { LimitLine, usePlotArea } from "./limit_lines.js";
import { axes, cloudChart } from "./modes_chart.js";
import { MeasuredForm, Agreement, useMeasured } from "./measured_form.js";
import { DescribedForm, optionPrefix, optionsOf } from "./described_form.js";
import { cloudColumns, freshness, modeWords, queryOfMode, shortMode, shown, useBoard, useChoices, useReply, useSettled, workloadKeys, workloadLine, workloadOf } from "./questions.js";
import { Intro, Remarks, Sentences, Side, Strip, Term, costItems, costSpread } from "./strip.js";
import { WorkloadForm } from "./workload_form.js";

import { everywhere, hashOf } from "./state.js";

export const title = "Modes";
export const prefix = optionPrefix;
export const keys = [...workloadKeys, ...Object.values(axes).map((axis) => axis.option), "minimize", "confidence", "x", "y",
  "sweep", "sweepfile", "store", "workload", "measured-batch", "compare"];

export function limitsOf(query) {
  const limits = {};
  Object.values(axes).forEach((axis) => {
    const value = Number(query[axis.option]);
    if (query[axis.option] && value > 0) limits[axis.option] = value;
  });
  return limits;
}

const placed = [...workloadKeys, ...Object.values(axes).map((axis) => axis.option), "minimize", "confidence"];

function LimitForm({ query, setQuery, limits }) {
  const goals = useChoices("tune", "minimize", query.minimize || "time");
  return html`<fieldset><legend>Limits</legend>
    ${Object.values(axes).map((axis) => html`<${NumberField} key=${axis.option} label=${`Maximum ${axis.name.toLowerCase()}`} unit=${axis.unit} value=${limits[axis.option]} placeholder="no limit" onChange=${(value) => setQuery({ [axis.option]: value })} />`)}
    <div class="pair"><${Select} label="Minimize" value=${query.minimize || "time"} options=${goals} onChange=${(value) => setQuery({ minimize: value })} />
      <${NumberField} label="Confidence" value=${query.confidence} min=${0} max=${1} step=${0.05} placeholder="0.5" onChange=${(value) => setQuery({ confidence: value })} /></div>
    <p class="faint note">You can also drag the lines in the chart, or focus a line and press arrow keys, Page Up and Down, Home, Delete.</p>
    <${DescribedForm} endpoint="tune" without=${placed} query=${query} setQuery=${setQuery} legend="More options" /></fieldset>`;
}

const cost = (one, name, unit, text) => html`<div><dt>${name}</dt><dd><span data-answer=${name}>${number(one[`${name.toLowerCase()}_${unit}`])}</span> <small>${text}</small></dd>
  ${one[`${name.toLowerCase()}_lo_${unit}`] !== undefined && html`<dd>90 %: ${number(one[`${name.toLowerCase()}_lo_${unit}`], 3)} to ${number(one[`${name.toLowerCase()}_hi_${unit}`], 3)} ${text}</dd>`}</div>`;

const sure = 0.9;  // chosen: probability that the button asks for

function Found({ answer, presets, query, heading, setQuery }) {
  return html`<dl class="answers" aria-live="polite"><div class="double"><dt>${heading}</dt><dd class="mode" data-answer="Mode">${shortMode(answer.mode, presets)}</dd><dd>${modeWords(answer.mode)}; batch ${answer.batch}</dd>
      <dd><a href=${exploring(query, answer.mode)}>Explore this mode</a></dd></div>
    ${cost(answer, "Time", "ms", "ms")}${cost(answer, "Power", "w", "W")}${cost(answer, "Energy", "j", "J")}
    ${(answer.limits || []).length > 0 && html`<div><dt>Limits hold <${Term} of="Confidence" /></dt><dd>${number(100 * answer.confidence, 3)} <small>% sure</small></dd>${answer.limits.length > 1 && html`<dd>${answer.limits.map((limit) => `${limit.limit} ${number(100 * limit.confidence, 3)} %`).join(", ")}</dd>`}
      ${answer.confidence < sure && setQuery && html`<dd><button type="button" onClick=${() => setQuery({ confidence: sure })}>Be 90 % sure</button></dd>`}</div>`}</dl>`;
}

const exploring = (query, mode) => hashOf("explore", { ...Object.fromEntries([...workloadKeys, ...everywhere].map((name) => [name, query[name]])), ...queryOfMode(mode) });

// `option`: an option of the command line, such as "--max-power 11.18".
function Relaxation({ option, setQuery }) {
  const [, name, value] = /^--([a-z-]+) ([\d.e+-]+)$/.exec(option) || [];
  const axis = Object.values(axes).find((one) => one.option === name);
  if (!axis) return html`<span>${option}</span>`;
  return html`<button type="button" onClick=${() => setQuery({ [name]: value }, { push: true })}>Maximum ${axis.name.toLowerCase()} ${value} ${axis.unit}</button>`;
}

// Shown if no mode meets all limits: the options to relax and the boards that the command line also
// suggests.
function NotFound({ json, query, setQuery }) {
  const boards = json.other_boards || [];
  return html`<div class="card" role="status"><p><b data-answer="Mode">No mode meets these limits.</b></p>
    ${(json.relaxations || []).length > 0 && html`<p class="row">Relax a limit: ${json.relaxations.map((one) => html`<${Relaxation} key=${one.option} option=${one.option} setQuery=${setQuery} />`)}</p>`}
    ${boards.length > 0 && html`<p class="row">Or take another board, as modelled: ${boards.map((one) => html`<a key=${one.board} href=${hashOf("modes", { ...query, device: one.board })}>${one.board} (${number(one.power_w, 3)} W)</a>`)}</p>`}
    ${json.nearest_miss && html`<p class="faint">Nearest: ${modeWords(json.nearest_miss.mode)}: ${number(json.nearest_miss.time_ms)} ms, ${number(json.nearest_miss.power_w)} W, ${number(json.nearest_miss.energy_j)} J</p>`}</div>`;
}

function Answer({ tune, presets, query, heading, setQuery, stale = tune.stale }) {
  const refused = tune.error && tune.error.json && tune.error.json.feasible === false ? tune.error.json : null;
  const json = refused || tune.json;
  if (tune.error && !refused) return html`<${ErrorLine} error=${tune.error} />`;
  if (!json) return html`<p class="faint" role="status">Searching</p>`;
  return html`<div class=${stale ? "stale" : ""}>${json.feasible ? html`<${Found} answer=${json} presets=${presets} query=${query} heading=${heading} setQuery=${setQuery} />` : html`<${NotFound} json=${json} query=${query} setQuery=${setQuery} />`}
    <${Sentences} list=${json.sentences} />
    <${Provenance} kind=${json.provenance} text=${json.remark}><${Term} of="Provenance" /></${Provenance}>
    <${Remarks} list=${json.remarks} /></div>`;
}

const comparedColumns = [
  { key: "name", label: "mode" }, { key: "time_ms", label: "time (ms)" }, { key: "power_w", label: "power (W)" }, { key: "energy_j", label: "energy (J)" },
  { key: "objective_ratio", label: "× answer", digits: 3 }, { key: "kept", label: "limits met", text: (row) => (row.feasible ? "yes" : "no") },
];

function Cloud({ cloud, command, query, setQuery, limits, presets, answer, measured, source }) {
  const [handle, setHandle] = useState(null);
  const x = axes[query.x] ? query.x : "time", y = axes[query.y] && query.y !== x ? query.y : x === "power" ? "energy" : "power";
  const theme = useThemeCount();  // the chart uses its colors
  const partial = Boolean(query.confidence || Object.keys(optionsOf(query)).length);
  const key = JSON.stringify([limits, x, y, answer && [answer.mode, answer.batch], theme, partial]);
  const drawn = useMemo(() => cloudChart({ cloud, limits, x, y, presets, answer, measured, title: "All modes", partial }), [cloud, measured, key]);
  const area = usePlotArea(handle, drawn.option);
  const line = (axis) => html`<${LimitLine} key=${axis} area=${area} axis=${axis === x ? "x" : "y"} value=${limits[axes[axis].option]} name=${axes[axis].name} unit=${axes[axis].unit} onChange=${(value) => setQuery({ [axes[axis].option]: value })} />`;
  const choose = (which) => (value) => setQuery(which === "x" ? { x: value, y: value === y ? x : y } : { y: value, x: value === x ? y : x });
  const options = Object.entries(axes).map(([value, axis]) => ({ value, label: axis.name }));
  return html`<div><${Chart} option=${drawn.option} legend=${drawn.legend} title=${`All ${grouped(cloud.count)} modes: ${axes[y].name.toLowerCase()} over ${axes[x].name.toLowerCase()}`} source=${source}
      note=${drawn.note} height=${Math.round(Math.min(1100, Math.max(440, 0.6 * window.innerHeight)))} onReady=${setHandle}>${area && line(x)}${area && line(y)}</${Chart}>
    <div class="row"><${Select} label="Across" value=${x} options=${options} onChange=${choose("x")} /><${Select} label="Up" value=${y} options=${options} onChange=${choose("y")} /></div>
    <${CloudFiles} query=${query} command=${command} handle=${handle} /></div>`;
}

function CloudFiles({ query, command, handle }) {
  const question = { ...workloadOf(query), modes: "all" };
  return html`<${DownloadBar} command=${command} csv=${address("estimate", { ...question, columns: cloudColumns, format: "csv" })} json=${address("estimate", question)} svg=${() => handle.picture()} name="modes" />`;
}

export function Page({ query, setQuery }) {
  const workload = workloadOf(query);
  const board = useBoard(workload.device);
  const limits = limitsOf(query);
  const batch = workload.batch || (workload.training ? 16 : 1);
  const cloudReply = useReply("estimate", { ...workload, modes: "all", format: "csv", columns: cloudColumns }, getText);
  const cloud = useMemo(() => cloudReply.text && parseCsv(cloudReply.text), [cloudReply.text]);
  const question = { ...workload, batch, minimize: query.minimize || "time", ...limits, confidence: query.confidence, ...optionsOf(query) };
  const settled = useSettled(question);
  const tune = useReply("tune", settled);
  const measured = useMeasured(query, cloud);
  const ofSweep = useSettled(measured.question && { ...measured.question, minimize: question.minimize, ...limits, batch: measured.batch, strategy: "exhaustive" });
  const tuneMeasured = useReply("tune", ofSweep);
  const presets = board.presets || [];
  const compared = (tune.json && tune.json.compared) || [];
  // The reply is stale from the first move of a limit, before the request is sent.
  const stale = Boolean(tune.stale || address("tune", settled) !== address("tune", question));
  const answer = tune.json && tune.json.feasible ? tune.json : null;
  const best = tune.error ? null : answer;
  const wanted = question.minimize === "throughput" ? "Highest throughput" : `Least ${question.minimize}`;
  const source = cloudReply.text && tune.json ? `${query.file || workload.model} on ${workload.device}, minibatch of ${batch}: ${tune.json.provenance}` : `${query.file || workload.model} on ${workload.device}, minibatch of ${batch}`;
  return html`<h1>Modes</h1>
    <${Intro} terms=${["Power mode", "Preset", "Interval", "Front"]}>Every power mode of the board is a point. Set a limit, for example 15 W, and read the best mode within it.</${Intro}>
    <${Strip} on=${workload.device} items=${best && [shortMode(best.mode, presets), ...costItems(best)]} spread=${best && costSpread(best)} stale=${stale} empty=${tune.error ? "No mode meets this" : "Searching"} />
    <div class="sided"><${Side} summary=${workloadLine(query)}><${WorkloadForm} query=${query} setQuery=${setQuery} />
      <${LimitForm} query=${query} setQuery=${setQuery} limits=${limits} /><${MeasuredForm} query=${query} setQuery=${setQuery} measured=${measured} /></${Side}>
    <div><${ErrorLine} error=${board.error} />
      <${Answer} tune=${tune} stale=${stale} presets=${presets} query=${query} setQuery=${setQuery} heading=${wanted} />
      <${DownloadBar} command=${shown(tune.command)} csv=${address("tune", { ...settled, format: "csv" })} json=${address("tune", settled)} name="tune" />
      <${ErrorLine} error=${cloudReply.error} />
      ${cloud && cloud.count > 0 && board.presets ? html`<div class=${freshness(cloudReply)}><${Cloud} cloud=${cloud} command=${shown(cloudReply.command)} query=${query} setQuery=${setQuery} limits=${limits} presets=${presets} answer=${answer} measured=${measured.points} source=${source} /></div>`
        : !cloudReply.error && !board.error && html`<p class="faint" role="status">Computing all modes</p>`}
      ${measured.workload && html`<h2>Sweep and prediction</h2><${Agreement} measured=${measured} cloud=${cloud} setQuery=${setQuery} />
        ${ofSweep && html`<${Answer} tune=${tuneMeasured} presets=${presets} query=${query} setQuery=${setQuery} heading=${`${wanted} of the sweep`} />
          <${DownloadBar} command=${shown(tuneMeasured.command)} csv=${address("tune", { ...ofSweep, format: "csv" })} json=${address("tune", ofSweep)} name="tune_measured" />`}`}
      ${compared.length > 0 && html`<h2>Comparison with presets</h2><div class=${stale ? "stale" : ""}><${Table} label="Comparison with presets" columns=${comparedColumns} rows=${compared} /></div>`}</div></div>`;
}
