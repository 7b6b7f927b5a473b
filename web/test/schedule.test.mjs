// The Schedule page: its answer is that of the command line, follows limits and uploads, and is the same at a shared
// address.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, ridgewatt, sidewaysScroll, startApp, unnamed } from "./harness.mjs";

let app;
before(async () => { app = await startApp(); });
after(() => app && app.close());

const asked = "device=orin-nano&training=zoo:lenet5&inference=zoo:resnet18&rate=20&latency=2000&power=12&duration=60";
const line = ["--training", "zoo:lenet5", "--inference", "zoo:resnet18", "--device", "orin-nano", "--arrival-rate", "20", "--max-latency", "2000", "--max-power", "12", "--format", "json"];
const shown = (page, name) => page.locator(`[data-answer="${name}"]`).innerText();
const near = (text, value) => assert.ok(Math.abs(Number(text.replace(/,/g, "")) - value) <= 1e-3 * Math.abs(value), `${text} is not ${value}`);

test("the plan is the command line's, and so is the command shown", async () => {
  const plan = JSON.parse((await ridgewatt(["schedule", "plan", ...line])).stdout);
  assert.equal(plan.feasible, true);
  const view = await app.open(`/#/schedule?${asked}`);
  const { page } = view;
  await page.locator('[data-answer="Training"]').waitFor();
  near(await shown(page, "Training"), plan.training_throughput);
  near(await shown(page, "Worst latency"), plan.latency_ms);
  near(await shown(page, "Peak power"), plan.power_w);
  assert.match(await shown(page, "mode"), new RegExp(`GPU ${plan.mode.gpu_mhz}`));
  const command = await page.getByLabel("The command that gives the same").first().innerText();
  assert.match(command, /^ridgewatt schedule plan /);
  const words = command.match(/'[^']*'|\S+/g).slice(1).map((word) => word.replace(/^'|'$/g, ""));
  assert.deepEqual(JSON.parse((await ridgewatt([...words, ...(words.includes("--format") ? [] : ["--format", "json"])])).stdout), plan);
  view.check();
  await view.close();
});

test("the simulation is the command line's: ways of sharing and four figures", async () => {
  const all = ["schedule", "simulate", ...line, "--arrivals", "poisson", "--duration", "60"];
  const simulation = JSON.parse((await ridgewatt(all)).stdout);
  const view = await app.open(`/#/schedule?${asked}`);
  const { page } = view;
  const table = page.getByRole("region", { name: "Ways of sharing the device" });
  await table.waitFor();
  const planned = await page.locator("[data-strip]").innerText(), managed = simulation.results.find((one) => one.sharing === "managed");
  assert.match(planned, /worst latency [\d.]+ ms with constant arrivals/);
  assert.equal(Number((await shown(page, "Simulated latency")).split(" ")[0]), Number(managed.latency_worst_ms.toPrecision(3)));
  const rows = await table.locator("tbody tr").allInnerTexts();
  assert.equal(rows.length, simulation.results.length);
  simulation.results.forEach((result, i) => {
    const cells = rows[i].split(/\t|\n/).map((text) => text.trim()).filter(Boolean);
    assert.equal(cells[0], result.sharing);
    near(cells[1], result.latency_p50_ms);
    near(cells[2], result.latency_p99_ms);
    near(cells[10], result.energy_j);
  });
  await eventually(() => page.locator("figure.chart").count(), (count) => count === 4);
  // The color scale of the heat map shows the least and the greatest value.
  const map = JSON.parse((await ridgewatt([...all, "--with-figures"])).stdout).figures.find((figure) => figure.option.visualMap);
  const values = map.option.series.find((series) => series.type === "heatmap").data.map((cell) => cell[2]);
  const ramp = page.locator("figure .ramp");
  assert.equal(await ramp.count(), 1);
  assert.equal(Number(await ramp.locator("b").first().innerText()), Number(Math.min(...values).toPrecision(3)));
  assert.equal(Number(await ramp.locator("b").last().innerText()), Number(Math.max(...values).toPrecision(3)));
  const download = page.waitForEvent("download");
  await page.getByRole("group", { name: "Downloads" }).last().getByLabel("Download JSON").click();
  assert.deepEqual(JSON.parse(readFileSync(await (await download).path(), "utf8")), simulation);
  await view.screenshot("schedule");
  view.check();
  await view.close();
});

test("a limit that cannot be kept tells the nearest miss; a change goes into the address", async () => {
  const view = await app.open(`/#/schedule?${asked}`, { allow: [/422/] });
  const { page } = view;
  await page.locator('[data-answer="Training"]').waitFor();
  const field = page.getByLabel("Power budget (W)");
  await field.fill("3");
  await field.press("Enter");
  await page.getByText("No plan meets these limits.").waitFor();
  assert.match(page.url(), /[?&]max-power=3(&|$)/);  // "power" is the former name
  assert.doesNotMatch(page.url(), /[?&]power=/);
  await field.fill("12");
  await field.press("Enter");
  await eventually(() => page.getByText("No plan meets these limits.").count(), (count) => count === 0);
  view.check();
  await view.close();
});

test("a sweep that is dropped takes the place of a model", async () => {
  const csv = join(app.folder, "train.csv");
  assert.equal((await app.run(["sweep", "example", "--device", "orin-nano", "--workload", "resnet18:training", "-o", csv])).code, 0);
  const view = await app.open("/#/schedule?device=orin-nano&inference=none&power=12");
  const { page } = view;
  await page.getByLabel("Upload a sweep or model of the training").setInputFiles(csv);
  await page.getByText("fake", { exact: true }).first().waitFor();
  const plan = JSON.parse((await app.run(["schedule", "plan", "--training-sweep", csv, "--max-power", "12", "--format", "json"])).stdout);
  await eventually(async () => Number(await shown(page, "Training")), (value) => Math.abs(value - plan.training_throughput) < 1e-3 * plan.training_throughput);
  view.check();
  await view.close();
});

test("narrow, wide, dark; every control has a name", async () => {
  for (const [width, scheme] of [[400, "light"], [1280, "dark"], [3840, "light"]]) {
    const view = await app.open(`/#/schedule?${asked}`, { width, scheme });
    await eventually(() => view.page.locator("figure.chart").count(), (count) => count === 4);
    assert.ok((await sidewaysScroll(view.page)) <= 0, `at ${width} px the page is wider than its window`);
    assert.deepEqual(await unnamed(view.page), []);
    await view.screenshot(`schedule_${width}_${scheme}`);
    view.check();
    await view.close();
  }
});
