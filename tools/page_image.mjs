// Takes a picture of a page of `ridgewatt serve`:
//   node tools/page_image.mjs docs/images/explore.png '/#/explore?model=zoo:resnet50' [light|dark] [WIDTHxHEIGHT]
// Needs Chromium and what ./dev test fetches by npm.
import { startApp } from "../web/test/harness.mjs";

const [file, path = "/", scheme = "light", size = "1280x860"] = process.argv.slice(2);
if (!file) {
  console.error("usage: node tools/page_image.mjs FILE.png PATH [light|dark] [WIDTHxHEIGHT]");
  process.exit(2);
}
const [width, height] = size.split("x").map(Number);
const app = await startApp();
try {
  const view = await app.open(path, { width, height, scheme });
  await view.page.waitForLoadState("networkidle").catch(() => {});  // Live never rests
  await view.page.waitForTimeout(3000);
  await view.page.screenshot({ path: file });
  view.check();
} finally {
  await app.close();
}
