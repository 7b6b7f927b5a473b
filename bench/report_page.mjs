// Measures the time until a report is usable in a browser, and its size:
//
//   ridgewatt estimate zoo:resnet50 --device agx-orin --modes all --format json > modes.json
//   ridgewatt report modes.json -o modes.html
//   bench/report_page.mjs modes.html [RUNS]
//
// A report is usable if the table has rows, every chart is drawn, and the browser has painted two
// frames after that. Times are medians of RUNS (default 5) loads in new pages of one browser. The
// time of sorting is from the click on a heading to the second frame. playwright-core is in
// web/test (./dev test installs it).
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browserPath } from "../web/test/harness.mjs";

const tests = join(dirname(fileURLToPath(import.meta.url)), "..", "web", "test", "package.json");
const { chromium } = createRequire(tests)("playwright-core");
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

async function load(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const begin = performance.now();
  await page.goto(address, { waitUntil: "load", timeout: 300000 });
  await page.waitForFunction(() => document.querySelector("tbody tr") &&
    Array.from(document.querySelectorAll("figure.chart")).every((figure) => figure.querySelector(".live svg, .live canvas, .still svg")));
  await page.evaluate(frames);
  const usable = performance.now() - begin;
  const sort = await page.evaluate(async (wait) => {
    const start = performance.now();
    document.querySelector("figure.table th.n").click();
    await new Function(`return (${wait})()`)();
    return performance.now() - start;
  }, frames.toString());
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  await page.close();
  return { usable, sort, elements };
}

const [file, runs = "5"] = process.argv.slice(2);
if (!file) {
  console.error("report_page.mjs: names no page: report_page.mjs FILE.html [RUNS]");
  process.exit(2);
}
const browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox"] });
const loads = [];
await load(browser, "data:text/html,<table><tbody><tr><td></table><figure class=table><table><th class=n>");  // warm up
for (let i = 0; i < Number(runs); ++i) loads.push(await load(browser, pathToFileURL(resolve(file)).href));
await browser.close();
const seconds = (key) => (median(loads.map((one) => one[key])) / 1000).toFixed(2);
console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB, ${loads[0].elements} elements; usable after ${seconds("usable")} s, sorted after ${seconds("sort")} s (medians of ${runs})`);
