// The Live page: current power and load of the machine, energy windows, marks, and the power mode.
// Values in the address: span (seconds shown), paused.
import { html, useEffect, useMemo, useRef, useState } from "./standalone.module.js";
import { DownloadBar, ErrorLine, Provenance, Table, number } from "./controls.js";
import { ClockChart, HeatChart, LoadChart, PowerChart } from "./live_charts.js";
import { LiveFeed, summary } from "./live_feed.js";
import { clockText, errorText, fixed, joules } from "./live_text.js";
import { Mode } from "./live_mode.js";
import { Windows } from "./live_windows.js";
import { hashOf } from "./state.js";
import { Intro, Strip } from "./strip.js";

export const title = "Live";
export const keys = ["span", "paused"];

// Questions of a first-time visitor, and the pages that answer them.
const firstQuestions = [
  ["Which mode for 15 W?", "modes", { "max-power": 15 }], ["What limits a model?", "explore", {}], ["How much energy per day?", "explore", { rate: 30 }],
  ["Why is it slow?", "explain", {}], ["Does a language model fit?", "language", {}], ["Train while serving?", "schedule", {}],
];

const spans = [[60, "1 min"], [300, "5 min"], [600, "10 min"]];
const announceS = 30;

// The newest state of the feed or, while paused, its state at the time of pausing.
function useFeed(paused) {
  const [shown, setShown] = useState({ state: "connecting", look: null, points: [] });
  const feed = useRef(null);
  const stopped = useRef(paused);
  stopped.current = paused;
  const show = (of) => setShown((before) => (stopped.current && before.look
    ? { ...before, state: of.state, error: of.error, heardAt: of.heardAt }
    : { state: of.state, error: of.error, heardAt: of.heardAt, look: of.newest, points: of.points.slice(), command: of.command }));
  // Draws at most once per frame, so that fast readings do not accumulate. A hidden page has no
  // frames and draws nothing.
  useEffect(() => {
    let frame = 0;
    feed.current = new LiveFeed((of) => {
      if (!frame) frame = requestAnimationFrame(() => { frame = 0; show(of); });
    });
    feed.current.start();
    return () => { cancelAnimationFrame(frame); feed.current.stop(); };
  }, []);
  useEffect(() => { if (feed.current && feed.current.newest) show(feed.current); }, [paused]);
  return { ...shown, again: () => feed.current.again() };
}

// Text for screen readers: a change of state at once, otherwise the values every half minute.
function Announcer({ look, state, paused }) {
  const [text, setText] = useState("");
  const announced = useRef(0);
  useEffect(() => {
    if (!look || paused || look.since_s - announced.current < announceS) return;
    announced.current = look.since_s;
    const power = look.power || {};
    setText(`${fixed(power.total_w, 1)} watts, ${joules(power.energy_j)} since start`);
  }, [look]);
  const status = state === "lost" ? "The connection is lost; trying again" : paused ? "Paused" : text;
  return html`<p class="unseen" role="status">${status}</p>`;
}

function liveItems(look) {
  const power = look.power || {}, now = summary(look);
  return [`${fixed(power.total_w, 2)} W`, `${joules(power.energy_j)} since start`, now.gpu_load !== null && `GPU ${fixed(100 * now.gpu_load, 0)} %`, now.celsius !== null && `${fixed(now.celsius, 1)} °C`];
}

// A machine without a GPU shows neither a load nor a clock of it.
const hasGpu = (look) => { const now = summary(look); return now.gpu_load !== null || now.gpu_mhz !== null; };

function Facts({ look }) {
  const power = look.power || {};
  const now = summary(look);
  const throttling = (look.throttling || []).filter((signal) => signal.active).map((signal) => signal.name).concat((look.gpus || []).flatMap((gpu) => gpu.throttling || []));
  const fact = (name, value, unit, note) => html`<div key=${name}><dt>${name}</dt><dd>${value}${unit && html` <small>${unit}</small>`}</dd><dd>${note || "\u00a0"}</dd></div>`;
  return html`<dl class="answers live-facts">
    ${fact("Power", fixed(power.total_w, 2), "W", power.note)}
    ${fact("Energy since start", joules(power.energy_j), "", `${errorText(power.energy_error_j)} by sampling, ${clockText(look.since_s)}`)}
    ${hasGpu(look) && fact("GPU", now.gpu_load === null ? "-" : fixed(100 * now.gpu_load, 0), "%", now.gpu_mhz === null ? "" : `${number(now.gpu_mhz, 6)} MHz`)}
    ${fact("Hottest zone", fixed(now.celsius, 1), "°C", throttling.length ? `throttled: ${throttling.join(", ")}` : `${look.throttle_events || 0} throttling events`)}
  </dl>`;
}

const railColumns = [{ key: "name", label: "rail" }, { key: "power", label: "power (W)" }, { key: "energy", label: "energy (J)" },
  { key: "error", label: "± (J)" }, { key: "total", label: "in total" }, { key: "source", label: "sensor" }];

function Rails({ look }) {
  const rows = ((look.power || {}).rails || []).map((rail) => ({
    name: rail.name, power: fixed(rail.power_w, 2), energy: fixed(rail.energy_j, 1), error: typeof rail.energy_error_j === "number" && rail.energy_error_j < 0.05 ? "< 0.1" : fixed(rail.energy_error_j, 1),
    total: rail.in_total ? "yes" : "no", source: rail.source || "" }));
  return html`<section class="card double"><h2>Rails</h2>${rows.length ? html`<${Table} columns=${railColumns} rows=${rows} label="Power rails" />` : html`<p class="faint">None.</p>`}</section>`;
}

// The clocks and their limits. Each bar ends at the highest clock of the mode.
function Clocks({ look }) {
  const clocks = look.clocks || [];
  return html`<section class="card"><h2>Clocks</h2><ul class="meters" aria-label="Clocks">${clocks.map((clock) => {
    const share = clock.max_mhz > 0 ? Math.min(1, Math.max(0, clock.mhz / clock.max_mhz)) : 0;
    const limits = clock.max_mhz > 0 ? `${number(clock.min_mhz, 6)} to ${number(clock.max_mhz, 6)} MHz` : "";
    return html`<li key=${clock.name}><span class="name">${clock.name}</span><b>${number(clock.mhz, 6)} <small>MHz</small></b>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${(100 * share).toFixed(1)}%` }}></i></span>
      <small>${[limits, clock.governor].filter(Boolean).join(", ")}</small></li>`;
  })}</ul>${clocks.length === 0 && html`<p class="faint">Not known here.</p>`}</section>`;
}

function Loads({ look }) {
  const known = (look.loads || []).filter((item) => typeof item.load === "number");
  return html`<section class="card"><h2>Loads</h2><ul class=${known.length > 4 ? "meters two" : "meters"} aria-label="Loads">${known.map((item) => html`
    <li key=${item.name}><span class="name">${item.name}</span><b>${fixed(100 * item.load, 0)} <small>%</small></b>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${(100 * Math.min(1, item.load)).toFixed(1)}%` }}></i></span></li>`)}</ul>
    ${known.length === 0 && html`<p class="faint">Not known here.</p>`}</section>`;
}

function Temperatures({ look }) {
  const zones = (look.temperatures || []).filter((zone) => typeof zone.celsius === "number");
  return html`<section class="card"><h2>Temperatures</h2><ul class="meters" aria-label="Temperatures">${zones.map((zone) => html`
    <li key=${zone.name}><span class="name">${zone.name}</span><b>${fixed(zone.celsius, 1)} <small>°C</small></b>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${Math.max(0, Math.min(100, zone.celsius)).toFixed(1)}%` }}></i></span></li>`)}</ul>
    ${zones.length === 0 && html`<p class="faint">Not known here.</p>`}</section>`;
}

function Memory({ look }) {
  const { total_bytes, available_bytes } = look.memory || {};
  if (!(total_bytes > 0)) return null;
  const used = total_bytes - available_bytes;
  const fans = (look.fans || []).filter((fan) => typeof fan.duty === "number" || typeof fan.rpm === "number");
  return html`<section class="card"><h2>Memory${fans.length > 0 && " and fans"}</h2><ul class="meters" aria-label="Memory and fans">
    <li><span class="name">used</span><b>${fixed(used / 2 ** 30, 1)} <small>of ${fixed(total_bytes / 2 ** 30, 1)} GiB</small></b>
      <span class="bar" aria-hidden="true"><i style=${{ width: `${((100 * used) / total_bytes).toFixed(1)}%` }}></i></span></li>
    ${fans.map((fan) => html`<li key=${fan.name}><span class="name">${fan.name}</span><b>${typeof fan.duty === "number" ? html`${fixed(100 * fan.duty, 0)} <small>%</small>` : html`${number(fan.rpm)} <small>1/min</small>`}</b></li>`)}</ul></section>`;
}

const processColumns = [{ key: "pid", label: "pid", text: (row) => String(row.pid) }, { key: "name", label: "program" }, { key: "cpu", label: "CPU (% of a core)" },
  { key: "memory", label: "memory (MB)" }];
const gpuColumn = { key: "gpu", label: "GPU memory (MB)" };

function Processes({ look }) {
  const rows = (look.processes || []).map((one) => ({ pid: one.pid, name: one.name, cpu: fixed(100 * one.cpu_share, 0),
    memory: fixed(one.memory_bytes / 1e6, 0), gpu: one.gpu_memory_bytes ? fixed(one.gpu_memory_bytes / 1e6, 0) : "-" }));
  return html`<section class="card wide"><h2>Processes</h2>${rows.length ? html`<${Table} columns=${hasGpu(look) ? [...processColumns, gpuColumn] : processColumns} rows=${rows} label="Processes" />`
    : html`<p class="faint">None that ${hasGpu(look) && "holds the GPU's memory or "}uses much of the processor.</p>`}</section>`;
}

// The shown points as CSV in SI units; the times are relative to the newest point.
function csvOf(points, span, rails) {
  const now = points.length ? points[points.length - 1].time_s : 0;
  const cell = (value) => (value === null || value === undefined ? "" : String(value));
  const quoted = (name) => (/[",\n]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);
  const head = ["time_s", "power_w", ...rails.map((name) => quoted(`power_w:${name}`)), "gpu_load", "cpu_load", "gpu_clock_mhz", "hottest_celsius"];
  const rows = points.filter((point) => point.time_s >= now - span).map((point) =>
    [point.time_s, point.total_w, ...rails.map((name) => point.rails[name]), point.gpu_load, point.cpu_load, point.gpu_mhz, point.celsius].map(cell).join(","));
  return [head.join(","), ...rows].join("\n") + "\n";
}

export function Page({ query, setQuery }) {
  const span = spans.some(([s]) => String(s) === query.span) ? Number(query.span) : 60;
  const paused = query.paused === "1";
  const { look, points, state, error, command, heardAt, again } = useFeed(paused);
  const picture = useRef(null);
  const rails = useMemo(() => (look && look.power ? (look.power.rails || []).map((rail) => rail.name) : []), [look && (look.power ? (look.power.rails || []).length : 0)]);
  const source = look ? [look.board && look.board.name, look.provenance].filter(Boolean).join(", ") : "";
  const common = { points, span, source };
  return html`<div class="live-head"><h1>Live</h1><span class=${`state ${paused ? "held" : `is-${state}`}`}>${paused ? "paused" : state === "live" ? "live" : state === "lost" ? "connection lost, trying again" : "connecting"}</span>
      <div class="row" role="group" aria-label="Time shown">${spans.map(([s, text]) => html`
        <button type="button" key=${s} aria-pressed=${String(s === span)} onClick=${() => setQuery({ span: s })}>${text}</button>`)}
        <button type="button" aria-pressed=${String(paused)} onClick=${() => setQuery({ paused: paused ? undefined : "1" })}>Pause</button></div></div>
    <${Intro} terms=${["Rail", "Power mode", "Fake board"]}>What this board draws now, on which rail and at which clocks. Start a window to count the energy of a program.</${Intro}>
    <${Strip} items=${look && liveItems(look)} stale=${state === "lost"} empty="No look yet" />
    <p class="first-questions" aria-label="Questions"><span class="faint">Ask without a board:</span> ${firstQuestions.map(([text, page, more]) => html`<a key=${page} href=${hashOf(page, { ...more, theme: query.theme })}>${text}</a> `)}</p>
    <${Announcer} look=${look} state=${state} paused=${paused} />
    <${ErrorLine} error=${error && !look ? Object.assign(error, { again }) : error} />
    ${!look ? html`<p class="faint">${state === "lost" ? "The server does not answer. Is 'ridgewatt serve' still running? This page asks again every 2 s." : "Waiting for the first reading."}</p>` : html`
      ${state === "lost" && html`<p class="warn note" role="status">These figures are outdated: the server last answered ${heardAt ? `at ${heardAt.toLocaleTimeString()}` : "before"}.</p>`}
      <div class=${state === "lost" ? "stale" : ""} aria-busy=${String(state === "lost")}><${Provenance} kind=${look.provenance} text=${provenanceText(look)} />
      <${Facts} look=${look} />
      <div class="charts live-charts"><${PowerChart} ...${common} source=${[source, look.power && look.power.source].filter(Boolean).join(", ")} rails=${rails} onReady=${(handle) => { picture.current = handle; }} />
        <${LoadChart} ...${common} /><${ClockChart} ...${common} /><${HeatChart} ...${common} /></div>
      <${DownloadBar} command=${command} name="power" json="api/v1/monitor" csv=${() => csvOf(points, span, rails)} svg=${() => picture.current.picture()} />
      <${Windows} look=${look} />
      <div class="panels"><${Mode} look=${look} /><${Rails} look=${look} /><${Clocks} look=${look} /><${Loads} look=${look} /><${Temperatures} look=${look} /><${Memory} look=${look} /><${Processes} look=${look} /></div></div>`}`;
}

function provenanceText(look) {
  const power = look.power || {};
  const sampling = look.sampling || {};
  const parts = [look.provenance === "fake" ? "simulated board (a randomized twin)" : "", look.board && (look.board.model || look.board.name),
    power.source, sampling.rate_hz ? `${number(sampling.rate_hz, 3)} samples per second` : "",
    sampling.missing ? `${sampling.missing} samples without a value` : "", sampling.lost ? `${sampling.lost} lost` : ""];
  return parts.filter(Boolean).join("; ");
}
