/** Many commands in one process; what goes over the wire, and where an error comes from. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let store: RunningStore;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  home = createHome();
  store = await startStore();
  env = hostVariable("t", store);
  expect((await home.pail(["mb", "t/box"], { env })).code).toBe(0);
});
afterAll(async () => {
  home.remove();
  await store.close();
});

const run = (lines: readonly string[], ...flags: string[]) =>
  home.pail(["run", ...flags, "-"], { env, stdin: `${lines.join("\n")}\n` });
const records = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { line?: number; type?: string; error?: object });

test("runs 300 lines in one process with one pool, and prints a record for each", async () => {
  writeFileSync(join(home.directory, "it's a file"), "x");
  const lines = Array.from({ length: 300 }, (_, at) => `cp "it's a file" 't/box/key ${at}'`);
  const done = await run(lines, "-j", "16", "--json");
  expect(done.code).toBe(0);
  const copied = records(done.stdout).filter(({ type }) => type === "copied");
  expect(new Set(copied.map(({ line }) => line)).size).toBe(300);
  expect(records(done.stdout).at(-1)).toEqual({ type: "run", lines: 300, failed: 0 });
  const listed = await home.pail(["ls", "t/box"], { env });
  expect(listed.stdout.trim().split("\n")).toHaveLength(300);
});

test("a line that fails is named with its number, and the others have their turn", async () => {
  const lines = ["# comment", "", "stat t/box/none", "nosuch", 'ls "open', "stat t/box", "run x"];
  const done = await run([...lines, "cp - t/box/x", "rm --force t/box/key*"], "--json");
  expect(done.code).toBe(7);
  const failed = records(done.stdout).filter(({ error }) => error !== undefined);
  expect(failed.map(({ line }) => line)).toEqual([3, 4, 5, 7, 8, 9, undefined]);
  expect(records(done.stdout)).toContainEqual(expect.objectContaining({ line: 6 }));
  const spoken = await run(["stat t/box/none"]);
  expect(spoken).toMatchObject({ code: 7, stderr: expect.stringContaining("pail: line 1: ") });
});

test("--stop-on-error starts no further line", async () => {
  const done = await run(["stat t/box/none", "rm t/box/1"], "--stop-on-error", "--json");
  expect(done.code).toBe(7);
  expect(records(done.stdout).filter(({ line }) => line === 2)).toEqual([]);
});

test("names are exact: a list never means a pattern", async () => {
  const done = await run(["cat 't/box/key 1*'", "ls 't/box/key?1'"], "--json");
  expect(done.code).toBe(7);
  expect(done.stdout.match(/NoSuchKey/g)).toHaveLength(2);
});

test("--trace shows requests and answers, and no secret", async () => {
  const { stderr } = await home.pail(["stat", "--trace", "t/box/key 1"], { env });
  expect(stderr).toMatch(/^> 1 HEAD http:\/\/127\.0\.0\.1:\d+\/box\/key%201$/m);
  expect(stderr).toMatch(/^< 1 200 after \d+ ms$/m);
  expect(stderr).toMatch(/^> 1 authorization: .*Signature=\*\*\*$/m);
  expect(stderr).not.toContain(store.secretAccessKey);
  expect(stderr).not.toMatch(/Signature=\w/);
});

// The single executable has no map of the source: its stacks name functions alone.
test.skipIf(process.env["PAIL_TEST_PROGRAM"])("--debug names lines of the source", async () => {
  const { stderr } = await home.pail(["ls", "--debug", "nosuch/x"]);
  const [, file, line] = /\((src\/[\w/.-]+\.ts):(\d+)\)/.exec(stderr)!;
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split("\n");
  expect(text[Number(line) - 1]).toContain("new AppError");
  expect(stderr).toMatch(/src\/commands\/ls\.ts:\d+/);
});
