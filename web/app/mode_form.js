// The form for a power mode: a choice of presets, and a slider for each knob with the values that
// the board supports.
import { html } from "./standalone.module.js";
import { Select, Slider, grouped } from "./controls.js";
import { knobsOf, queryOfMode, sameMode } from "./questions.js";

export function ModeForm({ board, mode, setQuery }) {
  const preset = board.presets.find((one) => sameMode(one.mode, mode));
  const options = board.presets.map((one) => one.name);
  if (!preset || mode.governor) options.unshift({ value: "", label: "none (clocks as below)" });
  return html`<fieldset><legend>Power mode</legend>
    <${Select} label="Preset" value=${preset ? preset.name : ""} options=${options}
      onChange=${(name) => { const one = board.presets.find((p) => p.name === name); setQuery(one ? queryOfMode(one.mode) : { governor: undefined }); }} />
    ${knobsOf(board).map((knob) => html`<${Slider} key=${knob.key} label=${knob.label} unit=${knob.unit} values=${board.knobs[knob.of]} value=${mode[knob.of]} onInput=${(value) => setQuery({ [knob.key]: value, governor: undefined })} />`)}
    ${mode.governor && html`<p class="faint note">With a power limit the GPU lowers its clock itself. A slider ends the limit.</p>`}
    <p class="faint note">${board.title}, ${board.release}: ${grouped(board.modes)} modes</p></fieldset>`;
}
