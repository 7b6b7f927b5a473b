// Figures of the page of `ridgewatt serve` in Chromium, printed as a table:
//   node tools/page_figures.mjs [STEPS]
// per page: time to first drawing (first contentful paint) and to the first answer, and bytes; on Explore: from a key on a
// slider to the frame that shows its answer in the strip, and its point in the chart over the knob, 95th percentile of STEPS;
// the CPU time of a step in the page's main thread, which other programs on the machine change little; the load.
// Needs Chromium and what ./dev test fetches by npm.
import { loadavg } from "node:os";
import { startApp } from "../web/test/harness.mjs";

const steps = Number(process.argv[2] || 100);
const pages = { live: "", explore: "device=agx-orin", modes: "device=agx-orin", explain: "device=agx-orin&option.measured=60", language: "device=agx-orin", runs: "", schedule: "" };
const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)];
const app = await startApp();
try {
  console.log("page       first drawing (ms)  first answer (ms)  bytes sent");
  for (const [name, query] of Object.entries(pages)) {
    const view = await app.open(`/#/${name}?${query}`, { allow: [/./] });
    const begin = Date.now();
    await view.page.waitForFunction((runs) => { const line = document.querySelector("[data-strip]"); return line && (runs || (line.querySelector("b") && !line.classList.contains("stale"))); }, name === "runs", { timeout: 30000, polling: "raf" });
    const seen = await view.page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, now: performance.now(),
      bytes: performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).reduce((sum, one) => sum + one.transferSize, 0) }));
    console.log(`${name.padEnd(10)} ${seen.paint.toFixed(0).padStart(18)} ${seen.now.toFixed(0).padStart(18)} ${String(seen.bytes).padStart(11)}`);
    if (Date.now() - begin > 29000) console.log("  (no answer within 30 s)");
    await view.close();
  }
  const view = await app.open("/#/explore?device=agx-orin", { allow: [/./] });
  const { page } = view;
  await page.getByText("Set the mode of least energy").waitFor({ timeout: 30000 });
  const slider = page.getByRole("slider", { name: "GPU clock" });
  await slider.focus();
  await app.browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  const times = await page.evaluate(async (count) => {
    const slider = [...document.querySelectorAll("input[type=range]")].find((one) => one.getAttribute("aria-label") === "GPU clock");
    const strip = () => document.querySelector("[data-strip]");
    const text = () => strip().querySelector("b").innerText;
    const ringOf = (c) => c.getModel().getSeries().flatMap((s) => (s.option.rings && s.option.data) || []).find((one) => /chosen/.test(one.name));
    const chart = () => [...document.querySelectorAll("figure.chart .live")].map((e) => echarts.getInstanceByDom(e)).find((c) => c && ringOf(c));
    const chosen = () => (ringOf(chart()) || { value: [] }).value[0];
    const frame = () => new Promise(requestAnimationFrame);
    const seen = { strip: [], chart: [] };
    let at = Number(slider.value), step = -1;
    for (let i = 0; i < count; ++i) {
      if (at + step < 0 || at + step > Number(slider.max)) step = -step;
      at += step;
      const before = text(), point = chosen(), begin = performance.now();
      slider.value = at;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      let drawn = null, charted = null;
      while (performance.now() - begin < 3000 && (drawn === null || charted === null)) {
        await frame();
        if (drawn === null && text() !== before && !strip().classList.contains("stale")) drawn = performance.now() - begin;
        if (charted === null && chosen() !== point) charted = performance.now() - begin;
      }
      if (drawn !== null) seen.strip.push(drawn);
      if (charted !== null) seen.chart.push(charted);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return seen;
  }, steps);
  for (const [name, list] of Object.entries(times)) {
    console.log(`slider to ${name}: ${list.length} of ${steps} steps, median ${percentile(list, 0.5).toFixed(0)} ms, 95th percentile ${percentile(list, 0.95).toFixed(0)} ms`);
  }
  const { traceEvents } = JSON.parse((await app.browser.stopTracing()).toString());
  const threads = new Set(traceEvents.filter((one) => one.name === "thread_name" && one.args.name === "CrRendererMain").map((one) => `${one.pid} ${one.tid}`));
  const spentUs = (name) => traceEvents.filter((one) => one.ph === "X" && one.name === name && threads.has(`${one.pid} ${one.tid}`)).reduce((sum, one) => sum + (one.tdur || 0), 0);
  const perStep = (name) => (spentUs(name) / 1000 / steps).toFixed(1);
  console.log(`CPU time of a step: ${perStep("ThreadControllerImpl::RunTask")} ms, of which layout ${perStep("Layout")} ms, painting ${perStep("Paint")} ms`);
  console.log(`load average ${loadavg()[0].toFixed(1)}`);
  await view.close();
} finally {
  await app.close();
}
