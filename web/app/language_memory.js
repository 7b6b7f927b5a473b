// The use of a board's memory: a bar with its parts to scale, their sum as text, and all
// quantizations.
import { html } from "./standalone.module.js";
import { DownloadBar, Table, number } from "./controls.js";
import { address } from "./api.js";
import { freshness, shown } from "./questions.js";

const gibibyte = 1024 ** 3;
const gib = (bytes) => `${(bytes / gibibyte).toFixed(2)} GiB`;
const parts = [
  { key: "system_bytes", name: "system" }, { key: "runtime_bytes", name: "process" }, { key: "weights_bytes", name: "weights" },
  { key: "kv_bytes", name: "cache" }, { key: "buffer_bytes", name: "buffers" }, { key: "left_bytes", name: "left" },
];

// `row` is a row of `fits`. A line marks the size of the memory; the part beyond it does not fit.
export function MemoryBar({ row }) {
  const shownParts = parts.filter(({ key }) => row[key] > 0);
  const whole = Math.max(row.board_bytes, row.board_bytes - row.left_bytes);
  return html`<div class="memory" role="img" aria-label=${`Memory: ${row.sum}`}>
      ${shownParts.map(({ key, name }) => html`<i key=${name} class=${`part ${name}`} style=${{ flexGrow: row[key] / whole }} title=${`${name}: ${gib(row[key])}`}></i>`)}
      ${row.left_bytes < 0 && html`<b class="end" style=${{ left: `${(100 * row.board_bytes) / whole}%` }} title=${`end of the board: ${gib(row.board_bytes)}`}></b>`}</div>
    <ul class="legend memory-legend">${parts.map(({ key, name }) => html`<li key=${name}><i class=${`part ${name}`}></i>${name} <b data-memory=${name}>${gib(row[key])}</b></li>`)}</ul>
    <p class="faint note">${row.sum}. Largest context ${number(row.largest_context, 6)} tokens${row.largest_context_by ? ` (by ${row.largest_context_by})` : ""}, most sequences ${number(row.largest_batch, 6)}.</p>`;
}

const quantizationColumns = [
  { key: "quantization", label: "quantization" }, { key: "fits", label: "fits", text: (row) => (row.fits ? "yes" : "no") },
  { key: "weights", label: "weights (GiB)", digits: 3 }, { key: "left", label: "left (GiB)", digits: 3 },
  { key: "bits_per_weight", label: "bits per weight", digits: 3 }, { key: "largest_context", label: "largest context", digits: 6 }, { key: "largest_batch", label: "most sequences", digits: 6 },
];

export function Quantizations({ reply, question, chosen, onSelect }) {
  if (!reply.json) return null;
  const rows = reply.json.rows.map((row) => ({ ...row, weights: row.weights_bytes / gibibyte, left: row.left_bytes / gibibyte }));
  return html`<div class=${freshness(reply)}><h2>Quantizations</h2>
    <${Table} label="Quantizations" columns=${quantizationColumns} rows=${rows} selected=${rows.find((row) => row.quantization === chosen)} onSelect=${(row) => onSelect(row.quantization)} />
    <${DownloadBar} command=${shown(reply.command)} csv=${address("fits", { ...question, format: "csv" })} json=${address("fits", question)} name="quantizations" /></div>`;
}
