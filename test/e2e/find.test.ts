/** find, and commands that use its output. */
import { spawnSync } from "node:child_process";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";

let home: Home;
const keys = ["a.txt", "dir/b.txt", "it's; $(touch owned).txt", "new\nline.txt"];
beforeAll(async () => {
  home = createHome();
  await home.pail(["mb", "local/box"]);
  for (const key of keys) await home.pail(["cp", "-", `local/box/${key}`], { stdin: key });
});
afterAll(() => home.remove());

test("a name with a line feed never becomes two lines for rm", async () => {
  const lines = await home.pail(["find", "local/box", "--name", "new*"]);
  expect(lines).toMatchObject({ code: 7, stdout: "" });
  expect(lines.stderr).toMatch(/has a line feed in its name/);
  const { code, stdout } = await home.pail(["find", "local/box", "-0"]);
  expect(code).toBe(0);
  expect(stdout.split("\0").filter((name) => name !== "")).toEqual(
    keys.map((key) => `local/box/${key}`),
  );
});

test("--exec runs a program with exactly these words, and counts its failures", async () => {
  const args = ["find", "local/box", "--name", "*.txt", "--exec", "--"];
  const said = await home.pail([...args, "printf", "%s|", "{}"]);
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(said.stdout).toBe(keys.map((key) => `local/box/${key}|`).join(""));
  expect(spawnSync("ls", [home.directory]).stdout.toString()).not.toContain("owned");
  const failed = await home.pail([...args, "false"]);
  expect(failed.code).toBe(7);
  expect(failed.stderr).toMatch(/false ended with 1[^]*4 of 4 objects failed\n$/);
  expect(await home.pail(["find", "local/box", "--exec"])).toMatchObject({ code: 2 });
  expect((await home.pail([...args, "no-such-program"])).stderr).toMatch(/ENOENT/);
});

test("exits with 3 when nothing is found, and when the place does not exist", async () => {
  const none = await home.pail(["find", "local/box", "--name", "none"]);
  expect(none).toMatchObject({ code: 3, stdout: "", stderr: "" });
  expect(await home.pail(["find", "local/nobucket"])).toMatchObject({ code: 3, stdout: "" });
  expect(await home.pail(["find", "local/box", "--regex", "("])).toMatchObject({ code: 2 });
});

test("find -0 | rm --stdin -0 removes exactly what was found", async () => {
  const { stdout } = await home.pail(["find", "local/box", "--name", "*line*", "-0"]);
  const removed = await home.pail(["rm", "--stdin", "-0"], { stdin: stdout });
  expect(removed).toMatchObject({ code: 0 });
  const { stdout: left } = await home.pail(["find", "local/box", "--json"]);
  const records = left
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { key: string });
  expect(records.map(({ key }) => key)).toEqual(keys.filter((key) => !key.includes("line")));
});
