// What a visitor relies on, on every page. Answers to an earlier question are dimmed. The address contains the question
// and passes it from page to page. An upload survives a reload. A copied command runs unchanged.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, program, sidewaysScroll, startApp, upload } from "./harness.mjs";

let app;
before(async () => { app = await startApp(); });
after(() => app.close());

async function opened(...how) {
  const view = await app.open(...how);
  view.page.setDefaultTimeout(40000);
  return view;
}
const hash = (page) => page.evaluate(() => location.hash);
const queryOf = async (page) => new URLSearchParams((await hash(page)).split("?")[1]);
const strip = (page) => page.locator("[data-strip]");
const answered = (page) => eventually(() => strip(page).evaluate((e) => !e.classList.contains("stale") && e.querySelector("b")?.innerText), Boolean, 40);
// Runs a line in a shell that has the program in its path.
const shell = (line, cwd) => new Promise((resolve) => {
  execFile("/bin/sh", ["-c", line], { cwd, env: { ...app.env, PATH: `${dirname(program)}:${process.env.PATH}` }, maxBuffer: 1 << 28 }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }));
});

test("W1: a question that fails leaves nothing of the last one", async () => {
  const view = await opened("/#/explore?device=agx-orin", { allow: [/4\d\d/] });
  const { page } = view;
  await answered(page);
  await page.getByRole("region", { name: "Layers" }).waitFor();
  await page.evaluate(() => { location.hash = "#/explore?device=agx-orin&model=zoo:nothing"; });
  await page.locator(".error").first().waitFor();
  await eventually(() => page.locator("main .answers, main .tabular, main .command, main [data-answer], main .provenance").count(), (count) => count === 0, 20);
  assert.equal(await page.locator(".error").count(), 1);
  assert.match(await strip(page).innerText(), /No answer/);
  view.check();
  await view.close();
});

test("W1: an answer is dimmed in the frame in which the question changes", async () => {
  const view = await opened("/#/explore?device=agx-orin");
  const { page } = view;
  await answered(page);
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route("**/api/v1/estimate?*lenet5*", async (route) => { await held; await route.continue(); });
  await page.getByRole("combobox", { name: "Model", exact: true }).selectOption("zoo:lenet5");
  await page.waitForFunction(() => document.querySelector("[data-strip]").classList.contains("stale"), null, { timeout: 1000 });
  assert.equal(await page.locator(".answers.stale").count(), 1);
  await eventually(() => page.locator("main .command").count(), (count) => count === 0);  // the command of the earlier question cannot be copied
  release();
  await answered(page);
  assert.equal(await page.locator(".answers.stale").count(), 0);
  view.check();
  await view.close();
});

test("W2: an upload is called by its file's name, survives a reload and a new server, and its command runs as pasted", async () => {
  const folder = join(app.folder, "my models");
  mkdirSync(folder);
  const name = "it's a net.onnx";
  assert.equal((await app.run(["zoo", "write", "lenet5", "-o", join(folder, name)])).code, 0);
  const view = await opened("/#/explore?device=agx-orin", { allow: [/4\d\d/, /^503/, /Failed to load/, /ERR_/] });  // the server stops during requests
  const { page } = view;
  await upload(page, "Upload an ONNX file", join(folder, name));
  const shown = await answered(page);
  await page.getByRole("region", { name: "Layers" }).waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /upload:[0-9a-f]{8}/);
  const command = await page.locator(".command code").first().innerText();
  assert.ok(command.includes("'it'\\''s a net.onnx'"), command);
  const said = await shell(`${command} --format json`, folder);
  assert.equal(said.code, 0, said.stderr);
  assert.equal(Number(shown.split(" ")[0]), Number(JSON.parse(said.stdout).estimates[0].time_ms.toPrecision(3)));
  await page.reload();
  assert.equal(await answered(page), shown);
  const start = await app.cut();
  await start();
  await page.reload();  // the user does not upload the file to the new server
  assert.equal(await answered(page), shown);
  view.check();
  await view.close();
});

test("W2: a file that is no model is named in the error", async () => {
  const file = join(app.folder, "broken.onnx");
  writeFileSync(file, "not a model");
  const view = await opened("/#/explore?device=agx-orin", { allow: [/4\d\d/] });
  await upload(view.page, "Upload an ONNX file", file);
  await eventually(() => view.page.locator(".error").first().innerText(), (text) => /broken\.onnx/.test(text), 20);
  view.check();
  await view.close();
});

test("W3: while a slider is held there are answers, and those for other clocks are dimmed", async () => {
  const view = await opened("/#/explore?device=agx-orin");
  const { page } = view;
  await answered(page);
  // Blocks the table of all modes, and delays answers by more than the repeat time of a key.
  await page.route("**/api/v1/estimate?*modes=all*", (route) => route.abort());
  await page.route("**/api/v1/estimate?*modes=cores*", async (route) => { await new Promise((resolve) => setTimeout(resolve, 600)); await route.continue().catch(() => {}); });
  // Records each undimmed text in the strip, with the CPU clock in the address at that moment.
  await page.evaluate(() => {
    window.seen = [];
    setInterval(() => {
      const line = document.querySelector("[data-strip]"), text = line.querySelector("b")?.innerText;
      if (text && !line.classList.contains("stale")) window.seen.push([new URLSearchParams(location.hash.split("?")[1]).get("cpu"), text]);
    }, 20);
  });
  await page.getByRole("slider", { name: "CPU clock" }).focus();
  for (let i = 0; i < 40; ++i) { await page.keyboard.press(i < 20 ? "ArrowLeft" : "ArrowRight"); await page.waitForTimeout(40); }
  await answered(page);
  const seen = new Map();
  for (const [cpu, text] of await page.evaluate(() => window.seen)) seen.set(cpu, (seen.get(cpu) || new Set()).add(text));
  assert.ok(seen.size >= 2);
  for (const [cpu, texts] of [...seen].slice(0, 5)) {
    const { time_ms } = JSON.parse((await app.run(["estimate", "zoo:resnet50", "--device", "agx-orin", "--modes", `cores=12,cpu=${cpu || 2201.6},gpu=1300.5,mem=3199`, "--format", "json"])).stdout).estimates[0];
    assert.deepEqual([...texts].map((text) => Number(text.split(" ")[0])), [Number(time_ms.toPrecision(3))], `at ${cpu} MHz`);
  }
  await view.close();
});

test("W3: a question that is slower than the key repeat is answered while the key is held", async () => {
  const view = await opened("/#/runs");
  const replies = await view.page.evaluate(async () => {
    const { Newest } = await import("./api.js");
    const got = [];
    const slow = (endpoint, params, { signal }) => new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({}), 600);
      signal.addEventListener("abort", () => { clearTimeout(timer); reject(new DOMException("", "AbortError")); });
    });
    const asker = new Newest((reply) => got.push(reply.params.n), () => got.push("failed"), slow);
    for (let n = 0; n < 100; ++n) { asker.ask("estimate", { n }); await new Promise((resolve) => setTimeout(resolve, 30)); }
    const during = got.length;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    asker.stop();
    return { during, last: got.at(-1) };
  });
  assert.ok(replies.during >= 2, `${replies.during} answers in 3 s`);
  assert.equal(replies.last, 99);
  view.check();
  await view.close();
});

test("W7: model, board, batch, precision, mode and theme follow from page to page, and a link alone shows the same", async () => {
  const view = await opened("/#/explore?model=zoo:mobilenet_v2&device=xavier-nx&runtime=tensorrt&precision=fp16&batch=8&gpu=510&theme=dark", { allow: [/422/] });
  const { page } = view;
  await answered(page);
  const wanted = { model: "zoo:mobilenet_v2", device: "xavier-nx", runtime: "tensorrt", precision: "fp16", batch: "8", theme: "dark" };
  const go = (name) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  for (const [name, keys] of [["Modes", Object.keys(wanted)], ["Explain", Object.keys(wanted)], ["Language models", ["device", "theme"]], ["Live", ["theme"]],
    ["Schedule", ["device", "runtime", "precision", "theme"]], ["Explore", [...Object.keys(wanted), "gpu"]]]) {
    await go(name);
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    const query = await queryOf(page);
    for (const key of keys) assert.equal(query.get(key), { ...wanted, gpu: "510" }[key], `${name}: ${key}`);
    assert.equal(await page.getByText("which this page does not know").count(), 0, name);
    assert.equal(await page.evaluate(() => document.documentElement.classList.contains("dark")), true, name);
    if (name === "Live") await page.reload();  // values that the page does not show survive as well
  }
  const shown = await answered(page);
  const other = await opened(`/${await hash(page)}`, { allow: [/422/] });
  assert.equal(await answered(other.page), shown);
  assert.equal(await other.page.evaluate(() => document.documentElement.classList.contains("dark")), true);
  for (const one of [view, other]) { one.check(); await one.close(); }
});

test("A is pinned, B is changed: both with their differences, also in the link", async () => {
  const view = await opened("/#/explore?device=agx-orin&batch=4");
  const { page } = view;
  await answered(page);
  await page.getByRole("button", { name: "Pin as A" }).click();
  await page.getByLabel("Runtime").selectOption("tensorrt");
  const of = async (more) => JSON.parse((await app.run(["estimate", "zoo:resnet50", "--device", "agx-orin", "--batch", "4", ...more, "--format", "json"])).stdout).estimates[0];
  const a = await of([]), b = await of(["--runtime", "tensorrt"]);
  const ratio = b.time_ms / a.time_ms;
  const wanted = ratio <= 0.5 ? `${Number((1 / ratio).toPrecision(3))} times less` : `${ratio < 1 ? "−" : "+"}${Number(Math.abs(100 * (ratio - 1)).toPrecision(2))} %`;
  const difference = (where) => where.locator('[data-difference="Time"]').innerText();
  await page.locator('[data-difference="Time"]').waitFor();
  await eventually(() => difference(page), (text) => text === wanted, 40);
  const other = await opened(`/${await hash(page)}`);
  await other.page.locator('[data-difference="Time"]').waitFor();
  await eventually(() => difference(other.page), (text) => text === wanted, 40);
  await page.getByRole("button", { name: "Unpin A" }).click();
  assert.equal(await page.locator(".pinned").count(), 0);
  for (const one of [view, other]) { one.check(); await one.close(); }
});

test("Explain is the command's answer; its fields are those that the server describes", async () => {
  const view = await opened("/#/explain?device=agx-orin");
  const { page } = view;
  await page.getByRole("button", { name: /Show an example/ }).click();
  await page.getByRole("region", { name: "Causes" }).locator("tbody tr").first().waitFor();
  const said = JSON.parse((await app.run(["explain", "zoo:resnet50", "--device", "agx-orin", "--mode", "cores=12,cpu=2201.6,gpu=1300.5,mem=3199", "--measured", "60", "--power", "12", "--format", "json"])).stdout);
  const rows = page.getByRole("region", { name: "Causes" }).locator("tbody tr");
  assert.equal(await rows.count(), said.rows.length);
  const place = said.rows.findIndex((row) => row.cause === "pre_post_processing");
  assert.equal(await rows.nth(place).locator("td").first().innerText(), "pre- and post-processing");
  assert.ok((await page.locator("[data-strip]").innerText()).includes(said.conclusion));
  assert.ok((await page.locator(".sentences").innerText()).toLowerCase().includes(said.sentences[0].slice(1, 30)));
  const command = await page.locator(".command code").first().innerText();
  const run = await shell(`${command} --format json`, app.folder);
  assert.deepEqual(JSON.parse(run.stdout).rows, said.rows);
  const described = (await app.json("/api/v1/openapi.json")).paths["/api/v1/explain"].get.parameters.map((one) => one.name);
  for (const name of ["measured", "samples-per-second", "power", "claimed"]) assert.ok(described.includes(name), name);
  await page.getByText("What else you know").click();
  await page.getByLabel("Seen").fill("gpu_mhz=306");
  await page.getByLabel("Seen").press("Enter");
  await page.getByText(/^Seen: /).waitFor();
  assert.equal((await queryOf(page)).get("option.seen"), "gpu_mhz=306");
  view.check();
  await view.close();
});

test("Modes says in a sentence what the answer gains and costs", async () => {
  const view = await opened("/#/modes?device=agx-orin&minimize=energy");
  const said = JSON.parse((await app.run(["tune", "zoo:resnet50", "--device", "agx-orin", "--batch", "1", "--minimize", "energy", "--format", "json"])).stdout);
  assert.ok(said.sentences.some((one) => /% less energy/.test(one)), `${said.sentences}`);
  for (const one of said.sentences) await eventually(() => view.page.locator(".sentences").first().innerText(), (text) => text.includes(one.slice(1)), 40);
  view.check();
  await view.close();
});

const asked = { live: "span=300", explore: "model=zoo:lenet5&device=agx-orin&over=cpu", modes: "device=agx-orin&x=energy", explain: "device=agx-orin&option.measured=60", language: "device=agx-orin&max-ttft=900", runs: "log=1", schedule: "power=30" };
let axe = null;
try { axe = createRequire(import.meta.url)("axe-core").source; } catch { /* ./dev test fetches it */ }

async function violations(page) {
  // Runs the script in the debugger, because the policy of the page forbids scripts of other origins.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", { awaitPromise: true, returnByValue: true,
    expression: "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`))" });
  return result.value;
}

// One test for each page on a desktop and one on a phone, because opening a page takes longer than checking it.
for (const name of Object.keys(asked)) {
  test(`W7, W9: ${name} on a desk: what it is for, its terms, no word that it does not know, axe-core`, async (context) => {
    const view = await opened(`/#/${name}?${asked[name]}`, { allow: [/422/] });
    const { page } = view;
    if (name !== "runs") await answered(page);
    const terms = page.locator(".intro .term");
    await terms.first().waitFor();
    assert.ok((await page.locator(".intro > span").first().evaluate((e) => e.textContent.length)) > 40);
    for (let i = 0; i < await terms.count(); ++i) {
      await terms.nth(i).locator("summary").click();
      await eventually(() => terms.nth(i).locator("[role=note]").innerText(), (text) => text.length > 20 && !/has no/.test(text), 10);
      await terms.nth(i).locator("summary").click();
    }
    assert.equal(await page.getByText("which this page does not know").count(), 0);
    if (name === "runs") await page.getByText("Start it with ridgewatt serve").waitFor();
    if (name === "explain") assert.doesNotMatch(await page.getByRole("region", { name: "Causes" }).innerText(), /\de-\d/);
    if (axe) assert.deepEqual(await violations(page), []);
    else context.diagnostic("no web/test/node_modules/axe-core (./dev test fetches it)");
    await page.evaluate(() => { location.hash += "&maxpower=20"; });
    const line = page.getByText("which this page does not know");
    await line.waitFor();
    assert.match(await line.innerText(), /says 'maxpower', which/);
    view.check();
    await view.close();
  });

  test(`W7: ${name} on a phone: the answer stays in view, the form is folded, axe-core in dark`, async () => {
    const view = await opened(`/#/${name}?${asked[name]}`, { width: 400, height: 800, scheme: "dark", allow: [/422/] });
    const { page } = view;
    if (name !== "runs") await answered(page);
    const box = await strip(page).boundingBox();
    assert.ok(box.y + box.height < 500, `the answer ends at ${box.y + box.height}`);
    if (axe) assert.deepEqual(await violations(page), []);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.waitForTimeout(100);
    const later = await strip(page).boundingBox();
    assert.ok(later.y >= 0 && later.y + later.height <= 800, `${later.y}`);
    if (name !== "live" && name !== "runs") {
      assert.equal(await page.locator(".question").evaluate((e) => e.open), false);
      await page.locator(".question > summary").click();
      assert.equal(await page.locator(".question").evaluate((e) => e.open), true);
    }
    assert.ok((await sidewaysScroll(page)) <= 0);
    view.check();
    await view.close();
  });
}
