// The Explain page: why a measured time is longer than expected. The answer is that of `ridgewatt
// explain`. The form fields are created from the server's description.
import { html } from "./standalone.module.js";
import { address } from "./api.js";
import { DownloadBar, ErrorLine, Provenance, Table, duration, number } from "./controls.js";
import { DescribedForm, optionPrefix, valuesOf } from "./described_form.js";
import { ModeForm } from "./mode_form.js";
import { freshness, modeKeys, modeOf, modeText, shown, useBoard, useParameters, useReply, workloadKeys, workloadLine, workloadOf } from "./questions.js";
import { Intro, Remarks, Sentences, Side, Strip, Term } from "./strip.js";
import { WorkloadForm } from "./workload_form.js";

export const title = "Explain";
export const prefix = optionPrefix;
export const keys = [...workloadKeys, ...modeKeys];

const measured = ["measured", "samples-per-second", "power", "claimed"];
const placed = [...workloadKeys, "mode", ...measured];
// Parameters for language models, which this page does not support.
const ofLanguage = ["tokens-per-second", "first-token", "claimed-tokens-per-second", "quantization", "prompt", "generate", "concurrency", "kv-type"];
const example = { "option.measured": 60, "option.power": 12 };

// Causes whose name in the command's output is not clear without an explanation.
const causeNames = {
  pre_post_processing: "pre- and post-processing", per_batch: "time of another batch", contention: "other programs", cpu_fallback: "layers on the CPU",
  host_copy: "copies from the host", warm_up: "warm-up in the mean", thermal: "heat", threads: "too few threads", asynchronous_timing: "timed without waiting",
};
const nameOf = ({ cause }) => causeNames[cause] || cause.replace(/_/g, " ").replace(/\b[cg]pu\b/g, (text) => text.toUpperCase());

const columns = [
  { key: "cause", label: "cause", text: nameOf, wrap: true }, { key: "probability_pct", label: "probability (%)", digits: 2, least: 0.1, bar: true },
  { key: "remedy", label: "what tests or removes it", wrap: true }, { key: "evidence", label: "what it predicts", wrap: true },
  { key: "time_ms", label: "of the gap (ms)", digits: 3, least: 0.01 }, { key: "gain", label: "× faster without it", digits: 3 },
];

const labels = { measured: "Measured time", power: "Measured power", claimed: "Published time" };

function Answer({ json }) {
  const power = json.measured_power_w !== undefined;
  const fact = (name, value, unit, note) => html`<div key=${name}><dt>${name}</dt><dd><span data-answer=${name}>${value}</span> <small>${unit}</small></dd><dd>${note}</dd></div>`;
  return html`<dl class="answers" aria-live="polite">
      ${fact("Measured", number(json.measured_ms), "ms", power ? `at ${number(json.measured_power_w)} W` : "")}
      ${fact("Expected", number(json.expected_ms), "ms", `90 %: ${number(json.expected_lo_ms, 3)} to ${number(json.expected_hi_ms, 3)} ms; ${number(json.expected_power_w, 3)} W`)}
      ${fact("Gap", number(json.gap_ms), "ms", `of a minibatch of ${json.batch}`)}</dl>
    <${Sentences} list=${json.sentences} />
    ${(json.seen || []).length > 0 && html`<p class="note">Seen: ${json.seen.join("; ")}</p>`}
    <${Provenance} kind=${json.provenance} text=${`probabilities are modelled, on the ${json.twin} twin of ${json.board}`}><${Term} of="Provenance" /></${Provenance}>
    <${Remarks} list=${json.remarks} />
    <h2>Causes</h2>
    <p class="note faint">Several causes may act at the same time, so probabilities may add up to more than 100 %.</p>
    <${Table} label="Causes" columns=${columns} stack rows=${json.rows.map((row) => ({ ...row, probability_pct: 100 * row.probability }))} />`;
}

function Empty({ setQuery }) {
  return html`<div class="card"><p>Enter what you measured: the time of a minibatch, or samples per second. Power separates causes that predict the same time.</p>
    <p><button type="button" onClick=${() => setQuery(example)}>Show an example: 60 ms at 12 W</button></p></div>`;
}

export function Page({ query, setQuery }) {
  const workload = workloadOf(query);
  const board = useBoard(workload.device);
  const mode = board.knobs && modeOf(query, board);
  const options = valuesOf(query, useParameters("explain"));
  const given = options.measured !== undefined || options["samples-per-second"] !== undefined;
  const question = mode && given ? { ...workload, mode: modeText(mode), ...options } : null;
  const reply = useReply("explain", question);
  const { json } = reply;
  return html`<h1>Explain</h1>
    <${Intro} terms=${["Power mode", "Interval", "Twin"]}>A measured time is longer than expected or published. What is the most probable cause, and what removes it?</${Intro}>
    <${Strip} on=${workload.device} items=${json && [`${duration(json.measured_ms)} measured`, `${duration(json.expected_ms)} expected`, json.conclusion]}
      stale=${reply.stale} empty=${given ? (reply.error ? "No answer to this question" : "Asking") : "Enter a measured time"} />
    <div class="sided"><${Side} summary=${workloadLine(query)}>
      <fieldset><legend>Measured</legend><${DescribedForm} endpoint="explain" only=${measured} labels=${labels} query=${query} setQuery=${setQuery} />
        <${DescribedForm} endpoint="explain" without=${[...placed, ...ofLanguage]} query=${query} setQuery=${setQuery} legend="What else you know" /></fieldset>
      <${WorkloadForm} query=${query} setQuery=${setQuery} />
      ${mode && html`<${ModeForm} board=${board} mode=${mode} setQuery=${setQuery} />`}</${Side}>
    <div><${ErrorLine} error=${board.error || reply.error} />
      ${!given && html`<${Empty} setQuery=${setQuery} />`}
      ${json && html`<div class=${freshness(reply)}><${Answer} json=${json} /></div>
        <${DownloadBar} command=${shown(reply.command)} csv=${address("explain", { ...question, format: "csv" })} json=${address("explain", question)} name="explain" />`}</div></div>`;
}
