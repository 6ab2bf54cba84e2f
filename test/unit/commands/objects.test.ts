/** Commands about objects: parse, one call of the core, one rendering. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
beforeAll(async () => {
  commands = createCommands();
  await commands.run("mb", "local/bkt");
  for (const [key, text] of [
    ["logs/1.txt", "one\ntwo\n"],
    ["logs/deep/2.txt", "two\n"],
    ["logs.old", "x"],
  ] as const) {
    await commands.put(`bkt/${key}`, text);
  }
});
afterAll(() => commands.close());

const lines = (text: string) => text.split("\n").filter(Boolean);
const keys = async (prefix: string) =>
  (await commands.run("ls", "-r", "--json", `local/bkt/${prefix}`)).records
    .map(({ key }) => key)
    .filter((key) => key !== undefined);

describe("ls, tree, du and find", () => {
  it("list one level, everything, and with locations that other commands take", async () => {
    const level = await commands.run("ls", "local/bkt/");
    expect(lines(level.stdout).map((line) => line.split(" ").at(-1))).toEqual([
      "logs.old",
      "logs/",
    ]);
    const { records } = await commands.run("ls", "-r", "--json", "local/bkt/logs");
    expect(records).toMatchObject([
      { key: "logs/1.txt", location: "local/bkt/logs/1.txt", size: 8 },
      { key: "logs/deep/2.txt", size: 4 },
    ]);
    expect((await commands.run("tree", "--files", "local/bkt/logs")).stdout).toContain("2.txt");
    const sums = await commands.run("du", "--json", "local/bkt/logs");
    expect(sums.records.at(-1)).toMatchObject({ objects: 2, bytes: 12 });
  });

  it("find the objects that pass the tests, and end with 3 where there are none", async () => {
    const found = await commands.run("find", "local/bkt/", "--name", "*.txt", "--json");
    expect(found.records.map(({ key }) => key)).toEqual(["logs/1.txt", "logs/deep/2.txt"]);
    expect((await commands.run("find", "local/bkt/", "--name", "*.gz")).code).toBe(3);
    const missing = await commands.run("ls", "local/bkt/nothing");
    expect([missing.code, missing.stdout]).toEqual([3, ""]);
  });
});

describe("cat, head, tail, grep and stat", () => {
  it("read objects", async () => {
    const one = "local/bkt/logs/1.txt";
    expect((await commands.run("head", "-n", "1", one)).stdout).toBe("one\n");
    expect((await commands.run("tail", "-n", "1", one)).stdout).toBe("two\n");
    const found = await commands.run("grep", "two", "local/bkt/logs/");
    expect(lines(found.stdout)).toHaveLength(2);
    const { records } = await commands.run("stat", "--json", one);
    expect(records).toMatchObject([{ key: "logs/1.txt", size: 8 }]);
    expect((await commands.run("stat", one)).stdout).toContain("8B (8 bytes)");
  });

  it("go on after a missing object, and name it", async () => {
    const both = await commands.run("stat", "--json", "local/bkt/none", "local/bkt/logs.old");
    expect(both.code).toBe(7);
    expect(both.stdout).toContain('"key":"logs.old"');
    expect(both.stdout + both.stderr).toContain("local/bkt/none");
    expect((await commands.run("stat", "local/bkt/none")).code).toBe(3);
  });
});

describe("cp, mv, put, get and rm", () => {
  it("copy up, down and within, and move", async () => {
    const path = commands.file("new.txt", "new");
    expect((await commands.run("cp", path, "local/bkt/t/")).stdout).toContain(
      "local/bkt/t/new.txt",
    );
    expect((await commands.run("put", path, "local/bkt/t/put.txt")).code).toBe(0);
    expect((await commands.run("cp", "local/bkt/t/new.txt", "local/bkt/t/copy.txt")).code).toBe(0);
    expect(await keys("t/")).toEqual(["t/copy.txt", "t/new.txt", "t/put.txt"]);
    const down = join(commands.directory, "down.txt");
    expect((await commands.run("get", "local/bkt/t/copy.txt", down)).code).toBe(0);
    expect(readFileSync(down, "utf8")).toBe("new");
    expect((await commands.run("mv", down, "local/bkt/t/up.txt")).code).toBe(0);
    expect(existsSync(down)).toBe(false);
  });

  it("say with --dry-run what they would do, and do nothing", async () => {
    const before = await keys("");
    for (const words of [
      ["cp", "-r", "local/bkt/logs", "local/bkt/dry/"],
      ["mv", "-r", "local/bkt/logs", "local/bkt/dry/"],
      ["rm", "-r", "local/bkt/logs"],
    ]) {
      const [name, ...rest] = words;
      const { code, records } = await commands.run(name!, ...rest, "--dry-run", "--json");
      expect([code, records.at(-1)]).toMatchObject([0, { type: "summary", planned: 2 }]);
    }
    expect(await keys("")).toEqual(before);
  });

  it("obey --if-exists, and refuse contradictory flags", async () => {
    await commands.put("bkt/taken/a", "old");
    const path = commands.file("a", "new");
    const to = "local/bkt/taken/a";
    expect((await commands.run("cp", "--if-exists", "fail", path, to)).code).toBe(5);
    expect((await commands.run("cp", "-n", path, to)).code).toBe(0);
    expect((await commands.run("stat", "--json", to)).records).toMatchObject([{ size: 3 }]);
    expect((await commands.run("cp", "--if-exists", "keep-both", path, to)).code).toBe(0);
    expect(await keys("taken/")).toEqual(["taken/a", "taken/a (2)"]);
    for (const words of [
      ["--version-id", "v", path, to],
      [path, join(commands.directory, "b")],
      ["s3x://b/k", to],
      ["local/bkt/logs", to, "--recursive=true"],
    ]) {
      expect((await commands.run("cp", ...words)).code).toBe(2);
    }
  });

  it("report a copy onto itself, and nothing else", async () => {
    const onto = await commands.run("cp", "local/bkt/logs.old", "local/bkt/logs.old");
    expect([onto.code, onto.stderr]).toEqual([
      2,
      "pail: local/bkt/logs.old: source and target are the same object, and nothing of it would change (InvalidRequest)\n",
    ]);
    const other = ["--metadata", "a=b", "local/bkt/logs.old", "local/bkt/logs.old"];
    expect((await commands.run("cp", ...other)).code).toBe(0);
    const version = ["-r", "--version-id", "v", "local/bkt/logs.old", "local/bkt/x"];
    expect((await commands.run("cp", ...version)).stderr).toContain("--recursive cannot also");
  });

  it("move in shards only a source that was split, so that a mistyped source does not count as moved", async () => {
    const ranges = [{ to: "m" }, { after: "m" }];
    const made = { pail: "split", version: 1, place: "local/bkt/to/", ranges };
    const shard = [
      "-r",
      "--shard",
      "1/2",
      "--split",
      commands.file("to.split", JSON.stringify(made)),
    ];
    for (const sources of [["local/bkt/typo/"], ["local/bkt/typo/", "local/bkt/to/"]]) {
      const { code } = await commands.run("mv", ...shard, ...sources, "local/bkt/to/");
      expect(code).toBe(2);
    }
    expect((await commands.run("mv", ...shard, "local/bkt/to/", "local/bkt/moved/")).code).toBe(0);
  });

  it("remove the objects that are there, and name those that are not", async () => {
    await commands.put("bkt/rm/a", "x");
    const removed = await commands.run("rm", "local/bkt/rm/a", "local/bkt/rm/none");
    expect(removed.stdout).toContain("removed local/bkt/rm/a");
    expect(removed.stdout).not.toContain("removed local/bkt/rm/none");
    expect((await commands.run("rm", "local/bkt/rm/*")).code).toBe(3);
    expect((await commands.run("rm", "-r", "local/bkt/logs/")).code).toBe(2);
    expect(await keys("logs/")).toHaveLength(2);
  });
});

describe("tag, presign, share and diff", () => {
  it("set, list and remove tags", async () => {
    const to = "local/bkt/logs.old";
    const listed = async () => (await commands.run("tag list", to)).stdout;
    await commands.run("tag set", to, "a=1", "b=2");
    expect(await listed()).toBe("a=1\nb=2\n");
    expect((await commands.run("tag remove", to)).code).toBe(2);
    expect((await commands.run("tag remove", to, "none")).code).toBe(3);
    expect((await commands.run("tag remove", to, "a")).stdout).toBe("b=2\n");
    expect((await commands.run("tag remove", to, "--all")).code).toBe(0);
    expect(await listed()).toBe("");
  });

  it("sign links of the requested lifetime, and no longer than services allow", async () => {
    const link = await commands.run("presign", "local/bkt/logs.old", "--expires", "2h");
    expect(new URL(link.stdout.trim()).searchParams.get("X-Amz-Expires")).toBe("7200");
    expect((await commands.run("presign", "local/bkt/logs.old", "--expires", "8d")).code).toBe(2);
  });

  it("end with 5 where two trees differ, and with 0 where they do not", async () => {
    await commands.put("bkt/copy/1.txt", "one\ntwo\n");
    await commands.put("bkt/copy/deep/2.txt", "two\n");
    expect((await commands.run("diff", "local/bkt/logs/", "local/bkt/copy/")).code).toBe(0);
    await commands.put("bkt/copy/3.txt", "3");
    const differs = await commands.run("diff", "local/bkt/logs/", "local/bkt/copy/");
    expect([differs.code, differs.stdout]).toEqual([5, expect.stringContaining("3.txt")]);
  });
});
