// The best mode for a language model within limits, as `ridgewatt tune llm` finds it.
import { html } from "./standalone.module.js";
import { address } from "./api.js";
import { Check, DownloadBar, ErrorLine, NumberField, Select, number } from "./controls.js";
import { freshness, modeWords, queryOfMode, shortMode, shown } from "./questions.js";

const limits = [
  { key: "max-power", label: "Maximum power", unit: "W" }, { key: "max-ttft", label: "Maximum time to first token", unit: "ms" },
  { key: "max-tpot", label: "Maximum time per token", unit: "ms" }, { key: "min-tokens-per-s", label: "Minimum tokens", unit: "1/s" },
];
export const limitKeys = ["minimize", "phases", ...limits.map(({ key }) => key)];
const goals = [{ value: "energy", label: "energy of a request" }, { value: "token-energy", label: "joules per token" }, { value: "time", label: "time of a request" }, { value: "token-time", label: "time per token" }];

// The limits and the objective, from the address.
export function tuneLimits(query) {
  const asked = { minimize: query.minimize || undefined, phases: query.phases === "1" || undefined };
  for (const { key } of limits) if (Number(query[key]) > 0) asked[key] = Number(query[key]);
  return asked;
}

export function LimitForm({ query, setQuery }) {
  return html`<fieldset><legend>Best mode</legend>
    <${Select} label="Minimize" value=${query.minimize || "energy"} options=${goals} onChange=${(value) => setQuery({ minimize: value === "energy" ? undefined : value })} />
    ${limits.map(({ key, label, unit }) => html`<${NumberField} key=${key} label=${label} unit=${unit} value=${query[key]} placeholder="no limit" onChange=${(value) => setQuery({ [key]: value })} />`)}
    <${Check} label="One mode for the prompt, one for decoding" checked=${query.phases === "1"} onChange=${(on) => setQuery({ phases: on ? 1 : undefined })} /></fieldset>`;
}

function Plan({ plan, presets, setQuery, heading }) {
  const decode = plan.mode || plan.decode_mode;
  return html`<dl class="answers" aria-live="polite">
    <div class="double"><dt>${heading}</dt><dd class="mode" data-answer="Best mode">${plan.mode ? shortMode(decode, presets) : "two modes"}</dd>
      ${plan.mode ? html`<dd>${modeWords(decode)}</dd>` : html`<dd>prompt: ${modeWords(plan.prefill_mode)}</dd><dd>decoding: ${modeWords(decode)}</dd><dd>${number(plan.switch_ms, 3)} ms from one to the other</dd>`}
      <dd><button type="button" onClick=${() => setQuery(queryOfMode(decode))}>Set the sliders to this mode</button></dd></div>
    <div><dt>A request takes</dt><dd><span data-answer="Best request">${number(plan.request_j)}</span> <small>J</small></dd><dd>90 %: ${number(plan.request_lo_j)} to ${number(plan.request_hi_j)} J; ${number(plan.request_s)} s</dd></div>
    <div><dt>Speed there</dt><dd><span data-answer="Best speed">${number(plan.tokens_per_s)}</span> <small>tokens/s</small></dd><dd>first token after ${number(plan.ttft_ms)} ms</dd></div>
    <div><dt>Joules there</dt><dd>${number(plan.joules_per_token)} <small>per token</small></dd><dd>${number(plan.prefill_power_w, 3)} W on the prompt, ${number(plan.decode_power_w, 3)} W decoding</dd></div></dl>`;
}

export function BestMode({ tune, outgrown, question, presets, setQuery }) {
  if (outgrown) return html`<h2>Best mode</h2><p class="note" data-answer="Best mode">The board does not hold this model with such a request: there is no best mode.</p>`;
  const refused = tune.error && tune.error.json && tune.error.json.feasible === false ? tune.error.json : null;
  const json = refused || tune.json;
  return html`<h2>Best mode</h2>
    ${tune.error && !refused && html`<${ErrorLine} error=${tune.error} />`}
    ${!json && !tune.error && html`<p class="faint" role="status">Searching</p>`}
    ${json && html`<div class=${freshness(tune)}>${json.feasible
      ? html`<${Plan} plan=${json} presets=${presets} setQuery=${setQuery} heading=${`Least ${goals.find((one) => one.value === json.goal).label}`} />`
      : html`<div class="card" role="status"><p><b data-answer="Best mode">No mode meets these limits.</b></p>
          ${json.misses && json.misses.length > 0 && html`<p>Nearest: ${json.misses.join(", ")}</p>`}</div>`}
      ${json.one_mode && json.feasible && json.prefill_mode && html`<p class="note">One mode for both phases: ${number(json.one_mode.request_j)} J per request at ${modeWords(json.one_mode.mode)}.</p>`}</div>
    ${question && html`<${DownloadBar} command=${shown(tune.command)} csv=${address("tune/llm", { ...question, format: "csv" })} json=${address("tune/llm", question)} name="tune_llm" />`}`}`;
}
