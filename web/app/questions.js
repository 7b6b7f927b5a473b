// Replies as state of a component, and what several pages ask: models, boards, their knobs.
import { useEffect, useRef, useState } from "./standalone.module.js";
import { Newest, address, get, mayPass } from "./api.js";
import { coresText } from "./controls.js";

// An error that a button asks away.
const repeatable = (error, again) => Object.assign(error, { again });

// { json | text, command, error, stale }: the newest reply. stale: it answers another question than this one, which is under
// way; it is shown dimmed, without its command. What failed leaves nothing of an earlier question. Without params nothing
// is asked, and nothing is shown. While a slider moves one question is under way and the newest waits for it. What
// fails may be asked again. restMs: how long a question waits for newer ones.
export function useReply(endpoint, params, fetcher = get, restMs = 0) {
  const [reply, setReply] = useState({});
  const [round, setRound] = useState(0);
  const asker = useRef(null);
  if (!asker.current) {
    const again = () => { setReply({}); setRound((n) => n + 1); };
    asker.current = new Newest((got) => setReply(got),
      (error, [of, asked]) => setReply({ endpoint: of, params: asked, error: repeatable(error, mayPass(error) && again) }), fetcher);
  }
  const key = params ? address(endpoint, params) : "";
  useEffect(() => {
    if (key) asker.current.ask(endpoint, params, restMs);
  }, [key, round]);
  useEffect(() => () => asker.current.stop(), []);
  if (!key) return {};
  const fresh = Boolean(reply.params) && address(reply.endpoint, reply.params) === key;
  return fresh ? reply : { ...reply, error: null, command: "", stale: true };
}

// The class of what shows a reply.
export const freshness = (reply) => (reply.stale ? "stale" : "");

const settleMs = 120;  // a search over all modes takes half a second: it is asked when a slider or line rests

export function useSettled(value) {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}

const kept = new Map();  // what does not change while the page is open
function once(endpoint, params) {
  const key = address(endpoint, params);
  if (!kept.has(key)) {
    const asked = get(endpoint, params);
    asked.catch(() => kept.delete(key));
    kept.set(key, asked);
  }
  return kept.get(key);
}

export function useOnce(endpoint, params) {
  const [state, setState] = useState({});
  const [round, setRound] = useState(0);
  const key = params ? address(endpoint, params) : "";
  useEffect(() => {
    if (!key) return undefined;
    let gone = false;
    const again = () => { setState({}); setRound((n) => n + 1); };
    once(endpoint, params).then((reply) => gone || setState(reply), (error) => gone || setState({ error: repeatable(error, mayPass(error) && again) }));
    return () => { gone = true; };
  }, [key, round]);
  return state;
}

export const useModels = () => useOnce("zoo", {});
export const useBoards = () => useOnce("devices", {});

// What `device show` knows: steps of the knobs and presets of its software release.
export function useBoard(name) {
  const { json, error } = useOnce("device", { device: name });
  if (error) return { error };
  if (!json || json.name !== name && !(json.aliases || []).includes(name)) return {};
  const bsp = json.bsps.find((one) => one.name === json.bsp) || json.bsps[0];
  return { name: json.name, title: json.title, knobs: bsp.knobs, presets: bsp.presets, modes: bsp.modes, release: bsp.title };
}

// A mode in the address and for --modes: cores, cpu, gpu, mem.
export const knobs = [
  { key: "gpu", of: "gpu_mhz", label: "GPU clock", unit: "MHz" },
  { key: "mem", of: "mem_mhz", label: "Memory clock", unit: "MHz" },
  { key: "cpu", of: "cpu_mhz", label: "CPU clock", unit: "MHz" },
  { key: "cores", of: "cpu_cores", label: "CPU cores", unit: "" },
];

const nearest = (values, wanted) => values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));

// The mode that the address names, else the highest step of each knob.
export function modeOf(query, board) {
  return Object.fromEntries(knobs.map(({ key, of }) => {
    const values = board.knobs[of];
    const wanted = Number(query[key]);
    return [of, query[key] && isFinite(wanted) ? nearest(values, wanted) : Math.max(...values)];
  }));
}

export const queryOfMode = (mode) => Object.fromEntries(knobs.map(({ key, of }) => [key, mode[of]]));
export const modeText = (mode) => `cores=${mode.cpu_cores},cpu=${mode.cpu_mhz},gpu=${mode.gpu_mhz},mem=${mode.mem_mhz}`;
export const sameMode = (a, b) => knobs.every(({ of }) => a[of] === b[of]);
export const modeName = (mode, presets = []) => {
  const preset = presets.find((one) => sameMode(one.mode, mode));
  return preset ? preset.name : `${coresText(mode.cpu_cores)} at ${mode.cpu_mhz}, GPU ${mode.gpu_mhz}, memory ${mode.mem_mhz} MHz`;
};

export const defaults = { model: "zoo:resnet50", device: "agx-orin", runtime: "pytorch-eager", precision: "fp32" };

// The parameters of a question, as the server describes them; none before it has.
export function useParameters(endpoint) {
  const { json } = useOnce("openapi.json", {});
  return json ? json.paths[`/api/v1/${endpoint}`].get.parameters : [];
}

// The names that a parameter of a question takes; before they are known, the one that is chosen. "all"
// compares them: a form asks for one.
export function useChoices(endpoint, name, chosen) {
  const found = useParameters(endpoint).find((parameter) => parameter.name === name);
  if (!found) return [chosen];
  const schema = found.schema.items || found.schema;
  return (schema.enum || schema["x-choices"]).filter((choice) => choice !== "all");
}

export const workloadKeys = ["model", "file", "device", "runtime", "precision", "batch", "training"];
export const modeKeys = knobs.map((knob) => knob.key);

// What is asked about, from the address: parameters of estimate, roofline and tune; what the command
// line takes for granted is left out.
export function workloadOf(query) {
  const of = (name) => query[name] || defaults[name];
  const own = (name) => (query[name] && query[name] !== defaults[name] ? query[name] : undefined);
  return { model: of("model"), device: of("device"), runtime: own("runtime"), precision: own("precision"), batch: query.batch || undefined, training: query.training === "1" };
}

// One list for Explore and Modes, so that the server answers the second from its memory.
export const cloudColumns = "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w,energy_j,energy_lo_j,energy_hi_j";

// What a person types to see the same as a table.
export const shown = (command) => (command || "").replace(/ --with-figures/, "").replace(/ --format json/, "");

// The workload of an address in a line.
export const workloadLine = (query) => {
  const { model, device, runtime, precision, batch, training } = workloadOf(query);
  return [query.file || model.replace(/^zoo:/, ""), training && "training", `on ${device}`, runtime, precision, batch && `batch ${batch}`].filter(Boolean).join(", ").replace(", on", " on");
};
