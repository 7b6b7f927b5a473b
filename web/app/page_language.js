// The Language models page: whether a model fits the memory, its speed, its energy per token, and
// its best power mode. The numbers are those of `ridgewatt llm`, `ridgewatt fits` and `ridgewatt
// tune llm`.
import { html, useMemo, useRef } from "./standalone.module.js";
import { address, getText } from "./api.js";
import { Chart, DownloadBar, ErrorLine, Provenance, Select, grouped, number, useThemeCount } from "./controls.js";
import { parseCsv, modeAt } from "./cloud.js";
import { allModes, figures, keyOf, modeColumns, overKnob, overLength } from "./language_charts.js";
import { LanguageForm, fitsQuestion, languageKeys, languageQuestion } from "./language_form.js";
import { MemoryBar, Quantizations } from "./language_memory.js";
import { BestMode, LimitForm, limitKeys, tuneLimits } from "./language_tune.js";
import { ModeForm } from "./mode_form.js";
import { knobOf } from "./explore_charts.js";
import { freshness, knobsOf, modeKeys, modeOf, modeText, queryOfMode, shown, useBoard, useReply, useSettled } from "./questions.js";
import { Intro, Remarks, Side, Strip, Term, spreadText } from "./strip.js";

export const title = "Language models";
export const keys = [...languageKeys, ...modeKeys, ...limitKeys, "over", "figure"];

const lengths = [128, 512, 2048, 8192, 32768, 131072];  // prompt lengths in the chart (tokens)
// Context length at which the API also reports a decoding step (tokens). This page needs only one.
const aContext = 512;
const figureOptions = Object.entries(figures).map(([value, one]) => ({ value, label: one.name }));

function Figure({ name, row, top, figure, unit, digits = 4, children }) {
  const value = row[keyOf(figure)], most = top && top[keyOf(figure)];
  return html`<div><dt>${name}</dt><dd><span data-answer=${name}>${number(value, digits)}</span> <small>${unit}</small></dd>
    <dd>90 %: ${number(row[keyOf(figure, "lo")], digits)} to ${number(row[keyOf(figure, "hi")], digits)} ${unit}</dd>
    ${most > 0 && most !== value && html`<dd>${number(value / most, 3)} times the highest clocks' ${number(most, digits)} ${unit}</dd>`}${children}</div>`;
}

function Answers({ reply, top }) {
  const row = reply.json && reply.json.rows[0], highest = !top.stale && top.json && top.json.rows[0];
  if (!row) return html`<${ErrorLine} error=${reply.error} />${!reply.error && html`<p class="faint" role="status">Asking</p>`}`;
  return html`<${ErrorLine} error=${reply.error} />
    <dl class=${`answers ${freshness(reply)}`} aria-live="polite">
      <${Figure} name="Speed" unit="tokens/s" row=${row} top=${highest} figure=${figures.speed}><dd>${number(row.tpot_ms)} ms per token; a step is limited by ${row.bound}</dd></${Figure}>
      <${Figure} name="First token" unit="ms" row=${row} top=${highest} figure=${figures.ttft} />
      <${Figure} name="Energy" unit="J/token" row=${row} top=${highest} figure=${figures.joules}><dd>${number(row.request_j)} J per request</dd></${Figure}>
      <${Figure} name="Power" unit="W" row=${row} top=${highest} figure=${figures.power} digits=${3}><dd>decoding; ${number(row.prefill_power_w, 3)} W on the prompt</dd></${Figure}>
    </dl>
    <${Provenance} kind=${row.provenance} text=${`${reply.json.model} in ${row.quantization}, run by ${row.runtime}`}><${Term} of="Provenance" /></${Provenance}>
    <${Remarks} list=${reply.json.remarks} />`;
}

function Memory({ memory }) {
  return memory && html`<h2>Memory on ${memory.board}: <span data-answer="Fits" class=${memory.fits ? "" : "warn"}>${memory.fits ? "fits" : "does not fit"}</span></h2><${MemoryBar} row=${memory} />`;
}

// The same request with several prompt lengths, sent after the sliders have stopped.
function useLengths(question, trained) {
  const settled = useSettled(question);
  const wanted = [...lengths.filter((prompt) => settled && prompt !== settled.prompt), settled && settled.prompt];
  const asked = [...lengths, 0].map((_, i) => (wanted[i] && trained !== undefined && (!trained || wanted[i] + settled.generate <= trained) ? { ...settled, prompt: wanted[i] } : null));
  const replies = asked.map((question) => useReply("llm", question));
  return replies.filter((reply, i) => asked[i] && reply.json && address("llm", reply.params) === address("llm", asked[i]))
    .map((reply) => ({ prompt: reply.json.prompt, row: reply.json.rows[0] })).sort((a, b) => a.prompt - b.prompt);
}

function OverLength({ rows, figure, prompt, setQuery }) {
  const handle = useRef(null);
  const theme = useThemeCount();
  const drawn = useMemo(() => rows.length > 1 && overLength(rows, figure, prompt), [JSON.stringify(rows.map((one) => [one.prompt, one.row[keyOf(figure)]])), figure, prompt, theme]);
  if (!drawn) return null;
  return html`<div><${Chart} option=${drawn.option} legend=${drawn.legend} title=${`${figure.name} over the length of the prompt`} height=${400}
      source="All other values are those of the sliders. Click a point to select that prompt length." note=${drawn.outgrown ? "Hollow points do not fit the board's memory." : ""}
      onReady=${(h) => { handle.current = h; }} onClick=${(item) => item.prompt !== undefined && setQuery({ prompt: item.prompt })} />
    <${DownloadBar} svg=${() => handle.current.picture()} name="lengths" /></div>`;
}

function Modes({ cloud, reply, mode, board, answer, figure, query, setQuery, question }) {
  const front = useRef(null), knobChart = useRef(null);
  const theme = useThemeCount();
  const knob = knobOf(query.over, board);
  const all = useMemo(() => allModes(cloud, board.presets, mode, answer), [cloud, modeText(mode), answer && modeText(answer), theme]);
  const over = useMemo(() => overKnob(cloud, mode, knob, figure), [cloud, modeText(mode), knob, figure, theme]);
  const files = { csv: address("llm", question), json: address("llm", { ...question, format: undefined, columns: undefined }) };
  return html`<div class="charts dense">
    <div><${Chart} option=${all.option} legend=${all.legend} title=${`All ${grouped(cloud.count)} modes: joules over time per token`} height=${430}
      source="Click the front to select a mode." note=${`${all.onFront} ${all.onFront === 1 ? "mode" : "modes"} on the front`} onReady=${(h) => { front.current = h; }}
      onClick=${(item) => item.row !== undefined && setQuery(queryOfMode(modeAt(cloud, item.row)))} />
      <${DownloadBar} command=${shown(reply.command)} ...${files} svg=${() => front.current.picture()} name="modes" /></div>
    <div><${Chart} option=${over.option} legend=${over.legend} title=${`${figure.name} over ${knob.label}`} height=${430}
      source="Other knobs have the values of the sliders. Click a point to select it." onReady=${(h) => { knobChart.current = h; }}
      onClick=${(item) => item.row !== undefined && setQuery({ [knob.key]: cloud.columns[knob.of][item.row], governor: undefined })} />
      <div class="row"><${Select} label="Over" value=${knob.key} options=${knobsOf(board).map((one) => ({ value: one.key, label: one.label }))} onChange=${(value) => setQuery({ over: value })} /></div></div></div>`;
}

export function Page({ query, setQuery }) {
  const asked = languageQuestion(query);
  const board = useBoard(asked.device);
  const mode = board.knobs && modeOf(query, board), top = board.knobs && modeOf({}, board);
  const at = (of) => of && { ...asked, context: aContext, modes: modeText(of) };
  const question = at(mode);
  const llm = useReply("llm", question);
  const highest = useReply("llm", at(top));
  const every = { ...fitsQuestion(asked), quantization: "all" };
  const quantizations = useReply("fits", every);
  const names = useMemo(() => (quantizations.json ? quantizations.json.rows.map((row) => row.quantization) : []), [quantizations.json]);
  const figure = figures[query.figure] || figures.speed;
  const byLength = useLengths(question, llm.json && llm.json.trained_context);
  const csv = useSettled({ ...asked, context: aContext, modes: "all", format: "csv", columns: modeColumns });
  const cloudReply = useReply("llm", llm.json && csv, getText);
  const cloud = useMemo(() => cloudReply.text && parseCsv(cloudReply.text), [cloudReply.text]);
  const memory = llm.json && llm.json.memory[0];
  // A model that does not fit the memory has no best mode, so the server is not asked for one.
  const holds = Boolean(memory && memory.fits && question && !llm.error && address("llm", llm.params) === address("llm", question));
  const tuneQuestion = useSettled(holds ? { ...asked, ...tuneLimits(query) } : null);
  const tune = useReply("tune/llm", holds && tuneQuestion);
  const best = holds && !tune.error && tune.json && tune.json.feasible ? tune.json.mode || tune.json.decode_mode : null;
  const row = llm.json && llm.json.rows[0];
  const dimmed = freshness(llm);
  return html`<h1>Language models</h1>
    <${Intro} terms=${["Prefill", "First token", "Interval", "Engine"]}>Does a language model fit the board's memory, how fast is it, and what does a token cost? Move the sliders of the request.</${Intro}>
    <${Strip} on=${asked.device} items=${row && [memory && (memory.fits ? "fits" : "does not fit"), `${number(row.tokens_per_s)} tokens/s`, `first token ${number(row.ttft_ms)} ms`, `${number(row.joules_per_token)} J/token`]}
      spread=${row && spreadText(["speed", "ttft", "joules"].map((name) => [row[keyOf(figures[name])], row[keyOf(figures[name], "lo")], row[keyOf(figures[name], "hi")]]))} stale=${llm.stale} empty=${llm.error ? "No answer to this question" : "Asking"} />
    <div class="sided">
    <${Side} summary=${`${query.file || asked.model.replace(/^zoo:/, "")} on ${asked.device}, ${asked.prompt} + ${asked.generate} tokens`}><${LanguageForm} query=${query} setQuery=${setQuery} quantizations=${names} /><${ErrorLine} error=${board.error} />
      ${mode && html`<${ModeForm} board=${board} mode=${mode} setQuery=${setQuery} />`}
      <${LimitForm} query=${query} setQuery=${setQuery} /></${Side}>
    <div>${mode && html`<${Answers} reply=${llm} top=${highest} />
      <${DownloadBar} command=${shown(llm.command)} csv=${address("llm", { ...question, format: "csv" })} json=${address("llm", question)} name="llm" />
      <div class=${dimmed}><${Memory} memory=${memory} /></div>
      <h2>Over lengths and modes</h2>
      <div class="row"><${Select} label="Figure" value=${query.figure || "speed"} options=${figureOptions} onChange=${(value) => setQuery({ figure: value })} /></div>
      <div class=${`charts dense ${dimmed}`}><${OverLength} rows=${byLength} figure=${figure} prompt=${asked.prompt} setQuery=${setQuery} /></div>
      <${ErrorLine} error=${cloudReply.error} />
      ${cloud && cloud.count > 0 && html`<div class=${freshness(cloudReply)}><${Modes} cloud=${cloud} reply=${cloudReply} mode=${mode} board=${board} answer=${best} figure=${figure} query=${query} setQuery=${setQuery} question=${csv} /></div>`}
      ${mode && llm.json && !cloud && !cloudReply.error && html`<p class="faint" role="status">Computing all ${grouped(board.modes)} modes</p>`}
      <${BestMode} tune=${tune} outgrown=${Boolean(memory && !memory.fits)} question=${tuneQuestion} presets=${board.presets} setQuery=${setQuery} />`}
      <${Quantizations} reply=${quantizations} question=${every} chosen=${memory && memory.quantization} onSelect=${(name) => setQuery({ quantization: name }, { push: true })} /></div></div>`;
}
