// The Live page on a fake board: changing figures that agree with the API, windows, marks, pause, a lost connection,
// the mode, and constant memory.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { eventually, program, sidewaysScroll, startApp, unnamed } from "./harness.mjs";

let app, load;
before(async () => {
  app = await startApp({ args: ["--allow-control", "--every", "0.25"] });  // four readings per second
  load = spawn(program, ["fake-run", "zoo:resnet50", "--device", "fake:agx-orin", "--minibatches", "100000", "--quiet"],
    { env: { ...process.env, ...app.env }, stdio: "ignore" });
});
after(async () => {
  if (load) load.kill("SIGKILL");
  if (app) await app.close();
});

const fact = (page, name) => page.locator(".live-facts > div", { hasText: name }).locator("dd").first();
const joulesOf = (text) => (text.endsWith("Wh") ? 3600 : 1) * parseFloat(text);
const seconds = (s) => new Promise((resolve) => setTimeout(resolve, 1000 * s));

test("ten looks: energy rises and is the API's within its error", async () => {
  const view = await app.open("/#/live");
  const { page } = view;
  const energy = fact(page, "Energy since start");
  await eventually(() => energy.innerText(), (text) => joulesOf(text) > 0);
  await page.getByText("fake", { exact: true }).first().waitFor();
  const seen = [];
  const began = Date.now();
  for (let i = 0; i < 10; ++i) {
    seen.push(joulesOf(await energy.innerText()));
    if (i < 9) await seconds(0.5);
  }
  const passed = (Date.now() - began) / 1000;
  for (let i = 1; i < seen.length; ++i) assert.ok(seen[i] >= seen[i - 1], `${seen}`);
  assert.ok(seen[9] > seen[0] + 0.8 * passed * 5, `a board under load draws more than 5 W: ${seen}`);
  // The page soon shows a reading after the API's first answer, but never one after its second answer.
  const { power: earlier } = await app.json("api/v1/monitor");
  const shown = await eventually(async () => joulesOf(await energy.innerText()), (joules) => joules >= earlier.energy_j - earlier.energy_error_j - 0.1, 2.2);
  const { power: later } = await app.json("api/v1/monitor");
  assert.ok(shown <= later.energy_j + later.energy_error_j + 0.1, `${shown} J, after the API's ${earlier.energy_j} and before its ${later.energy_j}`);
  await view.screenshot("live");
  view.check();
  await view.close();
});

test("a window and marks: energy, error and minibatches are the API's", async () => {
  const view = await app.open("/#/live");
  const { page } = view;
  await page.getByLabel("Name of the window").fill("epoch 1");
  await page.getByRole("button", { name: "Begin a window" }).click();
  const end = page.getByRole("button", { name: "End epoch 1" });
  await end.waitFor();
  for (let i = 0; i < 3; ++i) {
    await page.getByRole("button", { name: "Mark a minibatch" }).click();
    await eventually(() => page.getByText(`${i + 1} marked since start`).count());
  }
  await seconds(1);
  await end.click();
  const row = page.getByRole("region", { name: "Windows" }).locator("tbody tr", { hasText: "epoch 1" });
  await row.getByText("ended").waitFor();
  // A late sample may still change a window that has ended. The page then follows the API.
  const difference = async () => {
    const { windows } = await app.json("api/v1/windows");
    const window = windows.find((one) => one.name === "epoch 1");
    const cells = await row.locator("td").allInnerTexts();
    // Tolerates more than half of the last digit, because toFixed and the page round 0.015 differently.
    const same = window.ended && cells[7] === String(window.minibatches) &&
      Math.abs(Number(cells[4]) - window.energy_j) < 0.0051 &&
      Math.abs(Number(cells[5]) - window.energy_error_j) < 0.0051;
    return same ? "" : `${cells} ${JSON.stringify(window)}`;
  };
  await eventually(difference, (text) => text === "", 10);
  const { windows } = await app.json("api/v1/windows");
  const window = windows.find((one) => one.name === "epoch 1");
  assert.equal(window.minibatches, 3);
  assert.ok(window.energy_j > 0 && window.energy_error_j > 0);
  await view.screenshot("live_window");
  view.check();
  await view.close();
});

test("pause holds the figures, the address keeps pause and span", async () => {
  const view = await app.open("/#/live?span=300");
  const { page } = view;
  const energy = fact(page, "Energy since start");
  await eventually(() => energy.innerText(), (text) => joulesOf(text) > 0);
  assert.equal(await page.getByRole("button", { name: "5 min" }).getAttribute("aria-pressed"), "true");
  const pause = page.getByRole("button", { name: "Pause" });
  await pause.focus();
  await page.keyboard.press("Enter");
  assert.match(page.url(), /paused=1/);
  const held = await energy.innerText();
  await seconds(1);  // four readings
  assert.equal(await energy.innerText(), held);
  await pause.click();
  await eventually(() => energy.innerText(), (text) => text !== held, 5);
  view.check();
  await view.close();
});

test("a lost connection is said and made again", async () => {
  const view = await app.open("/#/live", { allow: [/Failed to load resource/, /ERR_/] });
  const { page } = view;
  await eventually(() => page.locator(".state").innerText(), (text) => text === "live");
  const start = await app.cut();
  await eventually(() => page.locator(".state").innerText(), (text) => /lost/.test(text), 10);
  // Rails, facts and charts are marked as old.
  await page.getByText("These figures are outdated: the server last answered at").waitFor();
  assert.equal(await page.locator(".stale", { has: page.getByRole("region", { name: "Power rails" }) }).count(), 1);
  assert.equal(await page.locator(".stale", { has: page.locator(".live-facts") }).count(), 1);
  await start();
  await eventually(() => page.locator(".state").innerText(), (text) => text === "live", 10);
  assert.equal(await page.locator(".stale").count(), 0);
  view.check();
  await view.close();
});

test("the mode is switched after a question and given back", async () => {
  const view = await app.open("/#/live");
  const { page } = view;
  const card = page.locator("section", { has: page.getByRole("heading", { name: "Power mode" }) });
  await card.getByLabel("Preset").selectOption("MODE_30W");
  await card.getByRole("button", { name: "Set the mode" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Leave it" }).click();
  await eventually(() => dialog.count(), (count) => count === 0);
  assert.notEqual((await app.json("api/v1/monitor")).preset, "MODE_30W");
  await card.getByRole("button", { name: "Set the mode" }).click();
  await dialog.getByRole("button", { name: "Set it" }).click();
  await eventually(async () => (await app.json("api/v1/monitor")).preset, (preset) => preset === "MODE_30W", 15);
  await eventually(() => card.innerText(), (text) => text.includes("MODE_30W"), 5);
  await view.screenshot("live_mode");
  await card.getByRole("button", { name: "Restore" }).click();
  await dialog.getByRole("button", { name: "Set it" }).click();
  await eventually(async () => (await app.json("api/v1/monitor")).preset, (preset) => preset !== "MODE_30W", 15);
  view.check();
  await view.close();
});

test("downloads: the looks shown as CSV, the newest as JSON, the chart as SVG", async () => {
  const view = await app.open("/#/live");
  const { page } = view;
  const files = page.getByRole("group", { name: "Downloads" }).first();
  await files.waitFor();
  const text = async (name) => {
    const download = page.waitForEvent("download");
    await files.getByLabel(name).click();
    const stream = await (await download).createReadStream();
    let all = "";
    for await (const part of stream) all += part;
    return all;
  };
  const lines = (await text("Download CSV")).trim().split("\n");
  assert.match(lines[0], /^time_s,power_w,power_w:VDD_GPU_SOC/);
  assert.ok(lines.length > 2);
  assert.equal(JSON.parse(await text("Download JSON")).schema, "ridgewatt.monitor/1");
  assert.match(await text("Download SVG"), /^<svg/);
  view.check();
  await view.close();
});

// Ten readings per second show growth faster: half a minute is enough.
const skip = process.env.RIDGEWATT_LONG_TESTS ? false : "a minute and a half; set RIDGEWATT_LONG_TESTS";
test("the page's memory does not grow while it looks", { timeout: 180000, skip }, async (t) => {
  const fast = await startApp({ args: ["--every", "0.1"] });
  try { await memoryTest(fast, t); } finally { await fast.close(); }
});

async function memoryTest(fast, t) {
  const view = await fast.open("/#/live");
  const { page } = view;
  const session = await view.context.newCDPSession(page);
  const heap = async () => {
    for (let i = 0; i < 3; ++i) await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize;
  };
  const nodes = async () => (await session.send("Memory.getDOMCounters")).nodes;
  // The charts fill in the first minute. After that, only readings are added, at most 3,700 of some hundred bytes each.
  await seconds(63);
  const first = { heap: await heap(), nodes: await nodes() };
  await seconds(30);
  const last = { heap: await heap(), nodes: await nodes() };
  t.diagnostic(`heap ${first.heap} to ${last.heap} bytes, document ${first.nodes} to ${last.nodes} nodes`);
  assert.ok(last.heap - first.heap < 1.5e6, `the heap grew from ${first.heap} to ${last.heap} bytes in 300 looks`);
  assert.ok(last.nodes - first.nodes < 200, `the document grew from ${first.nodes} to ${last.nodes} nodes`);
  view.check();
  await view.close();
}

test("nothing moves while figures change", async () => {
  const view = await app.open("/#/live");
  const { page } = view;
  await eventually(() => page.locator(".live-facts").count());
  await seconds(1);
  const shift = await page.evaluate(() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => { sum += entry.value; })).observe({ type: "layout-shift" });
    setTimeout(() => resolve(sum), 2500);
  }));
  assert.ok(shift < 0.01, `layout shift of ${shift} in ten looks`);
  view.check();
  await view.close();
});

test("the theme that is chosen holds, also for the charts, and after a reload", async () => {
  const view = await app.open("/#/live");
  const { page } = view;
  await page.locator("figure.chart canvas").first().waitFor();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel("Theme").selectOption("dark");
  await eventually(ground, (color) => color !== light, 3);
  await eventually(() => page.locator("figure.chart canvas").count(), (count) => count >= 4);
  await page.reload();
  await page.locator(".live-facts").waitFor();
  assert.notEqual(await ground(), light);
  await page.getByLabel("Theme").selectOption("light");
  assert.equal(await ground(), light);
  view.check();
  await view.close();
});

test("narrow, wide, dark; every control has a name", async () => {
  for (const [width, scheme] of [[400, "light"], [400, "dark"], [1280, "dark"], [3840, "light"]]) {
    const view = await app.open("/#/live", { width, scheme });
    await view.page.locator(".live-facts").waitFor();
    await seconds(0.5);  // two readings
    assert.ok((await sidewaysScroll(view.page)) <= 0, `at ${width} px the page is wider than its window`);
    assert.deepEqual(await unnamed(view.page), []);
    await view.screenshot(`live_${width}_${scheme}`);
    view.check();
    await view.close();
  }
});
