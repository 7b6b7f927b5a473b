// Tests the OpenAPI document of a running server. A validator accepts the document, and a TypeScript client that is
// generated from it compiles and gets the same answers as the command line.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import openapiTS, { astToString } from "openapi-typescript";
import { startServer } from "./harness.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
let server, document;

before(async () => {
  server = await startServer();
  document = await (await fetch(new URL("/api/v1/openapi.json", server.address))).json();
});
after(() => server.close());

// Compiles client.ts with the generated types in strict mode. Returns the messages of the compiler.
async function compile(folder) {
  const options = { strict: true, module: "nodenext", target: "es2022", skipLibCheck: true, types: [], lib: ["es2022", "dom"] };
  writeFileSync(join(folder, "api.d.ts"), astToString(await openapiTS(structuredClone(document))));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["client.ts"] }));
  copyFileSync(join(here, "client.ts"), join(folder, "client.ts"));
  symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
  return new Promise((resolve) => execFile(process.execPath, [compiler, "-p", folder], (error, said) => resolve(said)));
}

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors, null, 1));
  assert.equal(validator.version, "3.1");
  const broken = structuredClone(document);
  delete broken.info;
  assert.equal((await new Validator().validate(broken)).valid, false);
});

test("a generated client gets the answers", async () => {
  assert.equal(await compile(server.folder), "");
  const { ask } = await import(pathToFileURL(join(server.folder, "client.js")).href);
  const { health, tuned, ended, refused } = await ask(server.address.origin);
  assert.equal(health.schema, "ridgewatt.health/1");
  const printed = await server.run(["tune", "zoo:lenet5", "--device", "nano", "--max-power", "8", "--format", "json"]);
  const { seed: _, ...expected } = JSON.parse(printed.stdout);
  const { seed: __, ...got } = tuned;
  assert.deepEqual(got, expected);
  assert.equal(ended.schema, "ridgewatt.window/1");
  assert.ok(ended.time_s > 0, JSON.stringify(ended));
  assert.deepEqual(refused.map(({ status, error }) => [status, error.schema]), Array(2).fill([400, "ridgewatt.error/1"]));
});
