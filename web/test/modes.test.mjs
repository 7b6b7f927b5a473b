// Modes: the chart of all modes and the answer within limits agree with `ridgewatt estimate` and `ridgewatt tune`,
// however a limit is set. Measured points are compared with predictions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, sidewaysScroll, startApp, unnamed } from "./harness.mjs";

let app;
before(async () => { app = await startApp(); });
after(() => app.close());

const digits = (value) => Number(value.toPrecision(4));
// The long timeout is for pages with many requests, on a machine that runs other tests.
async function opened(...how) {
  const view = await app.open(...how);
  view.page.setDefaultTimeout(40000);
  return view;
}

const queryOf = async (page) => new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);
const shownNumber = async (page, name) => Number((await page.locator(`[data-answer="${name}"]`).first().textContent()).replace(/,/g, ""));

async function tuned(more) {
  const said = await app.run(["tune", "zoo:resnet50", "--device", "agx-orin", "--batch", "1", ...more, "--format", "json"]);
  return JSON.parse(said.stdout);
}

async function meetsTune(page, answer) {
  for (const [name, key] of [["Time", "time_ms"], ["Power", "power_w"], ["Energy", "energy_j"]]) {
    await eventually(() => shownNumber(page, name), (value) => value === digits(answer[key]), 40);
  }
}

const ready = (page) => page.getByRole("slider", { name: "Limit of power" }).waitFor();

test("all modes are there, and the answer within the limits of the address is tune's", async () => {
  const view = await opened("/#/modes?device=agx-orin&max-power=20&minimize=time");
  const { page } = view;
  await ready(page);
  await meetsTune(page, await tuned(["--max-power", "20", "--minimize", "time"]));
  await page.getByText("All 18,096 modes").waitFor();
  // Computes from the command's table the modes within the limit, and those that no other mode beats.
  const csv = (await app.run(["estimate", "zoo:resnet50", "--device", "agx-orin", "--modes", "all", "--format", "csv", "--columns", "time_ms,power_w"])).stdout.trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const within = csv.filter(([, power]) => power <= 20).length;
  const front = [];
  for (const point of [...csv].sort((a, b) => a[0] - b[0] || a[1] - b[1])) if (!front.length || point[1] < front.at(-1)[1]) front.push(point);
  assert.ok(front.every(([t, p]) => !csv.some(([u, q]) => u <= t && q <= p && (u < t || q < p))));
  const distinct = new Set(front.map(String)).size;
  await page.getByText(`${within.toLocaleString("en-US")} modes within the limits, ${distinct} on the front`).waitFor();
  await view.screenshot("modes");
  view.check();
  await view.close();
});

test("a limit that the chart does not know leaves its count of modes open", async () => {
  const view = await opened("/#/modes?device=orin-nano-8gb&minimize=energy&option.arrival-rate=30&option.max-latency=100");
  const { page } = view;
  await page.getByText(/^\d+ on the front$/).waitFor();
  const limit = page.getByLabel("Maximum power (W)");
  await limit.fill("12");
  await limit.press("Enter");
  await page.getByText(/^[\d,]+ modes within the limits of mean time, power and energy, \d+ on the front$/).waitFor();
  view.check();
  await view.close();
});

test("a card: the answer's name is that of its own mode; remarks are tune's", async () => {
  const view = await opened("/#/modes?device=rtx-3090&batch=64&max-power=200");
  const { page } = view;
  await ready(page);
  const said = JSON.parse((await app.run(["tune", "zoo:resnet50", "--device", "rtx-3090", "--batch", "64", "--max-power", "200", "--minimize", "time", "--format", "json"])).stdout);
  await meetsTune(page, said);
  assert.equal(await page.locator('[data-answer="Mode"]').innerText(), said.mode.governor || `GPU ${said.mode.gpu_mhz} MHz, 8 cores`);
  assert.deepEqual(await page.locator("[data-remark]").allInnerTexts(), said.remarks.map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`));
  assert.ok(said.remarks.length > 0);
  // Each power limit has its own place in the chart.
  const places = await page.evaluate(() => {
    const chart = [...document.querySelectorAll("figure.chart .live")].map((e) => echarts.getInstanceByDom(e)).find(Boolean);
    return Object.fromEntries(chart.getOption().series.at(-1).data.map((ring) => [ring.name, ring.value]));
  });
  const csv = (await app.run(["estimate", "zoo:resnet50", "--device", "rtx-3090", "--batch", "64", "--modes", "presets", "--format", "csv", "--columns", "governor,time_ms,power_w"])).stdout.trim().split("\n").slice(1).map((line) => line.split(","));
  assert.ok(csv.length > 2);
  for (const [name, time, power] of csv) assert.deepEqual(places[name], [Number(time), Number(power)], name);
  view.check();
  await view.close();
});

test("keys move a limit, and take it away", async () => {
  const view = await opened("/#/modes?device=agx-orin&minimize=energy", { allow: [/422/] });
  const { page } = view;
  await ready(page);
  const limit = page.getByRole("slider", { name: "Limit of power" });
  await limit.focus();
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("ArrowDown");
  const watts = Number((await queryOf(page)).get("max-power"));
  assert.ok(watts > 15 && watts < 26, `${watts}`);
  assert.equal(Number(await limit.getAttribute("aria-valuenow")), watts);
  await meetsTune(page, await tuned(["--max-power", String(watts), "--minimize", "energy"]));
  await page.keyboard.press("Delete");
  assert.equal((await queryOf(page)).get("max-power"), null);
  assert.match(await limit.getAttribute("aria-valuetext"), /no limit/);
  view.check();
  await view.close();
});

test("a dragged line sets the limit that is asked", async () => {
  const view = await opened("/#/modes?device=agx-orin", { allow: [/422/] });
  const { page } = view;
  await ready(page);
  const limit = page.getByRole("slider", { name: "Limit of power" });
  await limit.scrollIntoViewIfNeeded();
  const box = await limit.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 20; ++i) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 10 * i);
  await page.mouse.up();
  const watts = Number((await queryOf(page)).get("max-power"));
  assert.ok(watts > 12 && watts < 25, `${watts}`);
  await meetsTune(page, await tuned(["--max-power", String(watts), "--minimize", "time"]));
  view.check();
  await view.close();
});

test("limits that no mode keeps: what would do, as the command says", async () => {
  const view = await opened("/#/modes?device=agx-orin", { allow: [/422/] });
  const { page } = view;
  const limit = page.getByLabel("Maximum power (W)");
  await limit.fill("5");
  await ready(page);  // answers have arrived; the typed text stays
  assert.equal(await limit.inputValue(), "5");
  await limit.press("Enter");
  await page.getByText("No mode meets these limits.").waitFor();
  const said = await tuned(["--max-power", "5", "--minimize", "time"]);
  assert.equal(said.feasible, false);
  for (const { option } of said.relaxations) await page.getByRole("button", { name: `Maximum ${option.replace("--max-", "")} W` }).waitFor();
  view.check();
  await view.close();
});

test("a sweep's points stand over what was predicted, with an answer of their own", async () => {
  const file = join(app.folder, "sweep.csv");
  assert.equal((await app.run(["sweep", "example", "-o", file])).code, 0);
  const view = await opened("/#/modes?device=agx-orin&model=zoo:resnet18&training=1&max-power=30", { allow: [/422/] });
  const { page } = view;
  await page.getByLabel("Upload a sweep (CSV)").setInputFiles(file);
  await page.getByText(/81 points of resnet18:training, minibatch of 16/).waitFor();
  assert.equal(await page.locator(".badge.fake").count() > 0, true);
  const said = JSON.parse((await app.run(["tune", "--sweep", file, "--workload", "resnet18:training", "--batch", "16", "--strategy", "exhaustive", "--max-power", "30", "--minimize", "time", "--format", "json"])).stdout);
  await eventually(async () => (await page.locator('[data-answer="Time"]').allTextContents()).map(Number), (all) => all.length === 2 && all[1] === digits(said.time_ms), 40);
  // Computes the error that the page shows from the sweep and the command's predictions.
  const predicted = new Map((await app.run(["estimate", "zoo:resnet18", "--training", "--device", "agx-orin", "--modes", "all", "--format", "csv", "--columns", "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms"])).stdout.trim().split("\n").slice(1).map((line) => { const c = line.split(",").map(Number); return [c.slice(0, 4).join(), c[4]]; }));
  const [header, ...lines] = readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
  const rows = lines.map((line) => Object.fromEntries(header.map((name, i) => [name, line[i]]))).filter((row) => row.workload === "resnet18");
  const errors = rows.map((row) => Math.abs(predicted.get([row.cpu_cores, row.cpu_mhz, row.gpu_mhz, row.mem_mhz].map(Number).join()) - row.time_ms) / row.time_ms).filter(isFinite);
  const mean = 100 * errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const cells = page.getByRole("region", { name: "Predicted and measured" }).locator("tbody tr").first().locator("td");
  assert.equal(Number(await cells.nth(1).innerText()), errors.length);
  assert.equal(Number(await cells.nth(2).innerText()), Number(mean.toPrecision(3)));
  await view.screenshot("modes_measured");
  view.check();
  await view.close();
});

test("a workload of the store stands over the prediction, and the address keeps it", async () => {
  const sweep = join(app.folder, "stored.csv"), store = join(app.folder, "runs.db");
  assert.equal((await app.run(["sweep", "example", "-o", sweep])).code, 0);
  assert.equal((await app.run(["store", "import", store, sweep])).code, 0);
  const other = await startApp({ args: ["--store", store] });
  try {
    const view = await other.open("/#/modes?device=agx-orin&model=zoo:mobilenet_v3_large");
    const { page } = view;
    page.setDefaultTimeout(40000);
    await page.getByRole("button", { name: "Choose from the store" }).click();
    await page.getByLabel("Workload of the store").selectOption({ label: "mobilenet_v3_large:inference" });
    const batch = readFileSync(sweep, "utf8").trim().split("\n").slice(1).map((line) => line.split(",")).filter((row) => row[0] === "mobilenet_v3_large").map((row) => Number(row[2]));
    const least = Math.min(...batch);
    const text = `${batch.filter((one) => one === least).length} points of mobilenet_v3_large:inference, minibatch of ${least}`;
    await page.getByText(text).waitFor();
    await page.reload();
    await page.getByText(text).waitFor();
    view.check();
  } finally {
    await other.close();
  }
});

test("a sweep of something else is not compared unasked", async () => {
  const file = join(app.folder, "other.csv");
  assert.equal((await app.run(["sweep", "example", "-o", file])).code, 0);
  const view = await opened("/#/modes?device=agx-orin&model=zoo:resnet50", { allow: [/422/] });
  const { page } = view;
  await page.getByLabel("Upload a sweep (CSV)").setInputFiles(file);
  const warning = page.getByText("The sweep may not match the question");
  await warning.waitFor();
  for (const word of ["resnet18", "resnet50", "training", "inference", "batch is 16"]) assert.ok((await warning.innerText()).includes(word), word);
  const table = page.getByRole("region", { name: "Predicted and measured" });
  assert.equal(await table.count(), 0);
  await page.getByRole("button", { name: "Compare them anyway" }).click();
  await table.waitFor();
  assert.equal((await queryOf(page)).get("compare"), "1");
  await page.getByRole("button", { name: "Do not compare them" }).click();
  await eventually(() => table.count(), (count) => count === 0);
  view.check();
  await view.close();
});

test("downloads are the command's output, and the address shows the same elsewhere", async () => {
  const address = "/#/modes?device=orin-nano-8gb&model=zoo%3Amobilenet_v2&max-time=30&minimize=energy&x=energy&y=time";
  const one = await opened(address), other = await opened(address, { scheme: "dark", width: 800 });
  for (const { page } of [one, other]) await page.getByRole("slider", { name: "Limit of time" }).waitFor();
  const answers = ({ page }) => page.locator(".answers").first().innerText();
  const flat = (text) => text.replace(/\s+/g, " ");
  assert.equal(flat(await answers(one)), flat(await answers(other)));
  const fetched = async (nth) => {
    const [file] = await Promise.all([one.page.waitForEvent("download"), one.page.getByRole("link", { name: "Download CSV" }).nth(nth).click()]);
    return readFileSync(await file.path(), "utf8");
  };
  const args = ["zoo:mobilenet_v2", "--device", "orin-nano-8gb"];
  assert.equal(await fetched(0), (await app.run(["tune", ...args, "--batch", "1", "--minimize", "energy", "--max-time", "30", "--format", "csv"])).stdout);
  const columns = "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w,energy_j,energy_lo_j,energy_hi_j";
  assert.equal(await fetched(1), (await app.run(["estimate", ...args, "--modes", "all", "--format", "csv", "--columns", columns])).stdout);
  for (const view of [one, other]) { view.check(); await view.close(); }
});

for (const width of [400, 3840]) {
  test(`at ${width} pixels nothing sticks out and every control has a name`, async () => {
    const view = await opened("/#/modes?device=agx-orin&max-power=18&max-time=40", { width, height: width === 400 ? 800 : 2160, scheme: "dark" });
    await ready(view.page);
    assert.ok((await sidewaysScroll(view.page)) <= 0);
    assert.deepEqual(await unnamed(view.page), []);
    await view.screenshot(`modes_${width}`);
    view.check();
    await view.close();
  });
}
