// Language models: does it fit, how fast is it, at how many joules per token, in which power mode.
// The numbers are those of `ridgewatt fits`.
import { html, useMemo } from "./standalone.module.js";
import { address } from "./api.js";
import { DownloadBar, ErrorLine, Provenance, number } from "./controls.js";
import { LanguageForm, fitsQuestion, languageQuestion } from "./language_form.js";
import { MemoryBar, Quantizations } from "./language_memory.js";
import { shown, useReply } from "./questions.js";

export const title = "Language models";

function Memory({ fits, question }) {
  const row = fits.json && fits.json.rows[0];
  return html`<${ErrorLine} error=${fits.error} />
    ${row && html`<div class=${fits.error ? "stale" : ""}><h2>Memory on ${row.board}: <span data-answer="Fits" class=${row.fits ? "" : "warn"}>${row.fits ? "fits" : "does not fit"}</span></h2>
      <${MemoryBar} row=${row} /></div>
      ${(fits.json.remarks || []).map((text) => html`<p class="warn note">${text}</p>`)}
      <${Provenance} kind=${fits.json.provenance} text=${`${number(fits.json.parameters / 1e9, 4)} billion weights, ${number(fits.json.kv_bytes_per_token, 6)} bytes of cache per token; ${row.system_source}`} />
      <${DownloadBar} command=${shown(fits.command)} csv=${address("fits", { ...question, format: "csv" })} json=${address("fits", question)} name="fits" />`}
    ${!row && !fits.error && html`<p class="faint" role="status">Asking</p>`}`;
}

export function Page({ query, setQuery }) {
  const asked = languageQuestion(query);
  const question = fitsQuestion(asked);
  const fits = useReply("fits", question);
  const every = { ...question, quantization: "all" };
  const quantizations = useReply("fits", every);
  const names = useMemo(() => (quantizations.json ? quantizations.json.rows.map((row) => row.quantization) : []), [quantizations.json]);
  return html`<h1>Language models</h1><div class="sided">
    <div class="side"><${LanguageForm} query=${query} setQuery=${setQuery} quantizations=${names} /></div>
    <div><${Memory} fits=${fits} question=${question} />
      <${Quantizations} reply=${quantizations} question=${every} chosen=${fits.json && fits.json.rows[0].quantization} onSelect=${(name) => setQuery({ quantization: name }, { push: true })} /></div></div>`;
}
