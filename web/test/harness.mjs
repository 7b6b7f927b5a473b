// What every browser test needs: the server on a fake board with its own folders, Chromium, and a list of the errors of
// the page. `close()` ends the server and the browser.
//
//   const app = await startApp();                          // also: startApp({ args: ["--store", file] })
//   const view = await app.open("/#/live", { width: 400, scheme: "dark" });
//   await view.page.getByRole("button", { name: "Mark" }).click();
//   await view.screenshot("live_narrow");                  // where RIDGEWATT_SCREENSHOTS names a folder
//   view.check();                                          // fails on console errors, page errors, CSP reports
//   await app.close();
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const build = process.env.RIDGEWATT_BUILD || join(root, "build");
export const program = join(build, "ridgewatt", "ridgewatt");

// Prefers the headless build of Chromium, which needs less processor time.
export function browserPath() {
  const paths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
  return process.env.RIDGEWATT_CHROMIUM || paths.find((path) => existsSync(path)) || paths[0];
}

// Runs the command line and returns its output; `code` is the exit status.
export function ridgewatt(args, { env = {} } = {}) {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env }, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ code: error ? (typeof error.code === "number" ? error.code : 1) : 0, stdout, stderr }));
  });
}

// Returns the first address that the server prints. Rejects with the whole output if the server ends before.
function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (bytes) => {
      said += bytes;
      const found = said.match(/https?:\/\/[^\s"'<>]+/);
      if (found) resolve(found[0]);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`ridgewatt serve ended with ${code}: ${said}`)));
  });
}

const exited = (child) => new Promise((resolve) => {
  if (child.exitCode !== null || child.signalCode !== null) resolve();
  else child.on("exit", resolve);
});

async function endGroup(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, "SIGTERM");
  const killer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 5000);
  await exited(child);
  clearTimeout(killer);
}

// Collects console and page errors, requests refused by the content security policy, and statuses of 500 and above.
function watch(page, allowed) {
  const errors = [];
  const note = (text) => allowed.some((pattern) => pattern.test(text)) || errors.push(text);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) note(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => note(`page error: ${error.stack || error}`));
  page.on("response", (response) => response.status() >= 500 && note(`${response.status()} ${response.url()}`));
  return errors;
}

// For the development of pages: RIDGEWATT_WEB_SOURCES=1 takes files from web/ instead of those in the server.
async function fromSources(context) {
  await context.route(/\/[\w.-]*\.(js|css)$|\/$/, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1) || "index.html";
    const file = ["app", "components"].map((folder) => join(root, "web", folder, name)).find((path) => existsSync(path));
    if (!file) return route.continue();
    const response = await route.fetch({ url: new URL("/index.html", route.request().url()).href });
    const type = name.endsWith(".css") ? "text/css" : name.endsWith(".html") ? "text/html" : "text/javascript";
    const headers = Object.fromEntries(Object.entries(response.headers()).filter(([key]) => !/^(content-|etag)/.test(key) || key === "content-security-policy"));
    await route.fulfill({ status: 200, headers: { ...headers, "content-type": type }, body: readFileSync(file) });
  });
}

class View {
  constructor(page, context, errors) {
    Object.assign(this, { page, context, errors });
  }
  check() {
    assert.deepEqual(this.errors, []);
  }
  async screenshot(name) {
    const folder = process.env.RIDGEWATT_SCREENSHOTS;
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
  close() {
    return this.context.close();
  }
}

// Starts the server on `device` (null: this machine); `args` are further options of `ridgewatt serve`, and
// `prepare({ folder, run })` creates files before the start and may return further options.
export async function startServer({ device = "fake:agx-orin", args = [], prepare = async () => [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "ridgewatt-web-"));
  const env = { HOME: folder, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config"),
    XDG_CACHE_HOME: join(folder, "cache"), XDG_DATA_HOME: join(folder, "data"), RIDGEWATT_FAKE: join(folder, "fake"),
    PATH: `${dirname(program)}:${process.env.PATH}` };
  const run = (line) => ridgewatt(line, { env });
  const more = (await prepare({ folder, env, run })) || [];
  const listen = (port) => spawn(program, ["serve", "--port", String(port), ...(device ? ["--device", device] : []), ...args, ...more],
    { env: { ...process.env, ...env }, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let server = listen(0);
  const close = async () => {
    await endGroup(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const address = new URL(await addressOf(server));
    // Ends the server. Returns a function that starts it again at the same address.
    const cut = async () => {
      await endGroup(server);
      return async () => {
        server = listen(address.port);
        await addressOf(server);
      };
    };
    return { address, folder, env, close, cut, run };
  } catch (error) {
    await close();
    throw error;
  }
}

// Starts the server and Chromium.
export async function startApp(options) {
  const server = await startServer(options);
  const { address } = server;
  let browser = null;
  const close = async () => {
    if (browser) await browser.close();
    await server.close();
  };
  try {
    const { chromium } = createRequire(import.meta.url)("playwright-core");
    browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--enable-precise-memory-info"] });
    // `allow`: patterns of console messages that the test expects (for example a 422).
    const open = async (path = "/", { width = 1280, height = 900, scheme = "light", reducedMotion = "reduce", allow = [] } = {}) => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion, acceptDownloads: true });
      if (process.env.RIDGEWATT_WEB_SOURCES) await fromSources(context);
      const page = await context.newPage();
      page.setDefaultTimeout(15000);
      const errors = watch(page, allow);
      await page.goto(new URL(path, address).href);
      return new View(page, context, errors);
    };
    const json = async (path, options) => (await fetch(new URL(path, address), options)).json();
    return { ...server, browser, open, json, close };
  } catch (error) {
    await close();
    throw error;
  }
}

// Returns the buttons, fields, charts and similar elements that have no name in the accessibility tree.
export async function unnamed(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const roles = ["button", "link", "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "checkbox", "radio", "switch", "tab",
    "img", "image", "graphics-document", "table", "dialog", "meter", "progressbar", "menuitem"];
  return nodes.filter((node) => !node.ignored && node.role && roles.includes(node.role.value) && !(node.name && String(node.name.value).trim()))
    .map((node) => `${node.role.value} #${node.backendDOMNodeId}`);
}

// Returns by how many pixels the page is wider than its window; 0: no horizontal scrolling.
export async function sidewaysScroll(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

// Calls `read()` repeatedly until `good` accepts its value, and returns the value. Fails after `seconds`.
export async function eventually(read, good = Boolean, seconds = 10) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    assert.ok(Date.now() < end, `after ${seconds} s still ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// Uploads a model file in the field with this label, and waits until the address contains the upload.
export async function upload(page, label, file) {
  await page.getByLabel(label).setInputFiles(file);
  await eventually(() => page.evaluate(() => location.hash), (hash) => /model=upload%3A/.test(hash), 40);
}

// Uploads a file that is not a model, and waits for the error on the page.
export async function refuseUpload(page, label, file) {
  await page.getByLabel(label).setInputFiles(file);
  const error = page.locator(".error").first();
  await error.waitFor();
  assert.ok((await error.innerText()).length > 10);
}
