// A first visitor, who has the page but no documentation. The page answers fifteen questions with the numbers of the
// command line. Further tests check typical mistakes of such a visitor.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, program, sidewaysScroll, startApp, upload } from "./harness.mjs";

let app;
before(async () => { app = await startApp(); });
after(() => app.close());

async function opened(path = "/", how = {}) {
  const view = await app.open(path, how);
  view.page.setDefaultTimeout(40000);
  return view;
}
const strip = (page) => page.locator("[data-strip]");
const answered = (page) => eventually(() => strip(page).evaluate((e) => !e.classList.contains("stale") && e.querySelector("b")?.innerText), Boolean, 40);
const digits = (value, count = 4) => Number(value.toPrecision(count));
const shows = (page, name, value) => eventually(async () => Number((await page.locator(`[data-answer="${name}"]`).first().textContent()).replace(/,/g, "")), (shown) => shown === value, 40);
const said = async (...line) => JSON.parse((await app.run([...line, "--format", "json"])).stdout);
const estimate = async (...more) => (await said("estimate", "zoo:resnet50", "--device", "agx-orin", "--modes", "maxn", ...more)).estimates[0];

// Opens the first page and follows the link with this text.
async function ask(text) {
  const view = await opened();
  await view.page.getByRole("link", { name: text }).click();
  await view.page.getByRole("heading", { level: 1 }).waitFor();
  return view;
}
async function done(view) {
  view.check();
  await view.close();
}

test("which mode for 15 W? The answer is tune's; a button asks for more confidence", async () => {
  const view = await ask("Which mode for 15 W?"), { page } = view;
  const limited = ["tune", "zoo:resnet50", "--device", "agx-orin", "--minimize", "time", "--batch", "1", "--max-power", "15"];
  const one = await said(...limited);
  await shows(page, "Time", digits(one.time_ms));
  assert.ok(one.power_w <= 15 && one.confidence < 0.9);
  await page.getByRole("button", { name: "Be 90 % sure" }).click();
  const surer = await said(...limited, "--confidence", "0.9");
  await shows(page, "Time", digits(surer.time_ms));
  assert.ok(surer.confidence >= 0.9);
  await eventually(() => page.getByRole("button", { name: "Be 90 % sure" }).count(), (count) => count === 0, 40);
  await done(view);
});

test("what limits it? How much faster is TensorRT, what does a batch of 8 cost? One button each", async () => {
  const view = await ask("What limits a model?"), { page } = view;
  await answered(page);
  assert.equal((await estimate()).bound, "launch");
  assert.equal(await page.locator(".answers .words").innerText(), "kernel launches");
  await page.getByRole("button", { name: /^batch 8 / }).click();
  await shows(page, "Energy", digits((await estimate("--batch", "8")).energy_j));
  await page.goBack();
  const eager = (await estimate()).time_ms, tensorrt = (await estimate("--runtime", "tensorrt")).time_ms;
  await page.getByRole("button", { name: `tensorrt ${digits(eager / tensorrt, 3)}` }).click();
  await shows(page, "Time", digits(tensorrt));
  await done(view);
});

test("how much energy does a day need? The mean power is that of schedule plan; a rate that is too high is said", async () => {
  const view = await ask("How much energy per day?"), { page } = view;
  const plan = await said("schedule", "plan", "--inference", "zoo:resnet50", "--device", "agx-orin", "--arrival-rate", "30", "--modes", "maxn", "--inference-batch", "1");
  await shows(page, "Day", digits(plan.mean_power_w * 86400 / 3.6e6, 3));
  const rate = page.getByLabel("Requests per second");
  await rate.fill("57");  // more than the upper end of the time allows
  await rate.press("Enter");
  const one = await estimate("--loader-time", "0"), dayOf = (watts) => watts * 86400 / 3.6e6;
  await page.getByText(/At the upper end of its time, 21\.2 ms, this mode computes only 47\.1 samples/).waitFor();
  const [low, high] = (await page.locator('[data-answer="Day interval"]').innerText()).split(" to ").map(Number);
  const mean = Number(await page.locator('[data-answer="Day"]').innerText());
  assert.ok(low >= digits(dayOf(one.idle_w), 3) && low < mean && mean < high && high <= digits(dayOf(one.power_hi_w), 3), `${low} ${mean} ${high}`);
  await rate.fill("1000");
  await rate.press("Enter");
  await page.getByText(/this mode computes at most 57\.6 samples/).waitFor();
  await page.getByRole("checkbox", { name: "Training" }).check();
  await eventually(() => rate.count(), (count) => count === 0, 40);  // training has no requests
  await done(view);
});

test("which mode is the most efficient?", async () => {
  const view = await ask("What limits a model?"), { page } = view;
  await page.getByRole("button", { name: "Set the mode of least energy" }).click();
  const all = (await said("estimate", "zoo:resnet50", "--device", "agx-orin", "--modes", "all")).estimates;
  await shows(page, "Energy", digits(all.reduce((least, one) => Math.min(least, one.energy_j), Infinity)));
  await page.getByRole("link", { name: "Modes", exact: true }).last().click();  // the answer of tune: the fastest of nearly equal modes
  await shows(page, "Energy", digits((await said("tune", "zoo:resnet50", "--device", "agx-orin", "--minimize", "energy", "--batch", "1")).energy_j));
  await done(view);
});

test("does a 7B model fit an Orin Nano, and how many tokens per second?", async () => {
  const view = await ask("Does a language model fit?"), { page } = view;
  await answered(page);
  const models = page.getByRole("combobox", { name: "Model", exact: true });
  const name = await eventually(async () => (await models.locator("option").evaluateAll((all) => all.map((one) => one.value))).find((one) => /llama-2-7b/.test(one)), Boolean, 40);
  await models.selectOption(name);
  const one = (await said("llm", name, "--device", "orin-nano-8gb", "--prompt", "512", "--generate", "256", "--concurrency", "1", "--modes", "maxn"));
  await shows(page, "Speed", digits(one.rows[0].tokens_per_s));
  await eventually(() => page.locator('[data-answer="Fits"]').innerText(), (text) => text === (one.memory[0].fits ? "fits" : "does not fit"), 40);
  await done(view);
});

test("can I train while I serve?", async () => {
  const view = await ask("Train while serving?"), { page } = view;
  const plan = await said("schedule", "plan", "--training", "zoo:resnet18", "--inference", "zoo:mobilenet_v3_large", "--device", "agx-orin", "--arrival-rate", "60", "--max-latency", "1000", "--max-power", "30");
  await shows(page, "Training", digits(plan.training_throughput));
  await done(view);
});

test("why are my 45 ms slower than the published 20 ms? Fields and causes have names that need no manual", async () => {
  const view = await ask("Why is it slow?"), { page } = view;
  for (const [name, value] of [["Measured time (ms)", "45"], ["Published time (ms)", "20"]]) {
    await page.getByLabel(name).fill(value);
    await page.getByLabel(name).press("Enter");
  }
  const one = await said("explain", "zoo:resnet50", "--device", "agx-orin", "--measured", "45", "--claimed", "20");
  await shows(page, "Expected", 20);
  const rows = page.getByRole("region", { name: "Causes" }).locator("tbody tr");
  await eventually(() => rows.count(), (count) => count === one.rows.length, 40);
  const names = await rows.locator("td:first-child").allInnerTexts();
  assert.equal(new Set(names).size, one.rows.length);
  assert.ok(names.includes("pre- and post-processing") && names.includes("GPU clock"), names.join());
  await done(view);
});

test("how certain is this number, and what does 'modelled' mean?", async () => {
  const view = await ask("What limits a model?"), { page } = view;
  await answered(page);
  await eventually(() => strip(page).innerText(), (text) => /±25 %/.test(text), 40);
  assert.equal(await page.evaluate(async () => (await import("./strip.js")).spreadText([[10, 9, 11], [1574, 705, 4284]])), "within a factor of 2.7");
  for (const [button, text] of [["What is meant by interval?", /90 %/], ["What is meant by provenance?", /modelled \(by a twin\)/]]) {
    await page.getByLabel(button).click();
    await page.locator("[role=note]").filter({ hasText: text }).waitFor();
  }
  await done(view);
});

test("how do I upload my model, share this screen, and run it on the command line?", async () => {
  const file = join(app.folder, "mine.onnx");
  assert.equal((await app.run(["zoo", "write", "lenet5", "-o", file])).code, 0);
  const view = await ask("What limits a model?"), { page } = view;
  await view.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const shown = await answered(page);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  const other = await opened(new URL(await clipboard()).hash.replace(/^/, "/"));
  assert.equal(await answered(other.page), shown);
  await page.getByRole("button", { name: "Copy the command" }).first().click();
  const command = await clipboard();
  const run = await new Promise((resolve) => execFile("/bin/sh", ["-c", `${command} --format json`], { env: { ...app.env, PATH: `${dirname(program)}:${process.env.PATH}` } }, (error, stdout) => resolve(stdout)));
  await shows(page, "Time", digits(JSON.parse(run).estimates[0].time_ms));
  await upload(page, "Upload an ONNX file", file);
  await eventually(() => page.locator(".question > summary").textContent(), (text) => /mine\.onnx/.test(text), 40);
  await eventually(() => page.evaluate(() => location.hash), (hash) => /upload(:|%3A)/.test(hash), 40);
  await page.getByRole("button", { name: /Copy link|Copied/ }).click();
  await page.getByRole("button", { name: "Copied, without the file" }).waitFor();
  await other.close();
  await done(view);
});

test("where a browser refuses to copy, the address is shown", async () => {
  const view = await opened("/#/explore?device=agx-orin&batch=2"), { page } = view;
  await answered(page);
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => { throw new Error("refused"); } } }));
  await page.getByRole("button", { name: "Copy link" }).click();
  assert.equal(await page.getByLabel("The address of this page").inputValue(), await page.evaluate(() => location.href));
  await done(view);
});

test("limits that no mode meets: a button relaxes one, a link takes another board", async () => {
  const view = await opened("/#/modes?device=agx-orin&max-power=3", { allow: [/422/] }), { page } = view;
  const one = await said("tune", "zoo:resnet50", "--device", "agx-orin", "--batch", "1", "--max-power", "3");
  const boards = page.getByRole("link", { name: new RegExp(`^${one.other_boards[0].board} `) });
  assert.match(await boards.getAttribute("href"), /device=nano&|device=nano$/);
  const labels = await eventually(() => page.locator(".limit span").evaluateAll((all) => all.map((label) => label.getBoundingClientRect().toJSON())), (all) => all.length === 2, 40);
  const [left, right] = labels.sort((a, b) => a.left - b.left);
  assert.ok(left.right < right.left, "the texts of the lines do not cover each other");
  const [, , value] = /^--(max-power) ([\d.]+)$/.exec(one.relaxations[0].option);
  await page.getByRole("button", { name: `Maximum power ${value} W` }).click();
  await page.locator('.answers [data-answer="Mode"]').waitFor();
  assert.equal(new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]).get("max-power"), value);
  await done(view);
});

test("at 2,560 pixels the bar begins and ends where the content does, and tables show every column", async () => {
  const view = await opened("/#/explain?option.measured=45", { width: 2560, height: 1440 }), { page } = view;
  await answered(page);
  const edges = (where) => page.locator(where).first().evaluate((e) => e.getBoundingClientRect().toJSON());
  assert.ok(Math.abs((await edges(".brand")).left - (await edges("h1")).left) < 2);
  assert.ok(Math.abs((await edges(".tools")).right - (await edges(".answers")).right) < 2);
  for (const width of [2560, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const hidden = await page.getByRole("region", { name: "Causes" }).evaluate((e) => e.scrollWidth - e.clientWidth);
    assert.ok(hidden <= 1, `${hidden} pixels at ${width}`);
  }
  await page.goto(new URL("/#/live", app.address).href);
  const rails = page.getByRole("region", { name: "Power rails" });
  await rails.locator("tbody tr").first().waitFor();
  assert.ok(await rails.evaluate((e) => e.scrollWidth - e.clientWidth) <= 1);
  // The panels fill each row.
  const ends = await page.locator(".panels > section").evaluateAll((all) => Object.values(all.reduce((rows, one) => { const box = one.getBoundingClientRect(); return { ...rows, [Math.round(box.top)]: Math.round(box.right) }; }, {})));
  assert.ok(ends.length > 1 && ends.every((end) => Math.abs(end - ends[0]) <= 1), ends.join());
  await done(view);
});

test("an error speaks of the field, not of options", async () => {
  const view = await opened("/#/explore?device=agx-orin&batch=0", { allow: [/4\d\d/] }), { page } = view;
  await page.locator(".error").first().waitFor();
  assert.match(await page.locator(".error").first().innerText(), /^batch: must be at least 1 [^']*$/);
  await done(view);
});

for (const name of ["live", "explore", "modes", "explain", "language", "schedule"]) {
  test(`${name} on a phone: two rows of links, no type below 12 pixels, no cut label, no card that leaves half a row`, async () => {
    const view = await opened(`/#/${name}?${name === "explain" ? "option.measured=45" : ""}`, { width: 400, height: 800 }), { page } = view;
    await answered(page);
    assert.ok((await page.locator(".top").boundingBox()).height < 120);
    const small = await page.evaluate(() => [...document.querySelectorAll("header *, main *")].filter((e) => e.childElementCount === 0 && e.textContent.trim() && e.getClientRects().length && parseFloat(getComputedStyle(e).fontSize) < 12).map((e) => e.textContent));
    assert.deepEqual(small, []);
    const { last, whole } = await page.locator(".answers").first().evaluate((list) => ({ last: list.lastElementChild.getBoundingClientRect().right, whole: list.getBoundingClientRect().right }));
    assert.ok(whole - last < 2, `the last card ends at ${last} of ${whole}`);
    assert.ok((await sidewaysScroll(page)) <= 0);
    if (name === "explore") {
      const names = await eventually(() => page.evaluate(() => [...document.querySelectorAll("figure.chart .live")].map((e) => echarts.getInstanceByDom(e)).filter(Boolean).map((chart) => chart.getOption().xAxis[0].name)), (list) => list.some((text) => /intensity/.test(text)), 40);
      assert.match(names.find((text) => /intensity/.test(text)), /modelled\ntraffic/);
    }
    if (name === "modes") {
      const hidden = await page.getByRole("region", { name: "Comparison with presets" }).evaluate((e) => e.scrollWidth - e.clientWidth);
      assert.ok(hidden <= 1, `${hidden} pixels of the comparison`);
    }
    if (name === "explain") {
      const row = page.getByRole("region", { name: "Causes" }).locator("tbody tr").first();
      const [box, remedy] = [await row.boundingBox(), await row.locator("td").nth(2).boundingBox()];
      assert.ok(remedy.width > 0.8 * box.width && remedy.x + remedy.width <= 400);
    }
    await done(view);
  });
}
