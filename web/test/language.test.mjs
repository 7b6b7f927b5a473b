// Language models: the page shows the memory, speed and energy of the command line, whether the question comes from the
// address, a slider, a key, a table or a dropped file.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, refuseUpload, sidewaysScroll, startApp, unnamed, upload } from "./harness.mjs";

let app;
before(async () => { app = await startApp(); });
after(() => app.close());

// The long timeout is for pages with many requests, on a machine that runs other tests.
async function opened(...how) {
  const view = await app.open(...how);
  view.page.setDefaultTimeout(40000);
  return view;
}

const queryOf = async (page) => new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);
// Rounds a number like the page: to `digits` digits, and from 10,000 on to a whole number.
const rounded = (value, digits) => (value >= 10000 ? Math.round(value) : Number(value.toPrecision(digits)));
const gibibyte = 1024 ** 3;

const request = { model: "zoo:llama-3.1-8b", device: "orin-nano-8gb", prompt: "512", generate: "256", concurrency: "1" };

// Returns the highest value of each knob of a board.
async function topOf(device) {
  const { bsps, bsp } = await answered(["device", "show", device]);
  const { knobs } = bsps.find((one) => one.name === bsp) || bsps[0];
  const most = (name) => Math.max(...knobs[name]);
  return { cores: most("cpu_cores"), cpu: most("cpu_mhz"), gpu: most("gpu_mhz"), mem: most("mem_mhz") };
}

// Returns the request in the address as options of a command. `only`: the options that the command has.
function optionsOf(query, only) {
  return only.filter((name) => query.get(name) || request[name]).flatMap((name) => [`--${name}`, query.get(name) || request[name]]);
}

async function answered(args) {
  const said = await app.run([...args, "--format", "json"]);
  assert.equal(said.code, 0, said.stderr);
  return JSON.parse(said.stdout);
}

const shownNumber = async (page, name) => Number((await page.locator(`[data-answer="${name}"]`).first().textContent()).replace(/,/g, ""));

// Checks that the large numbers are those of `llm` for the request and the mode in the address, and that the memory is
// that of `fits` for the sum of prompt and answer.
async function meetsCommands(page, model = request.model) {
  const query = await queryOf(page);
  const device = query.get("device") || request.device;
  const steps = await topOf(device);
  const mode = Object.entries(steps).map(([name, most]) => `${name}=${query.get(name) || most}`).join(",");
  const said = await answered(["llm", model, ...optionsOf(query, ["device", "runtime", "quantization", "kv-type", "prompt", "generate", "concurrency"]), "--modes", mode]);
  const row = said.rows[0];
  for (const [name, key, count] of [["Speed", "tokens_per_s", 4], ["First token", "ttft_ms", 4], ["Energy", "joules_per_token", 4], ["Power", "decode_power_w", 3]]) {
    await eventually(() => shownNumber(page, name), (value) => value === rounded(row[key], count), 40);
  }
  const whole = Number(query.get("prompt") || request.prompt) + Number(query.get("generate") || request.generate);
  const fit = (await answered(["fits", model, "--device", device, "--quantization", row.quantization, "--context", String(whole), "--batch", query.get("concurrency") || request.concurrency,
    ...optionsOf(query, ["kv-type"])])).rows[0];
  await page.getByRole("img", { name: `Memory: ${fit.sum}`, exact: true }).waitFor();
  for (const [name, key] of [["weights", "weights_bytes"], ["cache", "kv_bytes"], ["left", "left_bytes"]]) {
    assert.equal(await page.locator(`[data-memory="${name}"]`).innerText(), `${(fit[key] / gibibyte).toFixed(2)} GiB`);
  }
  assert.equal(await page.locator('[data-answer="Fits"]').innerText(), fit.fits ? "fits" : "does not fit");
  return { row, fit, mode };
}

test("memory is the command line's, to scale", async () => {
  const view = await opened("/#/language?model=zoo:llama-3.1-8b&device=orin-nano-8gb");
  const { page } = view;
  const { fit: row } = await meetsCommands(page);
  const width = (part) => page.locator(`.memory .part.${part}`).evaluate((e) => e.getBoundingClientRect().width);
  const whole = await page.locator(".memory").evaluate((e) => e.clientWidth);
  for (const [part, key] of [["weights", "weights_bytes"], ["system", "system_bytes"]]) {
    assert.ok(Math.abs((await width(part)) / whole - row[key] / row.board_bytes) < 0.01, part);
  }
  await view.screenshot("language");
  view.check();
  await view.close();
});

test("a slider moved by keys and by the mouse asks for its request", async () => {
  const view = await opened("/#/language");
  const { page } = view;
  await meetsCommands(page);
  await page.getByRole("slider", { name: "Prompt" }).focus();
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
  assert.equal((await queryOf(page)).get("prompt"), "8192");
  assert.equal((await meetsCommands(page)).fit.fits, false);  // 4.58 GiB of weights and 1.03 of cache are too much
  const box = await page.getByRole("slider", { name: "Sequences at once" }).boundingBox();
  await page.mouse.move(box.x + 4, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + 0.05 * i * box.width, box.y + box.height / 2);
  await page.mouse.up();
  assert.ok(Number((await queryOf(page)).get("concurrency")) > 1);
  await meetsCommands(page);
  view.check();
  await view.close();
});

test("every quantization is there; a row of the table chooses one", async () => {
  const view = await opened("/#/language?device=orin-nano-8gb");
  const { page } = view;
  const table = page.getByRole("region", { name: "Quantizations" });
  await table.locator("tbody tr").first().waitFor();
  const said = JSON.parse((await app.run(["fits", "zoo:llama-3.1-8b", "--device", "orin-nano-8gb", "--context", "768", "--quantization", "all", "--format", "json"])).stdout);
  assert.equal(await table.locator("tbody tr").count(), said.rows.length);
  await table.locator("tbody tr", { hasText: "f16" }).first().click();
  assert.equal((await queryOf(page)).get("quantization"), "f16");
  assert.equal((await meetsCommands(page)).fit.fits, false);
  await page.getByRole("combobox", { name: "Quantization" }).selectOption("q4_0");
  await meetsCommands(page);
  view.check();
  await view.close();
});

test("a dropped configuration is asked about; what is no model is refused in a line", async () => {
  const file = join(app.folder, "config.json");
  writeFileSync(file, JSON.stringify({ architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 2048, intermediate_size: 8192, num_hidden_layers: 16,
    num_attention_heads: 32, num_key_value_heads: 8, head_dim: 64, vocab_size: 128256, max_position_embeddings: 131072, tie_word_embeddings: true }));
  const view = await opened("/#/language", { allow: [/400|422/] });
  const { page } = view;
  await upload(page, "Upload config.json or a GGUF file", file);
  await meetsCommands(page, file);
  const broken = join(app.folder, "broken.gguf");
  writeFileSync(broken, "GGUFbroken");
  await refuseUpload(page, "Upload config.json or a GGUF file", broken);
  view.check();
  await view.close();
});

test("downloads are the command's output", async () => {
  const view = await opened("/#/language?quantization=q8_0&prompt=1024");
  const { page } = view;
  const { mode } = await meetsCommands(page);
  const args = ["llm", "zoo:llama-3.1-8b", "--device", "orin-nano-8gb", "--quantization", "q8_0", "--prompt", "1024", "--modes", mode, "--context", "512"];
  for (const [name, format] of [["CSV", "csv"], ["JSON", "json"]]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator('a[download^="llm."]', { hasText: name }).click()]);
    assert.equal(readFileSync(await file.path(), "utf8"), (await app.run([...args, "--format", format])).stdout);
  }
  const command = await page.locator(".command code").first().innerText();
  assert.equal((await app.run([...command.split(" ").slice(1), "--format", "csv"])).stdout, (await app.run([...args, "--format", "csv"])).stdout);
  view.check();
  await view.close();
});

test("a clock slider asks for its mode; the front of all modes is the command's", async () => {
  const view = await opened("/#/language?model=zoo:llama-3.2-1b&device=orin-nano-8gb");
  const { page } = view;
  await meetsCommands(page, "zoo:llama-3.2-1b");
  await page.getByRole("slider", { name: "GPU clock" }).focus();
  for (let i = 0; i < 2; ++i) await page.keyboard.press("ArrowLeft");
  assert.ok(Number((await queryOf(page)).get("gpu")) < (await topOf("orin-nano-8gb")).gpu);
  await meetsCommands(page, "zoo:llama-3.2-1b");
  // Computes from the command's table the modes that no other mode beats in both quantities.
  const csv = (await app.run(["llm", "zoo:llama-3.2-1b", "--device", "orin-nano-8gb", "--modes", "all", "--format", "csv", "--columns", "tpot_ms,joules_per_token"])).stdout.trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const front = [];
  for (const point of [...csv].sort((a, b) => a[0] - b[0] || a[1] - b[1])) if (!front.length || point[1] < front.at(-1)[1]) front.push(point);
  await page.getByText(`All ${csv.length.toLocaleString("en-US")} modes`).waitFor();
  await page.getByText(`${front.length} ${front.length === 1 ? "mode" : "modes"} on the front`).waitFor();
  await view.screenshot("language_modes");
  view.check();
  await view.close();
});

test("the best mode is tune's; limits that none keeps are reported", async () => {
  const view = await opened("/#/language?model=zoo:llama-3.2-1b&device=orin-nano-8gb&max-power=9", { allow: [/422/] });
  const { page } = view;
  const args = ["tune", "llm", "zoo:llama-3.2-1b", "--device", "orin-nano-8gb"];
  const said = await answered([...args, "--max-power", "9"]);
  await eventually(() => shownNumber(page, "Best request"), (value) => value === rounded(said.request_j, 4), 40);
  await eventually(() => shownNumber(page, "Best speed"), (value) => value === rounded(said.tokens_per_s, 4), 40);
  await page.getByRole("button", { name: "Set the sliders to this mode" }).click();
  const { row } = await meetsCommands(page, "zoo:llama-3.2-1b");
  assert.equal(row.tokens_per_s, said.tokens_per_s);
  await page.getByLabel("Maximum time to first token").fill("0.001");
  await page.keyboard.press("Enter");
  await page.getByText("No mode meets these limits.").waitFor();
  view.check();
  await view.close();
});

test("over the length of the prompt each point is its own answer", async () => {
  const view = await opened("/#/language?model=zoo:llama-3.2-1b&device=orin-nano-8gb&figure=ttft");
  const { page } = view;
  await meetsCommands(page, "zoo:llama-3.2-1b");
  const chart = page.locator("figure.chart", { hasText: "First token over the length of the prompt" });
  await chart.getByText("The points as a table").click();
  const rows = chart.locator("tbody tr");
  await eventually(() => rows.count(), (count) => count >= 5, 40);
  for (const prompt of [2048, 8192]) {
    const one = (await answered(["llm", "zoo:llama-3.2-1b", "--device", "orin-nano-8gb", "--prompt", String(prompt)])).rows[0];
    const cells = await rows.filter({ has: page.getByRole("cell", { name: String(prompt), exact: true }) }).first().locator("td").allInnerTexts();
    assert.equal(Number(cells[2].replace(/,/g, "")), rounded(one.ttft_ms, 6));
  }
  view.check();
  await view.close();
});

test("an address opened elsewhere shows the same", async () => {
  const address = "/#/language?model=zoo%3Aqwen3-4b&device=agx-orin&runtime=llama.cpp&quantization=q8_0&prompt=2048&concurrency=4&gpu=624.75";
  const one = await opened(address), other = await opened(address, { scheme: "dark" });
  const answers = async ({ page }) => { await page.locator('[data-answer="Energy"]').waitFor(); return page.locator(".answers").first().innerText(); };
  await one.page.getByText(/times the highest clocks/).first().waitFor();
  await other.page.getByText(/times the highest clocks/).first().waitFor();
  assert.equal(await answers(one), await answers(other));
  for (const view of [one, other]) { view.check(); await view.close(); }
});

for (const [width, scheme] of [[400, "dark"], [1280, "dark"], [3840, "light"]]) {
  test(`at ${width} pixels in ${scheme} nothing sticks out and every control has a name`, async () => {
    const view = await opened("/#/language", { width, height: width === 3840 ? 2160 : 800, scheme });
    const { page } = view;
    await meetsCommands(page);
    await page.getByRole("region", { name: "Quantizations" }).locator("tbody tr").first().waitFor();
    await page.getByText(/modes? on the front/).waitFor();
    assert.ok((await sidewaysScroll(page)) <= 0);
    assert.deepEqual(await unnamed(page), []);
    await view.screenshot(`language_${width}`);
    view.check();
    await view.close();
  });
}
