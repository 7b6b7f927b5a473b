// Comparison of two answers: A is pinned, with its question in the address, and B is the one that
// the page shows.
import { html } from "./standalone.module.js";
import { ErrorLine, number } from "./controls.js";
import { modeKeys, modeName, modeOf, modeText, useBoard, useReply, workloadKeys, workloadLine, workloadOf } from "./questions.js";

export const pinKey = "pin";
const asked = [...workloadKeys, ...modeKeys];
const rows = [["Time", "time_ms", "ms"], ["Power", "power_w", "W"], ["Energy", "energy_j", "J"]];

// The change from A to B: "+12 %" or, from a factor of 2 on, "3.1 times" or "8.7 times less".
function difference(a, b) {
  const ratio = b / a;
  if (!(ratio > 0)) return "-";
  if (ratio >= 2) return `${number(ratio, 3)} times`;
  if (ratio <= 0.5) return `${number(1 / ratio, 3)} times less`;
  return `${ratio < 1 ? "−" : "+"}${number(Math.abs(100 * (ratio - 1)), 2)} %`;
}

function Differences({ query, b, stale, setQuery, now }) {
  const workload = workloadOf(query);
  const board = useBoard(workload.device);
  const mode = board.knobs && modeOf(query, board);
  const reply = useReply("estimate", mode && { ...workload, modes: modeText(mode) });
  const a = reply.json && reply.json.estimates[0];
  return html`<section class="card pinned" aria-label="Comparison with A"><${ErrorLine} error=${reply.error || board.error} />
    <p class="note"><b>A</b>: ${workloadLine(query)}${mode && `; ${modeName(mode, board.presets)}`}<br /><b>B</b>: ${now}</p>
    ${a && html`<div class="scroll"><table aria-label="A and B" class=${stale || reply.stale ? "stale" : ""}><thead><tr><th scope="col">per minibatch</th><th scope="col" class="n">A</th><th scope="col" class="n">B</th><th scope="col" class="n">B to A</th></tr></thead>
      <tbody>${rows.map(([name, key, unit]) => html`<tr key=${key}><td>${name} (${unit})</td><td class="n">${number(a[key])}</td><td class="n">${number(b[key])}</td><td class="n" data-difference=${name}>${difference(a[key], b[key])}</td></tr>`)}
        ${a.batch !== b.batch && html`<tr><td>Samples/s</td><td class="n">${number(1000 * a.batch / a.time_ms)}</td><td class="n">${number(1000 * b.batch / b.time_ms)}</td><td class="n">${difference(a.batch / a.time_ms, b.batch / b.time_ms)}</td></tr>`}</tbody></table></div>`}
    <button type="button" onClick=${() => setQuery({ [pinKey]: undefined })}>Unpin A</button></section>`;
}

export function Pinned({ query, setQuery, b, stale }) {
  const pin = () => setQuery({ [pinKey]: new URLSearchParams(asked.filter((key) => query[key]).map((key) => [key, query[key]])).toString() || "model=" });
  if (query[pinKey] === undefined) return html`<p class="note"><button type="button" onClick=${pin}>Pin as A</button> <span class="faint">then change the form: both are shown with their differences.</span></p>`;
  return html`<${Differences} query=${Object.fromEntries(new URLSearchParams(query[pinKey]))} b=${b} stale=${stale} setQuery=${setQuery} now=${workloadLine(query)} />`;
}
