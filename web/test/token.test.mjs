// A server with a token: the printed address opens the page, which removes the token from the
// address. Without a token, the page asks for one.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startApp } from "./harness.mjs";

const token = "b6f1c2d3e4a5968778695a4b3c2d1e0f";
let app, folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "ridgewatt-token-"));
  writeFileSync(join(folder, "token"), token, { mode: 0o600 });
  app = await startApp({ args: ["--token-file", join(folder, "token")] });
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

async function asksFor(page) {
  page.setDefaultTimeout(40000);
  await page.goto(new URL("/#/explore?device=agx-orin", app.address.origin).href);
  await page.locator('[data-answer="Energy"]').waitFor();
}

test("the printed address opens the page, and the token leaves the address", async () => {
  const view = await app.open(`/#token=${token}`, { allow: [/404/] });
  await view.page.getByRole("navigation", { name: "Pages" }).waitFor({ timeout: 40000 });
  assert.ok(!(await view.page.evaluate(() => location.href)).includes(token));
  await asksFor(view.page);
  assert.equal(await view.page.evaluate(() => document.cookie), "");  // no script can read the token's cookie
  view.check();
  await view.close();
});

test("without the token nothing is answered; a wrong one is refused, the right one opens", async () => {
  const view = await app.open("/#/explore?device=agx-orin", { allow: [/401|403/] });
  const { page } = view;
  page.setDefaultTimeout(40000);
  await page.getByLabel("Token").fill("another");
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("form .error").waitFor();
  assert.equal(await page.locator("[data-answer]").count(), 0);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator('[data-answer="Energy"]').waitFor();
  view.check();
  await view.close();
});
