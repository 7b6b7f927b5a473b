// Form fields for the parameters of a question, created from the server's description
// (openapi.json): a number, a choice of names, a check box, or a list of texts. New parameters of
// the server appear without changes here. Files and free text have no field.
import { html } from "./standalone.module.js";
import { Check, NumberField, Select } from "./controls.js";
import { useParameters } from "./questions.js";

// Prefix of these parameters' names in an address.
export const optionPrefix = "option.";
export const optionsOf = (query) => Object.fromEntries(Object.entries(query)
  .filter(([key, value]) => key.startsWith(optionPrefix) && value !== undefined && value !== "")
  .map(([key, value]) => [key.slice(optionPrefix.length), value]));
// As optionsOf(), with texts split into lists where `parameters` describe a list.
export const valuesOf = (query, parameters) => Object.fromEntries(Object.entries(optionsOf(query)).map(([name, value]) =>
  [name, parameters.some((one) => one.name === name && kindOf(one) === "list") ? split(value) : value]));

const flagPattern = "^(0|1|true|false)$";
// Control only the format of the answer.
const shownAs = { format: true, columns: true, sort: true, top: true, "with-figures": true };
const kindOf = ({ schema }) => (schema.type === "number" || schema.type === "integer" ? "number"
  : schema.enum ? "choice" : schema.pattern === flagPattern ? "flag" : isList(schema) ? "list" : null);
// A list of texts, which the user separates by commas.
const isList = ({ type, items }) => type === "array" && items.type === "string" && !items.pattern && !items.enum && !items["x-choices"];
const split = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);
const labelOf = (name) => name.charAt(0).toUpperCase() + name.slice(1).replace(/-/g, " ");

function Field({ parameter, label = labelOf(parameter.name), value, onChange }) {
  const { name, schema } = parameter, kind = kindOf(parameter);
  if (kind === "flag") return html`<${Check} label=${label} checked=${value === "1"} onChange=${(on) => onChange(on ? 1 : undefined)} />`;
  if (kind === "choice") {
    const options = [{ value: "", label: schema.default || "as the server does" }, ...schema.enum.map((one) => ({ value: one, label: one }))];
    return html`<${Select} label=${label} value=${value || ""} options=${options} onChange=${(one) => onChange(one || undefined)} />`;
  }
  if (kind === "list") return html`<label class="field"><span>${label}</span><input type="text" value=${value || ""} placeholder="name=value, name=value" onChange=${(event) => onChange(event.target.value || undefined)} /></label>`;
  return html`<${NumberField} label=${label} unit=${schema["x-unit"]} value=${value} min=${schema.minimum ?? schema.exclusiveMinimum} max=${schema.maximum}
    step=${schema.type === "integer" ? 1 : "any"} placeholder=${schema.default ?? ""} onChange=${onChange} />`;
}

// `without`: parameters to leave out, because the page shows them elsewhere. `only`: the parameters
// to show, in this order; default: all. With a legend, the fields are collapsed unless one of them
// has a value. `labels`: name -> label, where the parameter's name alone is not clear.
export function DescribedForm({ endpoint, without = [], only, labels = {}, query, setQuery, legend }) {
  const known = useParameters(endpoint);
  const wanted = only ? only.map((name) => known.find((one) => one.name === name)).filter(Boolean) : known;
  const parameters = wanted.filter((one) => kindOf(one) && !shownAs[one.name] && !without.includes(one.name));
  if (parameters.length === 0) return null;
  const fields = parameters.map((parameter) => html`<div key=${parameter.name} title=${parameter.description}><${Field} parameter=${parameter} label=${labels[parameter.name]} value=${query[optionPrefix + parameter.name]}
      onChange=${(value) => setQuery({ [optionPrefix + parameter.name]: value })} /></div>`);
  if (!legend) return fields;
  return html`<details open=${parameters.some(({ name }) => query[optionPrefix + name] !== undefined)}><summary>${legend}</summary>${fields}</details>`;
}
