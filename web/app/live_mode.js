// The power mode on the Live page: shows the current mode. If the server permits control, sets
// another mode after a confirmation, and restores the original mode.
import { html, useEffect, useRef, useState } from "./standalone.module.js";
import { get, post, remove } from "./api.js";
import { ErrorLine, Select } from "./controls.js";

// A dialog that asks for confirmation before the board is changed. It has the focus while it is
// open.
function Question({ text, onYes, onNo }) {
  const dialog = useRef(null);
  useEffect(() => { dialog.current.showModal(); }, []);
  return html`<dialog ref=${dialog} aria-label=${text} onClose=${onNo}><p>${text}</p>
    <div class="row"><button type="button" onClick=${onYes}>Set it</button><button type="button" onClick=${() => dialog.current.close()}>Leave it</button></div></dialog>`;
}

function Switch({ state, onDone, onFault }) {
  const presets = state.presets || [];
  const [wanted, setWanted] = useState(presets.length ? presets[0] : "");
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState(null);  // { text, work }
  const mode = typed.trim() || wanted;
  const yes = async () => {
    const { work } = asked;
    setAsked(null);
    try { onDone(await work()); } catch (fault) { onFault(fault); }
  };
  return html`<form class="mode-form" onSubmit=${(event) => { event.preventDefault(); setAsked({ text: `Set the board to ${mode}?`, work: () => post("mode", { mode }) }); }}>
    ${presets.length > 0 && html`<${Select} label="Preset" value=${wanted} options=${presets} onChange=${setWanted} />`}
    <label class="field"><span>Or a mode as text</span><input type="text" value=${typed} placeholder="cores=4,gpu=612" onInput=${(event) => setTyped(event.target.value)} /></label>
    <div class="row"><button type="submit" disabled=${!mode}>Set the mode</button>
      <button type="button" disabled=${!state.holding} onClick=${() => setAsked({ text: "Restore the original mode of the board?", work: () => remove("mode") })}>Restore</button></div>
    ${asked && html`<${Question} text=${asked.text} onYes=${yes} onNo=${() => setAsked(null)} />`}</form>`;
}

export function Mode({ look }) {
  const [state, setState] = useState(null);
  const [error, setError] = useState(null);
  const [remarks, setRemarks] = useState([]);
  const read = async () => {
    try {
      setState((await get("mode")).json);
      setError(null);
    } catch (fault) { if (fault.status !== 404) setError(Object.assign(fault, { again: read })); }
  };
  useEffect(() => { read(); }, []);
  const control = state && state.control;
  return html`<section class="card"><h2>Power mode</h2>
    <p><b>${look.preset || look.mode_text || "not known"}</b>${look.preset && look.mode_text ? html`<br /><small>${look.mode_text}</small>` : ""}</p>
    <${ErrorLine} error=${error || (state && state.fault && new Error(state.fault))} />
    ${control && state.holding && html`<p class="faint">Set here; before it was ${state.first_preset || "another mode"}, which comes back when the server ends.</p>`}
    ${remarks.map((remark) => html`<p class="warn note">${remark}</p>`)}
    ${control ? html`<${Switch} state=${state} onDone=${(reply) => { setError(null); setRemarks(reply.remarks || []); read(); }} onFault=${setError} />`
    : html`<p class="faint">To set another one here, start the server with --allow-control.</p>`}</section>`;
}
