/** `pail mv` as a user runs it: everyday moves, and those that could lose data. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";

let home: Home;
let serve: Serve;
const at = (...parts: string[]) => join(home.directory, ...parts);
let aliases: NodeJS.ProcessEnv;
const pail = (...args: string[]) => home.pail(args, { env: aliases });
const ok = async (...args: string[]) => {
  const result = await pail(...args);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result;
};
const keys = async (place: string) => {
  const { stdout } = await ok("ls", "-r", "--json", place);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { key: string }).key);
};
const put = async (text: string, place: string) => {
  expect(await home.pail(["cp", "-", place], { stdin: text })).toMatchObject({ code: 0 });
};

beforeAll(async () => {
  home = createHome({ here: true });
  serve = await startServe(home);
  const { accessKeyId, secretAccessKey, endpoint } = serve;
  const { port } = new URL(endpoint);
  const served = (host: string) => `http://${accessKeyId}:${secretAccessKey}@${host}:${port}`;
  aliases = { PAIL_HOST_served: served("127.0.0.1"), PAIL_HOST_named: served("localhost") };
  await ok("mb", "local/demo");
});
afterAll(async () => {
  await serve.stop();
  home.remove();
});

describe("moving", () => {
  test("renames an object, moves a tree up, down and within, and prints each", async () => {
    mkdirSync(at("tree", "sub"), { recursive: true });
    writeFileSync(at("tree", "a"), "1");
    writeFileSync(at("tree", "sub", "b"), "2");
    const { stdout } = await ok("mv", "-r", "tree", "local/demo/up");
    expect(stdout).toContain("tree/sub/b -> local/demo/up/tree/sub/b");
    expect(existsSync(at("tree"))).toBe(false);
    await ok("mv", "-r", "local/demo/up/", "local/demo/within/");
    expect(await keys("local/demo")).toEqual(["within/tree/a", "within/tree/sub/b"]);
    await ok("mv", "local/demo/within/tree/a", "local/demo/within/tree/c");
    await ok("mv", "-r", "local/demo/within/", "down");
    expect(readFileSync(at("down", "tree", "c"), "utf8")).toBe("1");
    expect(await keys("local/demo")).toEqual([]);
  });

  test("keeps both where it is told to, and refuses what exists", async () => {
    await put("old", "local/demo/k/x.txt");
    await put("new", "local/demo/x.txt");
    const refused = await pail("mv", "--if-exists", "fail", "local/demo/x.txt", "local/demo/k/");
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stderr).toContain("local/demo/k/x.txt exists already");
    await ok("mv", "--if-exists", "keep-both", "local/demo/x.txt", "local/demo/k/");
    expect(await keys("local/demo")).toEqual(["k/x (2).txt", "k/x.txt"]);
    expect((await ok("cat", "local/demo/k/x (2).txt")).stdout).toBe("new");
    await ok("rm", "-r", "--force", "local/demo/k");
  });

  test("a dry run names what it would move, as lines and as JSON", async () => {
    await put("1", "local/demo/a");
    const { stdout } = await ok("mv", "--dry-run", "local/demo/a", "local/demo/b");
    expect(stdout).toBe("would move local/demo/a -> local/demo/b\n");
    const { stdout: json } = await ok("mv", "--json", "local/demo/a", "local/demo/b");
    expect(JSON.parse(json.split("\n")[0]!)).toMatchObject({ type: "moved", action: "copy" });
    await ok("rm", "local/demo/b");
  });
});

describe("nothing is lost", () => {
  test.each([
    ["local", "served"],
    ["served", "local"],
    ["served", "named"],
  ])("by a move onto itself from %s to %s", async (from, to) => {
    await put("precious", "local/demo/keep/x");
    const one = await pail("mv", `${from}/demo/keep/x`, `${to}/demo/keep/x`);
    expect(one).toMatchObject({ code: 2 });
    expect(one.stderr).toContain("are the same object");
    const all = await pail("mv", "-r", `${from}/demo/keep/`, `${to}/demo/keep/`);
    expect(all).toMatchObject({ code: 2 });
    expect((await ok("cat", "local/demo/keep/x")).stdout).toBe("precious");
    expect((await ok("uploads", "list", "local/demo")).stdout).toBe("");
    await ok("mv", `${from}/demo/keep/x`, `${to}/demo/kept`);
    expect(await keys("local/demo")).toEqual(["kept"]);
    await ok("rm", "local/demo/kept");
  });

  test("by two sources that would become one target, up or down", async () => {
    for (const name of ["one", "two"]) {
      mkdirSync(at(name, "deep"), { recursive: true });
      writeFileSync(at(name, "deep", "same"), name);
      await put(name, `local/demo/${name}/deep/same`);
    }
    for (const command of ["cp", "mv"]) {
      const up = await pail(command, "-r", "one/", "two/", "local/demo/both/");
      expect(up).toMatchObject({ code: 2 });
      expect(up.stderr).toContain(
        "one/deep/same and two/deep/same would both become local/demo/both/deep/same",
      );
      const down = await pail(command, "-r", "local/demo/one/", "local/demo/two/", "both");
      expect(down).toMatchObject({ code: 2 });
    }
    expect(existsSync(at("both"))).toBe(false);
    expect(await keys("local/demo")).toEqual(["one/deep/same", "two/deep/same"]);
    await ok("rm", "-r", "--force", "local/demo/one", "local/demo/two");
  });
});
