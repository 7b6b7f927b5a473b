// The Runs page: the content of the stores (`ridgewatt store list`), the points of a run as chart
// and table, the comparison of two runs, and the progress of a run. Values in the address: run,
// other, x, y, log.
import { html, useMemo, useRef } from "./standalone.module.js";
import { address } from "./api.js";
import { Chart, Check, DownloadBar, ErrorLine, Provenance, Select, Table, coresText, number } from "./controls.js";
import { exportParams, joined, meanRatio, runKey, runsOf, usePoints, useStores } from "./runs_data.js";

import { Intro, Strip, Side } from "./strip.js";

const { charts } = window.Ridgewatt;

export const title = "Runs";
export const keys = ["run", "other", "x", "y", "log"];

const axes = [
  { key: "time_ms", label: "time per minibatch (ms)" }, { key: "power_w", label: "power (W)" }, { key: "energy_j", label: "energy per minibatch (J)" },
  { key: "gpu_mhz", label: "GPU clock (MHz)" }, { key: "cpu_mhz", label: "CPU clock (MHz)" }, { key: "mem_mhz", label: "memory clock (MHz)" },
  { key: "cpu_cores", label: "CPU cores" }, { key: "batch", label: "batch" }, { key: "fetch_stall_ms", label: "wait for data (ms)" },
];
const axisOf = (key, other) => axes.find((axis) => axis.key === key) || axes.find((axis) => axis.key === other);
const nameOf = (run) => `${run.workload} ${run.kind} on ${run.board}`;
const longName = (run, several) => [nameOf(run), run.provenance, several && run.file].filter(Boolean).join(", ");

function RunList({ stores, runs, chosen, onChoose }) {
  return html`<ul class="runs" aria-label="Runs">${runs.map((run) => {
    const key = runKey(run);
    const planned = run.planned > 0 ? run.planned : null;
    return html`<li key=${key}><button type="button" class="run" aria-pressed=${String(key === chosen)} onClick=${() => onChoose(key)}>
      <b>${run.workload}</b> <span>${run.kind}</span> <span class=${`badge ${run.provenance}`}>${run.provenance}</span>
      <small>${run.board}${stores.length > 1 ? `, ${run.file}` : ""}</small>
      <small>${number(run.points, 9)} ${planned ? `of ${number(planned, 9)} points` : run.points === 1 ? "point" : "points"}, ${run.modes} modes${run.flagged ? `, ${run.flagged} flagged` : ""}</small>
      ${run.newest && html`<small>newest ${run.newest.replace("T", " ").replace("Z", " UTC")}</small>`}</button>
      ${planned && html`<progress max=${planned} value=${run.points} aria-label=${`Progress of ${nameOf(run)}`}></progress>`}</li>`;
  })}</ul>`;
}

function pointSeries(rows, x, y, name, color, symbol, log) {
  return { name, type: "scatter", color, symbol, symbolSize: rows.length > 500 ? 4 : 8, itemStyle: { opacity: 0.8 },
    data: rows.filter((row) => isFinite(row[x]) && isFinite(row[y]) && (!log || (row[x] > 0 && row[y] > 0))).map((row) => ({ value: [row[x], row[y]], name: modeWords(row) })) };
}

const modeWords = (row) => [row.cpu_cores > 0 && coresText(row.cpu_cores), row.cpu_mhz > 0 && `CPU ${row.cpu_mhz}`, row.gpu_mhz > 0 && `GPU ${row.gpu_mhz}`, row.mem_mhz > 0 && `memory ${row.mem_mhz} MHz`,
  row.governor, row.batch > 0 && `batch ${row.batch}`].filter(Boolean).join(", ");

function PointChart({ a, b, rowsA, rowsB, x, y, log, onReady }) {
  const option = useMemo(() => charts.plotOption({ title: "points", x: { label: x.label, log }, y: { label: y.label, log },
    series: [pointSeries(rowsA, x.key, y.key, nameOf(a), charts.palette[0], "circle", log), ...(b ? [pointSeries(rowsB, x.key, y.key, nameOf(b), charts.palette[1], "diamond", log)] : [])] }), [rowsA, rowsB, x, y, log]);
  const legend = b ? [{ name: nameOf(a), color: charts.palette[0], mark: "points" }, { name: nameOf(b), color: charts.palette[1], mark: "points" }] : [];
  return html`<${Chart} option=${option} title=${`${y.label[0].toUpperCase()}${y.label.slice(1)} over ${x.label}`} source=${b ? "" : longName(a)} legend=${legend} onReady=${onReady} height=${420} />`;
}

const pointColumns = [{ key: "cpu_cores", label: "CPU cores" }, { key: "cpu_mhz", label: "CPU (MHz)", digits: 6 }, { key: "gpu_mhz", label: "GPU (MHz)", digits: 6 }, { key: "mem_mhz", label: "memory (MHz)", digits: 6 },
  { key: "batch", label: "batch", digits: 7 }, { key: "time_ms", label: "time (ms)" }, { key: "power_w", label: "power (W)" }, { key: "energy_j", label: "energy (J)" }];
const ratioColumns = [...pointColumns, { key: "time_ratio", label: "× time" }, { key: "power_ratio", label: "× power" }, { key: "energy_ratio", label: "× energy" }];

function Comparison({ common, a, b }) {
  if (!common.length) return html`<p>No point is in both runs.</p>`;
  const fact = (name, ratio) => html`<div key=${name}><dt>${name}</dt><dd><span data-answer=${name}>${number(meanRatio(common, ratio))}</span> <small>times</small></dd></div>`;
  return html`<h2>${nameOf(b)} to ${nameOf(a)}</h2><p class="faint">Geometric mean over the ${common.length} points that both have.</p>
    <dl class="answers">${fact("Time", "time_ratio")}${fact("Power", "power_ratio")}${fact("Energy", "energy_ratio")}</dl>`;
}

function Run({ run, other, runs, query, setQuery, several }) {
  const points = usePoints(run), others = usePoints(other);
  const picture = useRef(null);
  const x = axisOf(query.x, "time_ms"), y = axisOf(query.y, "energy_j");
  const rowsA = points.rows || [], rowsB = (other && others.rows) || [];
  const log = query.log === undefined ? [x, y].some(({ key }) => spansDecades([...rowsA, ...rowsB], key)) : query.log === "1";
  const common = useMemo(() => (other && points.rows && others.rows ? joined(points.rows, others.rows) : null), [other && runKey(other), points.rows, others.rows]);
  const axisOptions = axes.filter((axis) => rowsA.some((row) => isFinite(row[axis.key]))).map((axis) => ({ value: axis.key, label: axis.label }));
  const put = (name, usual) => (value) => setQuery({ [name]: value === usual ? undefined : value }, { push: true });
  return html`<div><${Provenance} kind=${run.provenance} text=${longName(run, several)} />
    <${ErrorLine} error=${points.error || others.error} />
    <div class="row"><${Select} label="Over" value=${x.key} options=${axisOptions} onChange=${put("x", "time_ms")} />
      <${Select} label="Shown" value=${y.key} options=${axisOptions} onChange=${put("y", "energy_j")} />
      <${Select} label="Compared with" value=${other ? runKey(other) : ""} options=${[{ value: "", label: "no other run" }, ...runs.filter((one) => one !== run).map((one) => ({ value: runKey(one), label: longName(one, several) }))]}
        onChange=${(value) => setQuery({ other: value || undefined }, { push: true })} />
      <${Check} label="Logarithmic" checked=${log} onChange=${(on) => setQuery({ log: on ? 1 : 0 }, { push: true })} /></div>
    ${points.rows && html`<${PointChart} a=${run} b=${other} rowsA=${rowsA} rowsB=${rowsB} x=${x} y=${y} log=${log} onReady=${(handle) => { picture.current = handle; }} />`}
    <${DownloadBar} command=${points.command} name=${`${run.workload}_${run.kind}`.replace(/[^\w.-]+/g, "_")} csv=${address("runs/export", exportParams(run))}
      json=${address("runs", { store: run.store })} svg=${() => picture.current.picture()} />
    ${other && common && html`<${Comparison} common=${common} a=${run} b=${other} />`}
    ${points.rows && html`<${Table} columns=${common && common.length ? ratioColumns : pointColumns} rows=${common && common.length ? common : rowsA} label="Points" filter />`}</div>`;
}

// Text for screen readers about a run in progress.
const progressText = (run) => (run && run.planned > run.points ? `${run.points} of ${run.planned} points` : "");

// Chosen: ratio of largest to smallest value above which an axis is logarithmic by default.
const decades = 30;
const spansDecades = (rows, key) => {
  const values = rows.map((row) => row[key]).filter((value) => value > 0);
  return values.length === rows.length && values.length > 0 && values.reduce((a, b) => Math.max(a, b)) > decades * values.reduce((a, b) => Math.min(a, b));
};

export function Page({ query, setQuery }) {
  const { stores, error } = useStores();
  const runs = useMemo(() => runsOf(stores), [stores]);
  const run = runs.find((one) => runKey(one) === query.run) || runs[0];
  const other = runs.find((one) => runKey(one) === query.other && one !== run) || null;
  const several = (stores || []).length > 1;
  const faults = (stores || []).filter((store) => store.error);
  return html`<h1>Runs</h1>
    <${Intro} terms=${["Store", "Point", "Provenance"]}>The measured runs in the server's stores: their points, and a comparison of two runs.</${Intro}>
    <${Strip} items=${run && [`${run.workload} ${run.kind}`, `${number(run.points, 9)} points`, `${run.modes} modes`, run.provenance]} empty=${stores === null ? "Reading the stores" : stores.length ? "The store is empty" : "No store"} />
    <${ErrorLine} error=${error} />
    ${faults.map((store) => html`<${ErrorLine} key=${store.number} error=${`${store.name}: ${store.error}`} />`)}
    <p class="unseen" role="status">${progressText(run)}</p>
    ${stores === null ? !error && html`<p class="faint" role="status">Reading the stores</p>` : stores.length === 0 ? html`<p>This server has no store. Start it with${" "}
        <code>ridgewatt serve --store points.db</code>; <code>ridgewatt profile points.db</code> fills a store, even while the server runs.</p>`
    : html`<div class="sided"><${Side} summary=${run ? nameOf(run) : "Runs"}><${RunList} stores=${stores} runs=${runs} chosen=${run ? runKey(run) : ""} onChoose=${(key) => setQuery({ run: key, other: query.other === key ? undefined : query.other }, { push: true })} />
        ${stores.filter((store) => store.command).map((store) => html`<${DownloadBar} key=${store.number} command=${store.command} name="store" csv=${address("runs", { store: store.number, format: "csv" })} />`)}</${Side}>
      ${run ? html`<${Run} key=${runKey(run)} run=${run} other=${other} runs=${runs} query=${query} setQuery=${setQuery} several=${several} />` : html`<p>The store is empty.</p>`}</div>`}`;
}
