// Errors are shown briefly at their place on the page, with a way to retry: mistyped addresses, a
// stopped server, long messages, and requests that wait for a failed one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, startApp } from "./harness.mjs";

let app;
before(async () => { app = await startApp(); });
after(() => app.close());

const away = { allow: [/Failed to load resource/, /ERR_/] };
async function opened(...how) {
  const view = await app.open(...how);
  view.page.setDefaultTimeout(40000);
  return view;
}

test("a page that does not exist is named, with those that do", async () => {
  const view = await opened("/#/modez");
  await view.page.getByText("There is no page 'modez'").waitFor();
  view.check();
  await view.close();
});

test("a server that is away can be asked again", async () => {
  const views = [];
  for (const name of ["explore", "modes", "schedule"]) {
    const view = await opened("/#/runs", away);
    await view.page.getByRole("heading", { name: "Runs" }).waitFor();
    views.push([name, view]);
  }
  for (const [name, { page }] of views) {  // loads the scripts of the page before the server stops
    await page.evaluate((file) => import(`./page_${file}.js`), name);
  }
  const start = await app.cut();
  for (const [name, { page }] of views) {
    await page.evaluate((hash) => { location.hash = hash; }, `#/${name}`);
    await page.getByText("the server does not answer").first().waitFor();
  }
  await start();
  for (const [, { page }] of views) {
    const again = page.getByRole("button", { name: "Try again" });
    await eventually(async () => {
      if (await again.count()) await again.first().click({ timeout: 1000 }).catch(() => {});
      return page.locator(".answers").count();
    }, Boolean, 40);
    await eventually(async () => {
      if (await again.count()) await again.first().click({ timeout: 1000 }).catch(() => {});
      return again.count();
    }, (count) => count === 0, 40);
  }
  for (const [, view] of views) { view.check(); await view.close(); }
});

test("runs that were read stay when the server is away", async () => {
  const view = await opened("/#/runs", away);
  await view.page.getByText("This server has no store").waitFor();
  const start = await app.cut();
  await view.page.getByText("the server does not answer").waitFor();
  await start();
  await eventually(() => view.page.getByText("the server does not answer").count(), (count) => count === 0, 20);
  view.check();
  await view.close();
});

test("after a failed estimate nothing is said to be asked", async () => {
  const view = await opened("/#/explore?model=zoo:resnet50&precision=fp8&runtime=tensorrt&device=agx-orin", { allow: [/4\d\d/] });
  await view.page.locator(".error").first().waitFor();
  await view.page.getByText("All modes are computed after the mode above.").waitFor();
  assert.equal(await view.page.getByText(/^Asking/).count(), 0);
  view.check();
  await view.close();
});

test("a long message is cut, and says how long it is", async () => {
  const view = await opened("/#/runs", away);
  await view.page.route("**/api/v1/estimate?*", (route) => route.fulfill({ status: 400, contentType: "application/json", body: JSON.stringify({ error: "x".repeat(65535) }) }));
  await view.page.evaluate(() => { location.hash = "#/explore"; });
  const error = view.page.locator(".error").first();
  await error.waitFor();
  const text = await error.innerText();
  assert.ok(text.length < 500, `${text.length} characters`);
  assert.match(text, /65,535 characters/);
  view.check();
  await view.close();
});

test("a server that says nothing any more is as good as gone", async () => {
  const view = await opened("/#/runs", away);
  const { page } = view;
  await page.clock.install();
  // The event stream is open but sends nothing.
  await page.addInitScript(() => { window.EventSource = class { addEventListener() {} close() {} }; });
  await page.goto(new URL("/?1#/live", app.address).href);
  await eventually(() => page.locator(".state").innerText(), (text) => text === "live", 20);
  await page.clock.runFor(9000);
  await eventually(() => page.locator(".state").innerText(), (text) => /lost/.test(text), 10);
  await page.getByText("These figures are outdated").waitFor();
  view.check();
  await view.close();
});
