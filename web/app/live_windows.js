// Energy windows on the Live page: begins a window with a name and ends it, shows the cost of each
// window, and marks minibatches to count them.
import { html, useEffect, useState } from "./standalone.module.js";
import { get, post } from "./api.js";
import { ErrorLine, Table } from "./controls.js";
import { fixed } from "./live_text.js";

const columns = [{ key: "number", label: "window", digits: 6 }, { key: "name", label: "name" }, { key: "state", label: "state" }, { key: "time", label: "time (s)" },
  { key: "energy", label: "energy (J)" }, { key: "error", label: "± (J)" }, { key: "power", label: "mean power (W)" }, { key: "minibatches", label: "minibatches" },
  { key: "each", label: "energy per minibatch (J)" }];

function rowOf(window) {
  const time_s = window.time_s;
  const minibatches = window.minibatches || 0;
  return { number: window.number, name: window.name, state: window.ended ? "ended" : "open", time: fixed(time_s, 1), energy: fixed(window.energy_j, 2),
    error: fixed(window.energy_error_j, 2), power: fixed(window.mean_w, 2), minibatches: String(minibatches),
    each: minibatches > 0 && window.ended && typeof window.energy_j === "number" ? fixed(window.energy_j / minibatches, 3) : "-" };
}

export function Windows({ look }) {
  const [windows, setWindows] = useState([]);
  const [name, setName] = useState("");
  const [error, setError] = useState(null);
  const [said, setSaid] = useState("");
  const refresh = async () => {
    try { setWindows((await get("windows")).json.windows || []); setError(null); } catch (fault) { setError(fault); }
  };
  useEffect(() => { if (look.windows) setWindows(look.windows); else refresh(); }, [look]);
  const doing = async (work, text) => {
    setError(null);
    try { await work(); setSaid(text); await refresh(); } catch (fault) { setError(fault); }
  };
  const begin = (event) => {
    event.preventDefault();
    const called = name.trim() || `window ${windows.length + 1}`;
    doing(() => post("windows", { name: called }), `Window ${called} began`);
    setName("");
  };
  const open = windows.filter((window) => !window.ended);
  return html`<section class="card windows"><h2>Windows</h2>
    <form class="row" onSubmit=${begin}><input type="text" value=${name} maxlength="80" placeholder="name, for example epoch 1" aria-label="Name of the window" onInput=${(e) => setName(e.target.value)} />
      <button type="submit">Begin a window</button>
      ${open.map((window) => html`<button type="button" key=${window.number} onClick=${() => doing(() => post(`windows/${window.number}/end`), `Window ${window.name} ended`)}>End ${window.name}</button>`)}
      <button type="button" onClick=${() => doing(() => post("marks"), "Marked")}>Mark a minibatch</button>
      <span class="faint">${(look.minibatches || {}).count || 0} marked since start</span></form>
    <p class="unseen" role="status">${said}</p><${ErrorLine} error=${error} />
    ${windows.length ? html`<${Table} columns=${columns} rows=${windows.map(rowOf)} label="Windows" />`
    : html`<p class="faint">A window adds up the energy from its beginning to its end, with the error of sampling.</p>`}</section>`;
}
