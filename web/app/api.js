// Questions to the server's interface (/api/v1/..): parameters, errors in one line, tokens.
//   await get("estimate", { model: "zoo:resnet50", batch: [1, 16], figures: 1 }) -> { json, command }
//   address("pareto", { .., format: "csv" }) -> the path, for links and downloads
//   new Newest((reply) => .., (error) => ..).ask("estimate", params): one question at a time, the
//   newest wins; what a slow one (over 400 ms) would still answer is given up.
// Values: undefined, null and false leave a parameter out, true is 1, a list repeats it.
const root = "api/v1/";
const slowMs = 400;

export class ApiError extends Error {
  constructor(message, status, json) {
    super(message);
    this.status = status;
    this.json = json;  // what a command prints in addition to its error, where it says something
  }
}

// Asked again, the same question may succeed: the server was away or busy.
export const mayPass = (error) => !error.status || error.status >= 500 || error.status === 408 || error.status === 429;

export function address(endpoint, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null || value === false || value === "") continue;
    for (const item of Array.isArray(value) ? value : [value]) query.append(name, item === true ? "1" : String(item));
  }
  const text = query.toString();
  return root + endpoint + (text ? "?" + text : "");
}

async function failure(response) {
  let json, message = `${response.status} ${response.statusText}`.trim();
  try { json = await response.json(); } catch { /* no JSON: the status has to do */ }
  if (json && json.error) message = json.error;
  else if (json && json.remark) message = json.remark;
  if (response.status === 401) window.dispatchEvent(new Event("ridgewatt-token"));
  return new ApiError(message, response.status, json);
}

async function ask(path, init) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("the server does not answer: is 'ridgewatt serve' still running?", 0);
  }
  if (!response.ok) throw await failure(response);
  return response;
}

// The command that gives the same, as the server tells it.
export const commandOf = (response) => response.headers.get("X-Ridgewatt-Command") || "";

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
  constructor(done, failed, fetcher = get) { Object.assign(this, { done, failed, fetcher, pending: null, flight: null }); }

  ask(endpoint, params) {
    this.pending = [endpoint, params];
    if (!this.flight) return this.next();
    if (performance.now() - this.flight.since > slowMs) this.flight.abort.abort();
  }

  stop() {
    this.pending = null;
    if (this.flight) this.flight.abort.abort();
  }

  async next() {
    while (this.pending) {
      const question = this.pending;
      this.pending = null;
      this.flight = { abort: new AbortController(), since: performance.now() };
      try {
        const reply = await this.fetcher(...question, { signal: this.flight.abort.signal });
        this.done({ ...reply, endpoint: question[0], params: question[1] });
      } catch (error) {
        if (error.name !== "AbortError" && !this.pending) this.failed(error);
      }
    }
    this.flight = null;
  }
}

// A token stands in the address once (#token=..): it becomes a cookie and leaves the address.
export async function takeToken() {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (!match) return;
  history.replaceState(null, "", location.pathname + location.search);
  await openSession(decodeURIComponent(match[1]));
}

export const openSession = (token) => post("session", token, { type: "text/plain" });
