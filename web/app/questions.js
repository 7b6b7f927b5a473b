// Hooks that return replies of the server, and questions that several pages share: models, boards,
// knobs.
import { useEffect, useMemo, useRef, useState } from "./standalone.module.js";
import { Newest, address, get, mayPass } from "./api.js";
import { coresText } from "./controls.js";

// An error with a button that repeats the request, if `again` is a function.
const repeatable = (error, again) => Object.assign(error, { again });

// Returns the newest reply: { json | text, command, error, stale }. If `stale`, the reply belongs
// to an earlier question and the request for this one is in progress; the page shows it dimmed and
// without its command. After an error no earlier reply is shown. Without `params`, nothing is
// requested and the result is empty. Only one request is in progress at a time; the newest question
// waits for it. restMs: delay during which a newer question replaces this one.
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

// The CSS class of elements that show the reply.
export const freshness = (reply) => (reply.stale ? "stale" : "");

// Wait before a request (ms). A search over all modes takes half a second, so it starts only when a
// slider or line no longer moves.
const settleMs = 120;

export function useSettled(value) {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}

const kept = new Map();  // replies that do not change while the page is open
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
    once(endpoint, params).then((reply) => gone || setState({ ...reply, key }), (error) => gone || setState({ key, error: repeatable(error, mayPass(error) && again) }));
    return () => { gone = true; };
  }, [key, round]);
  return state.key === key ? state : {};  // no reply to an earlier question
}

export const useModels = () => useOnce("zoo", {});
// The boards and their variants ("orin-nano-8gb@super"), and `chosen`, which may be an alias.
export function useBoards(chosen) {
  const { json, error } = useOnce("devices", {});
  const names = useMemo(() => (json ? json.rows : []).flatMap(({ name, variants }) => [name, ...variants.split(",").map((one) => one.trim()).filter(Boolean).map((one) => name + one)]), [json]);
  return { names: names.includes(chosen) ? names : [chosen, ...names], error };
}

// The description of a board (`device show`): values of the knobs, and presets of its software
// release.
export function useBoard(name) {
  const { json, error } = useOnce("device", { device: name });
  if (error) return { error };
  if (!json) return {};
  const bsp = json.bsps.find((one) => one.name === json.bsp) || json.bsps[0];
  return { name: json.name, title: json.title, knobs: bsp.knobs, presets: bsp.presets, modes: bsp.modes, release: bsp.title };
}

// The knobs. `key` is the name in the address and in --modes, `of` the JSON key.
export const knobs = [
  { key: "gpu", of: "gpu_mhz", label: "GPU clock", unit: "MHz" },
  { key: "mem", of: "mem_mhz", label: "Memory clock", unit: "MHz" },
  { key: "cpu", of: "cpu_mhz", label: "CPU clock", unit: "MHz" },
  { key: "cores", of: "cpu_cores", label: "CPU cores", unit: "" },
];

// The knobs that a board has: a processor has only cores.
export const knobsOf = (board) => knobs.filter(({ of }) => (board.knobs[of] || []).length > 0);
// "8 cores at 1113.6 MHz, GPU 612 MHz": the knobs that a mode sets.
export const modeWords = (mode) => (mode.governor ? `power limit of ${mode.governor.replace(/W$/, " W")}` : clockWords(mode));
const clockWords = (mode) => [mode.cpu_cores > 0 && coresText(mode.cpu_cores) + (mode.cpu_mhz > 0 ? ` at ${mode.cpu_mhz} MHz` : ""), mode.gpu_mhz > 0 && `GPU ${mode.gpu_mhz} MHz`, mode.mem_mhz > 0 && `memory ${mode.mem_mhz} MHz`].filter(Boolean).join(", ");

const nearest = (values, wanted) => values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));

// The mode in the address. A knob that is missing there has its highest value. The name of a power
// limit stands for the whole mode.
export function modeOf(query, board) {
  const limited = query.governor && board.presets.find((one) => one.mode.governor === query.governor);
  if (limited) return limited.mode;
  return Object.fromEntries(knobsOf(board).map(({ key, of }) => {
    const values = board.knobs[of];
    const wanted = Number(query[key]);
    return [of, query[key] && isFinite(wanted) ? nearest(values, wanted) : Math.max(...values)];
  }));
}

// The mode of a board that is nearest to clocks, which a power limit need not hold at a step.
export const clocksOf = (clocks, board) => Object.fromEntries(knobsOf(board).map(({ of }) => [of, nearest(board.knobs[of], clocks[of])]));
export const queryOfMode = (mode) => ({ ...Object.fromEntries(knobs.map(({ key, of }) => [key, mode.governor ? undefined : mode[of]])), governor: mode.governor });
export const modeText = (mode) => [...knobs].reverse().filter(({ of }) => mode[of] > 0).map(({ key, of }) => `${key}=${mode[of]}`).concat(mode.governor ? `governor=${mode.governor}` : []).join(",") || "maxn";
export const sameMode = (a, b) => (a.governor || b.governor ? a.governor === b.governor : knobs.every(({ of }) => a[of] === b[of]));
// The name of a mode's preset, otherwise its GPU clock and cores.
export const shortMode = (mode, presets) => (presets.find((one) => sameMode(one.mode, mode)) || { name: mode.governor || [mode.gpu_mhz > 0 && `GPU ${mode.gpu_mhz} MHz`, coresText(mode.cpu_cores)].filter(Boolean).join(", ") }).name;
export const modeName = (mode, presets = []) => {
  const preset = presets.find((one) => sameMode(one.mode, mode));
  return preset ? preset.name : modeWords(mode);
};

export const defaults = { model: "zoo:resnet50", device: "agx-orin", runtime: "pytorch-eager", precision: "fp32" };

// The parameters of a question from the server's description; empty until that has arrived.
export function useParameters(endpoint) {
  const { json } = useOnce("openapi.json", {});
  return json ? json.paths[`/api/v1/${endpoint}`].get.parameters : [];
}

// The names that a parameter accepts; until they have arrived, only `chosen`. "all", which compares
// all names, is left out because a form shows one of them.
export function useChoices(endpoint, name, chosen) {
  const found = useParameters(endpoint).find((parameter) => parameter.name === name);
  if (!found) return [chosen];
  const schema = found.schema.items || found.schema;
  return (schema.enum || schema["x-choices"]).filter((choice) => choice !== "all");
}

export const workloadKeys = ["model", "file", "device", "runtime", "precision", "batch", "training"];
export const modeKeys = [...knobs.map((knob) => knob.key), "governor"];
// Another board begins with its highest clocks, because the clocks of one are not valid for another.
export const noMode = Object.fromEntries(modeKeys.map((key) => [key, undefined]));

// The workload from the address, as parameters of estimate, roofline and tune. Values that are
// defaults of the command line are left out.
export function workloadOf(query) {
  const of = (name) => query[name] || defaults[name];
  const own = (name) => (query[name] && query[name] !== defaults[name] ? query[name] : undefined);
  return { model: of("model"), device: of("device"), runtime: own("runtime"), precision: own("precision"), batch: query.batch || undefined, training: query.training === "1" };
}

// Explore and Modes use the same columns, so that the server answers the second request from its
// cache.
export const cloudColumns = "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w,energy_j,energy_lo_j,energy_hi_j";

// The command that shows the same answer as a table in a terminal.
export const shown = (command) => (command || "").replace(/ --with-figures/, "").replace(/ --format json/, "");

// The workload of an address as one line of text.
export const workloadLine = (query) => {
  const { model, device, runtime, precision, batch, training } = workloadOf(query);
  return [query.file || model.replace(/^zoo:/, ""), training && "training", `on ${device}`, runtime, precision, batch && `batch ${batch}`].filter(Boolean).join(", ").replace(", on", " on");
};
