// Fields for the parameters of a question as the server describes them (openapi.json): a number, one of some names, or a
// switch. A parameter that the server gains gets its field without a line here; files and free text have none.
import { html } from "./standalone.module.js";
import { Check, NumberField, Select } from "./controls.js";
import { useParameters } from "./questions.js";

// In an address the names of such parameters begin with it.
export const optionPrefix = "option.";
export const optionsOf = (query) => Object.fromEntries(Object.entries(query)
  .filter(([key, value]) => key.startsWith(optionPrefix) && value !== undefined && value !== "")
  .map(([key, value]) => [key.slice(optionPrefix.length), value]));

const flagPattern = "^(0|1|true|false)$";
const shownAs = { format: true, columns: true, sort: true, top: true, "with-figures": true };  // how an answer is written
const kindOf = ({ schema }) => (schema.type === "number" || schema.type === "integer" ? "number"
  : schema.enum ? "choice" : schema.pattern === flagPattern ? "flag" : null);
const labelOf = (name) => name.charAt(0).toUpperCase() + name.slice(1).replace(/-/g, " ");

function Field({ parameter, value, onChange }) {
  const { name, schema } = parameter, label = labelOf(name), kind = kindOf(parameter);
  if (kind === "flag") return html`<${Check} label=${label} checked=${value === "1"} onChange=${(on) => onChange(on ? 1 : undefined)} />`;
  if (kind === "choice") {
    const options = [{ value: "", label: schema.default || "as the server does" }, ...schema.enum.map((one) => ({ value: one, label: one }))];
    return html`<${Select} label=${label} value=${value || ""} options=${options} onChange=${(one) => onChange(one || undefined)} />`;
  }
  return html`<${NumberField} label=${label} unit=${schema["x-unit"]} value=${value} min=${schema.minimum ?? schema.exclusiveMinimum} max=${schema.maximum}
    step=${schema.type === "integer" ? 1 : "any"} placeholder=${schema.default ?? ""} onChange=${onChange} />`;
}

// `without`: names that have a place of their own in the page.
export function DescribedForm({ endpoint, without, query, setQuery, legend }) {
  const parameters = useParameters(endpoint).filter((one) => kindOf(one) && !shownAs[one.name] && !without.includes(one.name));
  if (parameters.length === 0) return null;
  return html`<details open=${Object.keys(optionsOf(query)).length > 0}><summary>${legend}</summary>
    ${parameters.map((parameter) => html`<div key=${parameter.name} title=${parameter.description}><${Field} parameter=${parameter} value=${query[optionPrefix + parameter.name]}
      onChange=${(value) => setQuery({ [optionPrefix + parameter.name]: value })} /></div>`)}</details>`;
}
