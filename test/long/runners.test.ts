/** `pail-cli/store` in the runners that others test with: each loads modules in its own way. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "pail-runners-"));
  mkdirSync(join(project, "node_modules"));
  for (const [name, target] of [
    ["pail-cli", root],
    ["vitest", join(root, "node_modules/vitest")],
    ["@aws-sdk", join(root, "node_modules/@aws-sdk")],
  ] as const) {
    symlinkSync(target, join(project, "node_modules", name));
  }
  writeFileSync(join(project, "package.json"), "{}");
});
afterAll(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }));

/** A test as somebody writes it, of both ways to reach a store; `same` compares two strings. */
const body = (same: string): string => `
  const store = await startStore({ buckets: ["photos"] });
  try {
    const s3 = new S3Client(store.client);
    await s3.send(new PutObjectCommand({ Bucket: "photos", Key: "k", Body: "bytes" }));
    const url = store.endpoint;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: "photos", Key: "k" }));
    ${same}(await Body.transformToString(), "bytes");
    ${same}(String((await fetch(url + "/_ready")).status), "200");
    await store.reset();
    const gone = await s3.send(new GetObjectCommand({ Bucket: "photos", Key: "k" })).catch((e) => e);
    ${same}(gone.name, "NoSuchKey");
  } finally {
    await store.stop();
  }`;

const NAMES = ["S3Client", "PutObjectCommand", "GetObjectCommand"].join(", ");
const IMPORTS = `import { startStore } from "pail-cli/store";
import { ${NAMES} } from "@aws-sdk/client-s3";`;
const REQUIRES = `const { startStore } = require("pail-cli/store");
const { ${NAMES} } = require("@aws-sdk/client-s3");`;
const EQUAL = "(a, b) => { expect(a).toBe(b); }";
const test = (loads: string, same: string): string =>
  `${loads}\nconst same = ${same};\ntest("keeps what it is given", async () => {${body("same")}\n});\n`;

/** Runs a file of that name and text by a command; resolves when its test has passed. */
async function passes(name: string, text: string, command: string, args: string[], env = {}) {
  writeFileSync(join(project, name), text);
  const { stdout, stderr } = await run(command, [...args, name], {
    cwd: project,
    env: { ...process.env, ...env },
  });
  expect(stdout + stderr).toMatch(/# pass 1|Tests .*1 passed|Tests: +1 passed/);
}

describe("a store started in a test", () => {
  const NODE = `import { test } from "node:test"; import assert from "node:assert";`;
  it("of node:test works as a module and by require", async () => {
    const asked = ["--test-reporter=tap", "--test"];
    const equal = "assert.strictEqual";
    await passes("a.test.mjs", test(`${NODE}\n${IMPORTS}`, equal), process.execPath, asked);
    const required = `const { test } = require("node:test"), assert = require("node:assert");`;
    await passes("b.test.cjs", test(`${required}\n${REQUIRES}`, equal), process.execPath, asked);
  });

  it("of vitest works", async () => {
    const loads = `import { expect, test } from "vitest";\n${IMPORTS}`;
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const env = { NO_COLOR: "1", VITEST: undefined };
    const args = [vitest, "run", "--root", project, "--configLoader", "runner"];
    await passes("c.test.mjs", test(loads, EQUAL), process.execPath, args, env);
  });

  // jest is no dependency: PAIL_TEST_JEST is where its `jest.js` is.
  const jest = process.env["PAIL_TEST_JEST"];
  it.skipIf(jest === undefined)("of jest works as a module and by require", async () => {
    writeFileSync(
      join(project, "jest.config.json"),
      JSON.stringify({
        transform: {},
        testMatch: ["**/*.jest.*"],
        moduleFileExtensions: ["js", "mjs", "cjs", "json"],
      }),
    );
    await passes("e.jest.cjs", test(REQUIRES, EQUAL), process.execPath, [jest!]);
    const esm = ["--experimental-vm-modules", jest!];
    await passes("f.jest.mjs", test(IMPORTS, EQUAL), process.execPath, esm);
  });
});
