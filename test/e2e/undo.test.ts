/** Reports of cp, mv and sync, and their undoing in a bucket without versions. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { createHome, type Home } from "../support/run.js";

let home: Home;
let root: string;
const at = (name: string) => join(root, name);
beforeEach(async () => {
  home = createHome({ here: true });
  root = join(home.directory, "files");
  mkdirSync(root);
  expect((await home.pail(["mb", "local/bkt"])).code).toBe(0);
});
afterEach(() => {
  home.remove();
});

const listed = async (target: string) =>
  (await home.pail(["ls", "-r", "--json", target])).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { key: string }).key);

it("removes objects that cp made, and says beforehand what it cannot put back", async () => {
  writeFileSync(at("one"), "1");
  writeFileSync(at("two"), "2");
  await home.pail(["cp", at("two"), "local/bkt/c/two"]);
  const copied = await home.pail([
    "cp",
    "--report",
    at("cp.report"),
    at("one"),
    at("two"),
    "local/bkt/c/",
  ]);
  expect(copied.code).toBe(0);
  const undone = await home.pail(["undo", at("cp.report")]);
  expect(undone.stderr).toContain("1 item can be put back only where a bucket keeps versions");
  expect([undone.code, await listed("local/bkt/c/")]).toEqual([7, ["c/two"]]);
  // A key that was written since then belongs to another writer.
  await home.pail(["cp", "--report", at("again.report"), at("one"), "local/bkt/c/three"]);
  writeFileSync(at("one"), "changed");
  await home.pail(["cp", at("one"), "local/bkt/c/three"]);
  const drifted = await home.pail(["undo", at("again.report")]);
  expect([drifted.code, drifted.stderr]).toEqual([7, expect.stringContaining("three")]);
  expect(await listed("local/bkt/c/")).toEqual(["c/three", "c/two"]);
});

it("removes files that a download made, and leaves those that it replaced", async () => {
  writeFileSync(at("two"), "2");
  await home.pail(["cp", at("two"), "local/bkt/d/new"]);
  await home.pail(["cp", at("two"), "local/bkt/d/old"]);
  mkdirSync(at("down"));
  writeFileSync(at("down/old"), "mine");
  const down = await home.pail([
    "cp",
    "-r",
    "--report",
    at("down.report"),
    "local/bkt/d/",
    at("down"),
  ]);
  expect(down.code).toBe(0);
  expect((await home.pail(["undo", at("down.report")])).code).toBe(7);
  expect(() => readFileSync(at("down/new"))).toThrow("ENOENT");
  expect(readFileSync(at("down/old"), "utf8")).toBe("2");
});

it("moves back the objects that mv moved: their bytes are nowhere else", async () => {
  writeFileSync(at("one"), "1");
  const content = async (key: string) => (await home.pail(["cat", `local/bkt/${key}`])).stdout;
  const move = (report: string, ...words: string[]) =>
    home.pail(["mv", "-r", "--report", at(report), ...words]);
  await move("up", at("one"), "local/bkt/m/one");
  await move("within", "local/bkt/m/", "local/bkt/n/");
  mkdirSync(at("down"));
  await move("down.report", "local/bkt/n/", `${at("down")}/`);
  expect([await listed("local/bkt"), readFileSync(at("down/one"), "utf8")]).toEqual([[], "1"]);
  for (const [report, key] of [
    ["down.report", "n/one"],
    ["within", "m/one"],
  ] as const) {
    expect((await home.pail(["undo", at(report)])).code).toBe(0);
    expect([await listed("local/bkt"), await content(key)]).toEqual([[key], "1"]);
  }
  expect((await home.pail(["undo", at("up")])).code).toBe(0);
  expect([await listed("local/bkt"), readFileSync(at("one"), "utf8")]).toEqual([[], "1"]);
});

it("finds moved files again from another directory, by a report that is not a bucket's", async () => {
  writeFileSync(at("one"), "1");
  await home.pail(["mv", "--report", at("report"), "one", "local/bkt/one"], { cwd: root });
  await home.pail(["cp", at("report"), "local/bkt/report"]);
  // Anybody who may write to the bucket could name any file.
  const forged = await home.pail(["undo", "local/bkt/report"]);
  expect([forged.code, forged.stderr]).toEqual([2, expect.stringContaining("pail cp local/bkt/")]);
  expect(await listed("local/bkt")).toEqual(["one", "report"]);
  expect((await home.pail(["undo", at("report")], { cwd: home.directory })).code).toBe(0);
  expect([await listed("local/bkt"), readFileSync(at("one"), "utf8")]).toEqual([["report"], "1"]);
});

it("removes no moved bytes while another object is where they came from", async () => {
  writeFileSync(at("one"), "1");
  await home.pail(["cp", at("one"), "local/bkt/from"]);
  await home.pail(["mv", "--report", at("report"), "local/bkt/from", "local/bkt/to"]);
  await home.pail(["cp", at("report"), "local/bkt/from"]);
  expect((await home.pail(["undo", at("report")])).code).toBe(7);
  expect((await home.pail(["cat", "local/bkt/to"])).stdout).toBe("1");
  // Nor the newer bytes of another writer.
  await home.pail(["rm", "local/bkt/from"]);
  await home.pail(["cp", at("report"), "local/bkt/to"]);
  expect((await home.pail(["undo", at("report")])).code).toBe(5);
  expect([await listed("local/bkt")]).toEqual([["to"]]);
});
