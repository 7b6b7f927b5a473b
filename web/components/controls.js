// Preact components of a page: charts, tables, sliders, selections, downloads, provenance. Each
// control has a name for screen readers.
import { html, useEffect, useMemo, useRef, useState } from "./standalone.module.js";

const { charts, table: order } = window.Ridgewatt;

// The number of theme changes so far, on which charts depend to take the new colors.
export function useThemeCount() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((n) => n + 1);
    window.addEventListener("ridgewatt-theme", changed);
    return () => window.removeEventListener("ridgewatt-theme", changed);
  }, []);
  return count;
}

// "1 core", "4 cores".
export const coresText = (count) => `${count} ${Number(count) === 1 ? "core" : "cores"}`;

// A whole number with commas: "18,096". toLocaleString loads the locales, which takes longer than
// many pages take to draw their text.
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

// A number as text with `digits` significant digits.
export function number(value, digits = 4) {
  if (typeof value !== "number" || !isFinite(value)) return "-";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(digits - 1);
  const text = Number(value.toPrecision(digits));
  return size >= 10000 ? grouped(Math.round(value)) : String(text);
}

// "17.4 ms", "11.7 s"; from 10 seconds on in seconds.
const mostMs = 10000;
export const duration = (ms, digits = 3) => (ms >= mostMs ? `${number(ms / 1000, digits)} s` : `${number(ms, digits)} ms`);

function Legend({ entries, onToggle }) {
  const [hidden, setHidden] = useState({});
  const shapes = { points: "dot", band: "area", dot: "dot", area: "area", dashed: "dashed" };
  return html`<ul class="legend">${entries.map((entry) => html`
    <li key=${entry.name}><button type="button" class="entry" aria-pressed=${String(Boolean(hidden[entry.name]))} aria-label=${`Hide ${entry.name}`}
      onClick=${() => { setHidden({ ...hidden, [entry.name]: !hidden[entry.name] }); onToggle(entry.name); }}>
      <i class=${shapes[entry.mark] || (entry.dashed ? "dashed" : "line")} style=${{ color: entry.color }}></i>${entry.name}
    </button></li>`)}</ul>`;
}

// The color scale of a heat map with its lowest and highest value.
function Ramp({ option }) {
  const map = option.visualMap, cells = (option.series || []).find((series) => series.type === "heatmap");
  if (!map || !cells) return null;
  const more = cells.data.some((cell) => cell[2] > map.max);
  return html`<p class="ramp">${cells.name}: <b data-lo=${map.min}>${number(map.min, 3)}</b><i style=${{ background: `linear-gradient(90deg, ${map.inRange.color.join(", ")})` }}></i><b data-hi=${map.max}>${number(map.max, 3)}</b>${more && " and more"}</p>`;
}

const mostRows = 500;

// The points of a chart as rows of a table, as an accessible alternative.
function pointsOf(option) {
  const rows = [];
  const axis = (kind) => [].concat(option[kind] || [])[0] || {};
  const names = ["xAxis", "yAxis"].map((kind) => axis(kind).name || (kind === "xAxis" ? "x" : "y"));
  let total = 0;
  (option.series || []).forEach((series) => {
    if (series.polygon || series.silentTable) return;
    (series.data || []).forEach((item, i) => {
      const value = item && item.value !== undefined ? item.value : item;
      if (value === null || value === undefined || ++total > mostRows) return;
      const [x, y] = Array.isArray(value) ? value : [(axis("yAxis").data || axis("xAxis").data || [])[i], value];
      rows.push({ series: [series.name, item && item.name].filter((text) => text && !/^series\d/.test(text)).join(": "), x, y });
    });
  });
  return { rows, total, columns: [{ key: "series", label: "series" }, { key: "x", label: names[0], digits: 6 }, { key: "y", label: names[1], digits: 6 }] };
}

// The data of a figure from the HTTP API, in the form of pointsOf().
const tableOf = ({ columns, rows }) => ({ columns: columns.map((label, i) => ({ key: `c${i}`, label, digits: 6 })), rows: rows.map((row) => Object.fromEntries(row.map((value, i) => [`c${i}`, value]))), total: rows.length });

function PointTable({ option, data }) {
  const [open, setOpen] = useState(false);
  const points = open && (data ? tableOf(data) : pointsOf(option));
  return html`<details onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${data && data.caption ? data.caption : "The points as a table"}</summary>
    ${open && html`${points.total > points.rows.length && html`<p>${points.rows.length} of ${points.total} points; all are in the CSV.</p>`}
      <${Table} columns=${points.columns} rows=${points.rows} label="Points of the chart" />`}
  </details>`;
}

const idleMs = 150;  // chosen: longest delay of a change
const [whenIdle, stopIdle] = window.requestIdleCallback ? [(work) => requestIdleCallback(work, { timeout: idleMs }), (id) => cancelIdleCallback(id)]
  : [(work) => setTimeout(work), clearTimeout];

// figure: a figure of the API (figures=1), or instead option (ECharts), title, source, note, legend
// brief: omits the source, which the page already shows; downloaded images still contain it
// onClick(item): called for a clicked point; onReady(handle): see charts.js; svg() is for downloads
// idle: draws changes when the browser is idle, so that other charts follow a slider without delay
// renderer: "canvas" is faster, "svg" is sharper in print
export function Chart({ figure, option, title, source, note, legend, label, height, brief, onClick, onReady, renderer = "canvas", idle = false, children }) {
  const of = figure || { title, source, note, legend, option, height };
  const head = brief ? of.title.replace(/^.*: (.)/, (whole, letter) => letter.toUpperCase()) : of.title;
  const holder = useRef(null);
  const handle = useRef(null);
  const click = useRef(onClick);
  click.current = onClick;
  const theme = useThemeCount();
  useEffect(() => {
    handle.current = charts.draw(holder.current, of.option, { renderer, onClick: (...item) => click.current && click.current(...item) });
    if (onReady) onReady(Object.assign(handle.current, { picture: () => handle.current.svg({ title: of.title, source: of.source }) }));
    return () => handle.current.dispose();
  }, [theme, renderer]);
  const drawn = useRef(of.option), waits = useRef(0);
  useEffect(() => {
    if (drawn.current === of.option) return;
    drawn.current = of.option;
    if (!idle) handle.current.set(of.option);
    else if (!waits.current) waits.current = whenIdle(() => { waits.current = 0; handle.current.set(drawn.current); });
  }, [of.option]);
  useEffect(() => () => stopIdle(waits.current), []);
  return html`<figure class="chart">
    <figcaption>${head && html`<strong>${head}</strong>`}${of.source && !brief && html`<span>${of.source}</span>`}
      ${of.note && html`<span class="note">${of.note}</span>`}</figcaption>
    ${of.legend && of.legend.length > 0 && html`<${Legend} entries=${of.legend} onToggle=${(name) => handle.current.toggle(name)} />`}
    <${Ramp} option=${of.option} />
    <div class="holder"><div class="live" ref=${holder} role="img" aria-label=${label || [of.title, of.source].filter(Boolean).join(". ")}
      style=${{ height: `${height || of.height || 420}px` }}></div>${children}</div>
    <${PointTable} option=${of.option} data=${of.data} />
  </figure>`;
}

const manyColumns = 8;  // chosen: a table with more columns has narrower margins
const longTable = 100;  // chosen: a table with more rows has no layout while it is not visible

// columns: [{ key, label, digits, least, text(row), bar, wrap, cut }]; rows: objects
// least: smaller amounts are shown as "< least"
// bar: also draws the value as a bar; wrap: a long text, which wraps; cut: a long name, truncated
// order: { key, descending }, the initial order; the user sorts by clicking a heading
// filter: adds a text field that selects the rows that contain the text
// onSelect(row): called when a row is clicked
// stack: shows each row as a block with its headings on a narrow screen
export function Table({ columns, rows, label, filter = false, stack = false, onSelect, selected, most = 400, order: first = null }) {
  const [sort, setSort] = useState(first);
  const [words, setWords] = useState("");
  const select = useRef(onSelect), choosable = Boolean(onSelect);
  select.current = onSelect;
  const shown = useMemo(() => {
    let kept = rows;
    const wanted = words.trim().toLowerCase();
    if (wanted) kept = rows.filter((row) => columns.some((c) => String(c.text ? c.text(row) : row[c.key]).toLowerCase().includes(wanted)));
    if (!sort) return kept;
    const sign = sort.descending ? -1 : 1;
    return [...kept].sort((a, b) => sign * order.compare(a[sort.key], b[sort.key]));
  }, [rows, columns, sort, words]);
  const numbers = useMemo(() => new Set(columns.filter((c) => !c.text && rows.length > 0 && rows.every((row) => typeof row[c.key] !== "string"))), [columns, rows]);
  const numeric = (c) => numbers.has(c);
  const cell = (c, row) => (c.text ? c.text(row) : typeof row[c.key] === "number" ? (Math.abs(row[c.key]) < c.least ? `< ${c.least}` : number(row[c.key], c.digits)) : row[c.key] ?? "-");
  const longest = Object.fromEntries(columns.filter((c) => c.bar).map((c) => [c.key, Math.max(...rows.map((row) => row[c.key] || 0))]));
  // Memoized, so that unchanged rows are not compared again while a slider moves.
  const body = useMemo(() => html`<tbody>${shown.slice(0, most).map((row) => html`<tr class=${row === selected ? "selected" : ""} onClick=${choosable && (() => select.current(row))}>
        ${columns.map((c) => html`<td key=${c.key} class=${`${numeric(c) ? "n" : c.wrap ? "wrap" : c.cut ? "cut-off" : ""}${c.bar ? " bar-cell" : ""}`} title=${c.cut ? row[c.key] : undefined} data-label=${stack ? c.label : undefined}>${cell(c, row)}${c.bar && html`<i class="share" style=${{ width: `${100 * (row[c.key] || 0) / longest[c.key]}%` }}></i>`}</td>`)}</tr>`)}</tbody>`, [shown, columns, selected, most, choosable]);
  const turn = (key) => setSort({ key, descending: sort !== null && sort.key === key && !sort.descending });
  return html`<div class=${`tabular${stack ? " stacked" : ""}${columns.length > manyColumns ? " many" : ""}`}>
    ${filter && html`<label class="field filter"><span>Rows with</span><input type="search" value=${words} onInput=${(e) => setWords(e.target.value)} aria-label=${`Filter: ${label}`} /></label>
      <span class="count" role="status">${shown.length === rows.length ? `${rows.length} rows` : `${shown.length} of ${rows.length} rows`}</span>`}
    <div class=${shown.length > longTable ? "scroll long" : "scroll"} tabindex="0" role="region" aria-label=${label}><table aria-label=${label}><thead><tr>${columns.map((c) => html`
      <th key=${c.key} scope="col" class=${numeric(c) ? "n" : ""} aria-sort=${sort && sort.key === c.key ? (sort.descending ? "descending" : "ascending") : undefined}>
        <button type="button" onClick=${() => turn(c.key)}>${c.label}</button></th>`)}</tr></thead>
      ${body}</table></div>
    ${shown.length > most && html`<p class="faint">The first ${most} of ${shown.length} rows; all are in the CSV.</p>`}
  </div>`;
}

// A slider over the values that a board supports. The arrow keys move it by one value. A single
// value is shown as text.
export function Slider({ label, values, value, unit = "", text, onInput, disabled }) {
  const at = Math.max(0, values.indexOf(value));
  const shown = (text || ((v) => `${number(v, 6)}${unit && " " + unit}`))(values[at]);
  if (values.length < 2) return html`<p class="slider"><span class="name">${label}</span><b>${shown}</b></p>`;
  return html`<label class="slider"><span class="name">${label}</span><output>${shown}</output>
    <input type="range" min="0" max=${values.length - 1} step="1" value=${at} disabled=${disabled}
      aria-label=${label} aria-valuetext=${shown} onInput=${(event) => onInput(values[Number(event.target.value)])} /></label>`;
}

// options: ["a", ..] or [{ value, label, group }, ..]
export function Select({ label, value, options, onChange, disabled }) {
  const entries = useMemo(() => {
    const items = options.map((item) => (typeof item === "object" ? item : { value: item, label: item }));
    const groups = [...new Set(items.map((item) => item.group))];
    const entry = (item) => html`<option key=${item.value} value=${item.value} selected=${item.value === value}>${item.label}</option>`;
    return groups.map((group) => (group ? html`<optgroup label=${group}>${items.filter((item) => item.group === group).map(entry)}</optgroup>` : items.filter((item) => !item.group).map(entry)));
  }, [options, value]);
  return html`<label class="field"><span>${label}</span><select value=${value} disabled=${disabled} onChange=${(event) => onChange(event.target.value)}>
    ${entries}</select></label>`;
}

// A field for a number, which may be empty. It reports its value at Enter or when it loses focus.
// Until then the typed text stays, even if the page is drawn again.
export function NumberField({ label, value, unit = "", min = 0, max, step = "any", placeholder = "", onChange }) {
  const [typed, setTyped] = useState(null);
  const tell = (event) => {
    setTyped(null);
    onChange(event.target.value === "" ? undefined : Number(event.target.value));
  };
  return html`<label class="field"><span>${label}${unit && html` <small>(${unit})</small>`}</span><input type="number" inputmode="decimal" min=${min} max=${max} step=${step}
    value=${typed ?? value ?? ""} placeholder=${placeholder} aria-label=${unit ? `${label} (${unit})` : label} onInput=${(event) => setTyped(event.target.value)} onChange=${tell} /></label>`;
}

export function Check({ label, checked, onChange, disabled }) {
  return html`<label class="check"><input type="checkbox" checked=${checked} disabled=${disabled} onChange=${(event) => onChange(event.target.checked)} /><span>${label}</span></label>`;
}

// kind: modelled, predicted, replayed, measured, fake.
export function Provenance({ kind, text, children }) {
  if (!kind && !text) return null;
  const rest = kind && text && text.startsWith(kind) ? text.slice(kind.length).replace(/^[:,]?\s*/, "") : text;
  return html`<div class="provenance">${kind && html`<b class=${`badge ${kind}`}>${kind}</b>`}<span>${rest}</span> ${children}</div>`;
}

const longestError = 400;  // characters that are shown; chosen: more than an error line needs

// error.again: repeats the failed request.
export function ErrorLine({ error }) {
  if (!error) return null;
  const text = error.message || String(error);
  const shown = text.length > longestError ? `${text.slice(0, longestError)}... (${grouped(text.length)} characters)` : text;
  return html`<p class="error" role="alert">${shown}${error.again && html` <button type="button" onClick=${error.again}>Try again</button>`}</p>`;
}

export function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function Copy({ text }) {
  const [done, setDone] = useState("");
  const field = useRef(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone("copied");
    } catch {  // a browser may refuse without TLS: select the text instead
      getSelection().selectAllChildren(field.current);
      setDone("selected: press Ctrl+C");
    }
    setTimeout(() => setDone(""), 2500);
  };
  return html`<div class="command"><code ref=${field} tabindex="0" aria-label="The command that gives the same">${text}</code>
    <button type="button" onClick=${copy} aria-label="Copy the command">${done || "Copy"}</button></div>`;
}

// The equivalent command, and download links. `csv` and `json` are addresses, or functions that
// return the text. `svg` is a function that returns the image as text. `name`: file name without
// extension.
export function DownloadBar({ command, csv, json, svg, name = "ridgewatt" }) {
  const link = (href, ending) => href && (typeof href === "function"
    ? html`<button type="button" aria-label=${`Download ${ending.toUpperCase()}`} onClick=${() => save(`${name}.${ending}`, href(), ending === "csv" ? "text/csv" : "application/json")}>${ending.toUpperCase()}</button>`
    : html`<a class="button" href=${href} download=${`${name}.${ending}`} aria-label=${`Download ${ending.toUpperCase()}`}>${ending.toUpperCase()}</a>`);
  return html`<div class="downloads">${command && html`<${Copy} text=${command} />`}
    <div class="files" role="group" aria-label="Downloads">${link(csv, "csv")}${link(json, "json")}
      ${svg && html`<button type="button" aria-label="Download SVG" onClick=${() => save(`${name}.svg`, svg(), "image/svg+xml")}>SVG</button>`}</div></div>`;
}
