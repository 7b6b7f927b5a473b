// Requests to the server's HTTP API (/api/v1/..): parameters, errors in one line, tokens.
//   await get("estimate", { model: "zoo:resnet50", batch: [1, 16] }) -> { json, command }
//   address("pareto", { .., format: "csv" }) -> the path, for links and downloads
//   new Newest((reply) => .., (error) => ..).ask("estimate", params): sends one request at a time;
//   only the newest of the waiting questions is sent. If a request takes more than 400 ms when a
//   new question arrives, it is aborted, but never two requests in a row, so that answers appear
//   while a slider moves.
//   await send(file) -> "upload:ID"; if the server has deleted the file, this browser sends it
//   again
// Values: undefined, null and false omit a parameter, true becomes 1, a list repeats the parameter.
import { fileOf, keep } from "./kept_files.js";

const root = "api/v1/";
const slowMs = 400;

export class ApiError extends Error {
  constructor(message, status, json) {
    super(message);
    this.status = status;
    this.json = json;  // the whole reply, which may contain more than the error
  }
}

// Whether the same request may succeed later, because the server was unreachable or busy.
export const mayPass = (error) => !error.status || error.status >= 500 || error.status === 408 || error.status === 429;

const sentAgain = new Map();  // upload:ID in addresses -> upload:ID after the file was sent again

export function address(endpoint, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null || value === false || value === "") continue;
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, item === true ? "1" : sentAgain.get(item) || String(item));
  }
  const text = query.toString();
  return root + endpoint + (text ? "?" + text : "");
}

async function failure(response) {
  let json, message = `${response.status} ${response.statusText}`.trim();
  try { json = await response.json(); } catch { /* not JSON: use the status */ }
  if (json && json.detail) message = json.detail;  // RFC 9457
  else if (json && json.error) message = json.error;
  else if (json && json.remark) message = json.remark;
  message = message.replace(/: see 'ridgewatt [^']*--help'$/, "").replace(/^--([a-z-]+: )/, "$1");
  if (response.status === 401) window.dispatchEvent(new Event("ridgewatt-token"));
  return new ApiError(message, response.status, json);
}

async function ask(path, init, { mayResend = true } = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("the server does not answer: is 'ridgewatt serve' still running?", 0);
  }
  if (response.ok) return response;
  const error = await failure(response);
  const gone = mayResend && response.status === 404 && /^(upload:[0-9a-f]{32}) does not exist/.exec(error.message);
  const now = gone && (await sendAgain(gone[1]));
  if (now) return ask(path.replaceAll(encodeURIComponent(gone[1]), encodeURIComponent(now)), init, { mayResend: false });
  throw error;
}

export async function send(file) {
  const { upload } = await post(`uploads?${new URLSearchParams({ name: file.name })}`, file, { type: "application/octet-stream" });
  await keep(`upload:${upload}`, file);
  return `upload:${upload}`;
}

async function sendAgain(id) {
  const first = [...sentAgain].find(([, now]) => now === id)?.[0] || id;
  const kept = await fileOf(first);
  if (!kept) return null;
  const now = await send(kept.file);
  sentAgain.set(first, now);
  return now;
}

// The command with the same result, from a header of the reply. The browser decodes headers as
// Latin-1, but this one is UTF-8.
export const commandOf = (response) => new TextDecoder().decode(Uint8Array.from(response.headers.get("X-Ridgewatt-Command") || "", (c) => c.charCodeAt(0)));

export async function get(endpoint, params, { signal } = {}) {
  const response = await ask(address(endpoint, params), { signal });
  return { json: await response.json(), command: commandOf(response) };
}

export async function getText(endpoint, params, { signal } = {}) {
  const response = await ask(address(endpoint, params), { signal });
  return { text: await response.text(), command: commandOf(response) };
}

export async function post(endpoint, body, { method = "POST", type = "application/json", signal } = {}) {
  const raw = body instanceof Blob || typeof body === "string" || body === undefined;
  const response = await ask(root + endpoint, { method, signal, body: raw ? body : JSON.stringify(body), headers: { "Content-Type": type } });
  const text = await response.text();
  return text ? JSON.parse(text) : {};
}

export const remove = (endpoint) => post(endpoint, undefined, { method: "DELETE" });

export class Newest {
  constructor(done, failed, fetcher = get) { Object.assign(this, { done, failed, fetcher, pending: null, flight: null, rests: null }); }

  // restMs: delay before the request (ms); the newest question at its end is sent.
  ask(endpoint, params, restMs = 0) {
    this.pending = [endpoint, params];
    if (!this.flight) {
      if (this.rests) return undefined;
      if (!restMs) return this.next();
      this.rests = setTimeout(() => { this.rests = null; this.next(); }, restMs);
      return undefined;
    }
    if (performance.now() - this.flight.since > slowMs && !this.gaveUp) {
      this.gaveUp = true;
      this.flight.abort.abort();
    }
    return undefined;
  }

  stop() {
    clearTimeout(this.rests);
    this.rests = this.pending = null;
    if (this.flight) this.flight.abort.abort();
  }

  async next() {
    while (this.pending) {
      const question = this.pending;
      this.pending = null;
      this.flight = { abort: new AbortController(), since: performance.now() };
      try {
        const reply = await this.fetcher(...question, { signal: this.flight.abort.signal });
        this.gaveUp = false;
        this.done({ ...reply, endpoint: question[0], params: question[1] });
      } catch (error) {
        if (error.name !== "AbortError" && !this.pending) this.failed(error, question);
      }
    }
    this.flight = null;
  }
}

// If the address contains a token (#token=..), exchanges it for a cookie and removes it from the
// address.
export async function takeToken() {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (!match) return;
  history.replaceState(null, "", location.pathname + location.search);
  await openSession(decodeURIComponent(match[1]));
}

export const openSession = (token) => post("session", token, { type: "text/plain" });
