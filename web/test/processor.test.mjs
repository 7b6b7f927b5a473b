// A machine without a GPU: the pages have neither its knobs nor its columns.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { eventually, program, startApp } from "./harness.mjs";

let app;
before(async () => {
  app = await startApp({
    device: null,
    // Without the folder tools/runtimes, only the microbenchmarks run.
    prepare: async ({ folder, env }) => {
      execFileSync(program, ["calibrate", "--device", "local", "--seconds", "10ms", "--quiet"],
        { cwd: folder, env: { ...process.env, ...env } });
    },
  });
});
after(() => app.close());

async function answered(address, selector) {
  const view = await app.open(address);
  view.page.setDefaultTimeout(40000);
  const text = await eventually(() => view.page.locator(selector).first().innerText().catch(() => ""), Boolean, 60);
  view.check();
  return { view, text };
}

test("Explore asks for the cores alone", async () => {
  const { view, text } = await answered("/#/explore?device=local&runtime=onnxruntime-cpu&model=zoo:lenet5", ".answers");
  assert.doesNotMatch(text, /GPU|NaN|undefined|null/);
  const sliders = await view.page.getByRole("slider").count();
  assert.equal(sliders, 1, "only the cores");
  await view.page.getByText("Time over CPU cores").first().waitFor();
  assert.doesNotMatch(await view.page.locator("main").innerText(), /NaN|undefined|GPU clock|Memory clock/);
  view.check();
  await view.close();
});

test("Live shows no GPU where the machine has none", async () => {
  const { view, text } = await answered("/#/live", ".live-facts");
  if ((await app.json("api/v1/monitor")).loads.some((load) => load.name === "gpu")) return;
  assert.doesNotMatch(text, /GPU|NaN|undefined|less than/);
  assert.equal(await view.page.getByText("Clock of the GPU").count(), 0);
  await view.close();
});
