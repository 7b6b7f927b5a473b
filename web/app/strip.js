// Components that all pages use: the answer in a line that stays visible, the form, which
// collapses on a narrow screen, an introduction, and "?" buttons that show definitions from
// docs/glossary.md.
import { html, useEffect, useState } from "./standalone.module.js";
import { duration, number } from "./controls.js";

// The widest of the intervals [value, lo, hi] as text: "±20 %", or a factor if it is wide. It holds
// for both ends of the interval.
export function spreadText(costs) {
  const factors = costs.filter(([value, lo, hi]) => value > 0 && lo > 0 && hi > lo).map(([value, lo, hi]) => Math.max(hi / value, value / lo));
  if (!factors.length) return "";
  const most = Math.max(...factors);
  return most < 1.6 ? `±${Math.round(100 * (most - 1))} %` : `within a factor of ${number(most, 2)}`;
}

// Time, power and energy of a minibatch as texts. `one` is a JSON row of estimate or tune.
export const costItems = (one) => [duration(one.time_ms), `${number(one.power_w, 3)} W`, `${number(one.energy_j, 3)} J`];
export const costSpread = (one) => spreadText([["time", "ms"], ["power", "w"], ["energy", "j"]].map(([name, unit]) => [one[`${name}_${unit}`], one[`${name}_lo_${unit}`], one[`${name}_hi_${unit}`]]));

// items: texts of the answer. on: name of the board. stale: the answer belongs to an earlier state
// of the form.
export function Strip({ items, spread, on, stale, empty = "No answer yet" }) {
  const shown = (items || []).filter(Boolean);
  return html`<p class=${`strip${stale ? " stale" : ""}`} data-strip aria-busy=${String(Boolean(stale))}>
    ${shown.length ? html`<b>${shown.join(" · ")}</b>${spread && html`, <span title="The widest 90 % interval">${spread}</span>`}${on && html` <span class="faint">on ${on}</span>`}` : html`<span class="faint">${empty}</span>`}</p>`;
}

const wide = window.matchMedia("(min-width: 801px)");

// The form of a page. On a narrow screen it is collapsed to one line.
export function Side({ summary, children }) {
  const [open, setOpen] = useState(wide.matches);
  useEffect(() => {
    const changed = () => setOpen(wide.matches);
    wide.addEventListener("change", changed);
    return () => wide.removeEventListener("change", changed);
  }, []);
  return html`<details class="question" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${summary}</summary><div class="side">${children}</div></details>`;
}

let glossary = null;
const definitions = () => (glossary = glossary || fetch("glossary.md").then((reply) => reply.text()).then((text) =>
  text.split(/\n(?=\* |#)/).filter((entry) => entry.startsWith("* **")).map((entry) => entry.slice(2).replace(/\s+/g, " ").trim())));

// `of`: the term, as written in bold in the glossary.
export function Term({ of }) {
  const [text, setText] = useState("");
  const read = async (event) => {
    if (!event.currentTarget.open || text) return;
    try {
      const entry = (await definitions()).find((one) => one.toLowerCase().includes(`**${of.toLowerCase()}**`));
      setText(entry ? entry.replace(/\*\*|`/g, "") : `The glossary has no '${of}'.`);
    } catch {
      glossary = null;
      setText("The server does not answer: close and open this again.");
    }
  };
  return html`<details class="term" onToggle=${read}><summary aria-label=${`What is meant by ${of.toLowerCase()}?`} title=${of}>?</summary><span role="note">${text || "Reading"}</span></details>`;
}

export function Intro({ children, terms = [] }) {
  return html`<div class="intro"><span>${children}</span>${terms.map((of) => html`<span class="named" key=${of}>${of} <${Term} of=${of} /></span>`)}</div>`;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

// The remarks of an answer, as on the command line.
export const Remarks = ({ list }) => (list || []).map((text) => html`<p class="faint note" data-remark key=${text}>${sentence(text)}</p>`);

// The answer as sentences.
export function Sentences({ list }) {
  if (!list || !list.length) return null;
  return html`<ul class="sentences">${list.map((text) => html`<li key=${text}>${sentence(text)}</li>`)}</ul>`;
}
