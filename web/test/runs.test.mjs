// The Runs page shows what `ridgewatt store list` prints, draws and compares runs, and follows an active run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, program, sidewaysScroll, startApp, unnamed } from "./harness.mjs";

let app, store;
before(async () => {
  app = await startApp({ prepare: async ({ folder, run }) => {
    store = join(folder, "points.db");
    const csv = join(folder, "sweep.csv");
    for (const args of [["sweep", "example", "--workload", "resnet18:training", "--workload", "mobilenet_v2", "--batch", "16", "-o", csv], ["store", "import", store, csv]]) {
      const made = await run(args);
      assert.equal(made.code, 0, made.stderr);
    }
    return ["--store", store];
  } });
});
after(() => app && app.close());

const list = async () => JSON.parse((await app.run(["store", "list", store, "--format", "json"])).stdout).rows;

test("it shows what store list prints", async () => {
  const view = await app.open("/#/runs");
  const { page } = view;
  const rows = await list();
  assert.equal(rows.length, 2);
  const shown = page.getByRole("list", { name: "Runs" }).getByRole("button");
  await eventually(() => shown.count(), (count) => count === rows.length);
  const texts = await shown.allInnerTexts();
  rows.forEach((row, i) => {
    for (const value of [row.workload, row.kind, row.board, row.provenance, `${row.points} points`, `${row.modes} modes`]) {
      assert.ok(texts[i].includes(value), `${texts[i]} has no ${value}`);
    }
  });
  const points = page.getByRole("region", { name: "Points", exact: true });
  await points.waitFor();
  assert.equal(await points.locator("tbody tr").count(), rows[0].points);
  await view.screenshot("runs");
  view.check();
  await view.close();
});

test("two runs are compared over the points that both have", async () => {
  const view = await app.open("/#/runs");
  const { page } = view;
  await page.getByRole("region", { name: "Points", exact: true }).waitFor();
  await page.getByLabel("Compared with").selectOption({ index: 1 });
  await page.locator('[data-answer="Energy"]').waitFor();
  const csv = (await app.run(["store", "export", store])).stdout.trim().split("\n").map((line) => line.split(","));
  const at = (name) => csv[0].indexOf(name);
  const key = (row) => ["cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz", "batch"].map((name) => row[at(name)]).join(" ");
  const of = (workload) => new Map(csv.slice(1).filter((row) => row[at("workload")] === workload).map((row) => [key(row), row]));
  const [a, b] = [of("resnet18"), of("mobilenet_v2")];
  const logs = [...a].filter(([k]) => b.has(k)).map(([k, row]) => Math.log(b.get(k)[at("time_ms")] / row[at("time_ms")]));
  const wanted = Math.exp(logs.reduce((sum, value) => sum + value, 0) / logs.length);
  const shown = Number(await page.locator('[data-answer="Time"]').innerText());
  assert.ok(Math.abs(shown - wanted) < 1e-3 * wanted, `${shown} is not ${wanted}`);
  const address = page.url();
  await view.screenshot("runs_compared");
  view.check();
  await view.close();
  const again = await app.open(address.slice(address.indexOf("/#")));
  await again.page.locator('[data-answer="Time"]').waitFor();
  assert.equal(Number(await again.page.locator('[data-answer="Time"]').innerText()), shown);
  again.check();
  await again.close();
});

test("a run that goes on is followed: points of those planned", { timeout: 120000 }, async () => {
  const view = await app.open("/#/runs");
  const { page } = view;
  const profile = ["profile", store, "--device", "fake:orin-nano", "--sample", "6", "--settle", "0", "--idle", "0", "--window", "3", "--workload", "lenet5", "--",
    "ridgewatt", "fake-run", "zoo:lenet5", "--device", "fake:orin-nano", "--minibatches", "5", "--quiet"];
  const child = execFile(program, profile, { env: { ...process.env, ...app.env } });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const entry = page.getByRole("button", { name: /lenet5/ });
  await entry.waitFor({ timeout: 60000 });
  assert.match(await entry.innerText(), /of 6 points/);
  assert.equal(await ended, 0);
  await eventually(() => entry.innerText(), (text) => text.includes("6 of 6 points"), 20);
  assert.equal((await list()).find((row) => row.workload === "lenet5").planned, 6);
  await entry.click();
  await eventually(() => page.getByRole("region", { name: "Points", exact: true }).locator("tbody tr").count(), (count) => count === 6);
  await view.screenshot("runs_progress");
  view.check();
  await view.close();
});

test("narrow, wide, dark; every control has a name", async () => {
  for (const [width, scheme] of [[400, "light"], [1280, "dark"], [3840, "light"]]) {
    const view = await app.open("/#/runs", { width, scheme });
    await view.page.getByRole("region", { name: "Points", exact: true }).waitFor();
    assert.ok((await sidewaysScroll(view.page)) <= 0, `at ${width} px the page is wider than its window`);
    assert.deepEqual(await unnamed(view.page), []);
    await view.screenshot(`runs_${width}_${scheme}`);
    view.check();
    await view.close();
  }
});
