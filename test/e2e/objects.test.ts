import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";

let home: Home;
const at = (...parts: string[]) => join(home.directory, ...parts);
const pail = async (...args: string[]) => await home.pail(args);
const ok = async (...args: string[]) => {
  const result = await home.pail(args);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result;
};
const jsonLines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  home = createHome({ here: true });
  writeFileSync(at("1.txt"), "Hello, bucket");
  mkdirSync(at("tree", "sub"), { recursive: true });
  writeFileSync(at("tree", "a.txt"), "a");
  writeFileSync(at("tree", "b.tmp"), "b");
  writeFileSync(at("tree", "sub", "c.json"), "{}");
  await ok("mb", "local/demo");
});
afterAll(() => home.remove());

describe("copying and listing", () => {
  test("a file copied to a bucket keeps its name and lists in mc's columns", async () => {
    await ok("cp", "1.txt", "local/demo");
    const { stdout } = await ok("ls", "local/demo");
    expect(stdout).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\] {4}13B 1\.txt\n$/);
  });

  test("it comes back byte for byte, by cp, by cat and through stdout", async () => {
    await ok("cp", "local/demo/1.txt", "back.txt");
    expect(readFileSync(at("back.txt"), "utf8")).toBe("Hello, bucket");
    expect((await ok("cat", "local/demo/1.txt")).stdout).toBe("Hello, bucket");
    expect((await ok("cp", "local/demo/1.txt", "-")).stdout).toBe("Hello, bucket");
    expect((await ok("cat", "--range", "7-12", "local/demo/1.txt")).stdout).toBe("bucket");
  });

  test("stdin becomes an object", async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    const put = await home.pail(["cp", "-", "local/demo/stdin.bin"], { stdin: bytes });
    expect(put, put.stderr).toMatchObject({ code: 0 });
    expect((await ok("cat", "local/demo/stdin.bin")).bytes.equals(bytes)).toBe(true);
  });

  test("a directory is copied in and out whole, with filters and without", async () => {
    await ok("cp", "-r", "--exclude", "*.tmp", "tree", "local/demo");
    const names = (await ok("ls", "-r", "local/demo/tree")).stdout.match(/\S+$/gm);
    expect(names).toEqual(["a.txt", "sub/c.json"]);
    await ok("cp", "-r", "local/demo/tree/", "out");
    expect(new Set(readdirSync(at("out"), { recursive: true, encoding: "utf8" }))).toEqual(
      new Set(["a.txt", "sub", join("sub", "c.json")]),
    );
  });

  test("a listing shows one level, prefixes with a slash, and an exact key itself", async () => {
    const level = await ok("ls", "local/demo");
    expect(level.stdout.match(/\S+$/gm)).toEqual(["1.txt", "stdin.bin", "tree/"]);
    expect((await ok("ls", "local/demo/1.txt")).stdout).toMatch(/13B 1\.txt\n$/);
    expect((await ok("ls", "local/demo/tree/")).stdout.match(/\S+$/gm)).toEqual(["a.txt", "sub/"]);
    expect(await pail("ls", "local/demo/trx")).toMatchObject({ code: 3, stdout: "" });
    expect(await pail("ls", "local/demo/none/")).toMatchObject({ code: 0, stdout: "" });
  });

  test("--summarize ends with the totals", async () => {
    const { stdout } = await ok("ls", "-r", "--summarize", "local/demo/tree");
    expect(stdout).toMatch(/\n\nTotal Size: 3B\nTotal Objects: 2\n$/);
  });

  test("--json gives exact keys, integer bytes and ISO times", async () => {
    const [object, , prefix] = jsonLines((await ok("ls", "--json", "local/demo")).stdout);
    expect(object).toMatchObject({ type: "object", key: "1.txt", size: 13 });
    expect(object?.["lastModified"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(prefix).toEqual({ type: "prefix", location: "local/demo/tree/", key: "tree/" });
  });

  test("--json prints every copied item, and a sum", async () => {
    const lines = jsonLines((await ok("cp", "--json", "-r", "tree", "local/demo/json/")).stdout);
    expect(lines.slice(0, -1)).toMatchObject(
      Array.from({ length: 3 }, () => ({ type: "copied", action: "upload" })),
    );
    expect(lines.at(-1)).toMatchObject({ type: "summary", objects: 3, failed: 0, bytes: 4 });
    await ok("rm", "-r", "--force", "local/demo/json");
  });

  test("--dry-run copies nothing and says what it would copy", async () => {
    const { stdout } = await ok("cp", "--dry-run", "1.txt", "local/demo/dry.txt");
    expect(stdout).toBe("would copy 1.txt -> local/demo/dry.txt\n");
    expect(await pail("stat", "local/demo/dry.txt")).toMatchObject({ code: 3 });
  });

  test("--no-clobber leaves what is there", async () => {
    writeFileSync(at("other.txt"), "other");
    await ok("cp", "-n", "other.txt", "local/demo/1.txt");
    expect((await ok("cat", "local/demo/1.txt")).stdout).toBe("Hello, bucket");
    await ok("cp", "-n", "local/demo/1.txt", "other.txt");
    expect(readFileSync(at("other.txt"), "utf8")).toBe("other");
  });

  test("headers and metadata travel, and stat shows them", async () => {
    const flags = ["--content-type", "text/x-note", "--cache-control", "no-store"];
    await ok("cp", ...flags, "--metadata", "Owner=pail", "1.txt", "local/demo/headers");
    const [info] = jsonLines((await ok("stat", "--json", "local/demo/headers")).stdout);
    expect(info).toMatchObject({
      key: "headers",
      size: 13,
      contentType: "text/x-note",
      cacheControl: "no-store",
      metadata: { owner: "pail" },
    });
    expect((await ok("stat", "local/demo/headers")).stdout).toMatch(/^Metadata +: owner=pail$/m);
    expect((await ok("stat", "local/demo")).stdout).toMatch(/^Name +: local\/demo$/m);
  });

  test("an object is copied within the service under a new name", async () => {
    await ok("mb", "local/second");
    const { stdout } = await ok("cp", "--json", "local/demo/1.txt", "local/second/new.txt");
    expect(jsonLines(stdout)[0]).toMatchObject({ type: "copied", action: "copy" });
    expect((await ok("cat", "local/second/new.txt")).stdout).toBe("Hello, bucket");
    await ok("rb", "--force", "local/second");
  });

  test("-q prints only results and errors", async () => {
    expect(await ok("cp", "-q", "1.txt", "local/demo/quiet")).toMatchObject({
      stdout: "",
      stderr: "",
    });
  });
});

describe("hostile keys", () => {
  const keys = [
    "a//b",
    "dir/",
    ".",
    "a/../b",
    "sp ace?#%+&=",
    "new\nline",
    "🪣/é",
    "x".repeat(1024),
  ];

  test("are stored, listed and removed exactly", async () => {
    await ok("mb", "-p", "local/hostile");
    for (const key of keys) {
      // cp would take "dir/" for a place to put things into.
      const put = await home.pail(["api", "PUT", `local/hostile/${key}`, "-d", "@-"], {
        stdin: key,
      });
      expect(put, JSON.stringify(key) + put.stderr).toMatchObject({ code: 0 });
      expect((await ok("cat", `local/hostile/${key}`)).stdout).toBe(key);
    }
    const listed = jsonLines((await ok("ls", "-r", "--json", "local/hostile")).stdout);
    expect(new Set(listed.map(({ key }) => key))).toEqual(new Set(keys));
    for (const key of keys) await ok("rm", `local/hostile/${key}`);
    await ok("rb", "local/hostile");
  });

  test("that would land outside the target are refused, and the rest is copied", async () => {
    await ok("mb", "-p", "local/outside");
    await home.pail(["cp", "-", "local/outside/../escape"], { stdin: "bad" });
    await home.pail(["cp", "-", "local/outside/fine"], { stdin: "good" });
    const result = await pail("cp", "-r", "local/outside/", "inside");
    expect(result.code).toBe(7);
    expect(result.stderr).toMatch(/1 of 2 objects failed/);
    expect(readFileSync(at("inside", "fine"), "utf8")).toBe("good");
    expect(() => statSync(at("escape"))).toThrow(/ENOENT/);
    await ok("rb", "--force", "local/outside");
  });
});

describe("removing", () => {
  test("-r takes a key and what is below it, never a neighbour", async () => {
    await ok("mb", "-p", "local/removal");
    for (const key of ["foo", "foo/a", "foo/b/c", "foobar", "foo.txt"]) {
      await ok("cp", "1.txt", `local/removal/${key}`);
    }
    expect(await pail("rm", "-r", "local/removal/foo")).toMatchObject({ code: 2, stdout: "" });
    const dry = await ok("rm", "-r", "--dry-run", "local/removal/foo");
    expect(dry.stdout.split("\n").filter(Boolean)).toHaveLength(3);
    await ok("rm", "-r", "--force", "local/removal/foo");
    const left = jsonLines((await ok("ls", "-r", "--json", "local/removal")).stdout);
    expect(left.map(({ key }) => key)).toEqual(["foo.txt", "foobar"]);
  });

  test("--stdin removes what is listed there", async () => {
    await ok("cp", "1.txt", "local/removal/foo.txt");
    await ok("cp", "1.txt", "local/removal/foobar");
    const result = await home.pail(["rm", "--stdin"], {
      stdin: "local/removal/foo.txt\nlocal/removal/foobar\n",
    });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect((await ok("ls", "local/removal")).stdout).toBe("");
  });

  test("an empty prefix is an error, unless forced", async () => {
    await ok("mb", "-p", "local/removal");
    expect(await pail("rm", "-r", "--force", "local/removal/none")).toMatchObject({ code: 0 });
    expect(await pail("rm", "-r", "--dry-run", "local/removal/none")).toMatchObject({ code: 3 });
    await ok("rb", "local/removal");
  });

  test("versions stay until they are asked for", async () => {
    await ok("mb", "--with-versioning", "local/versions");
    await ok("cp", "1.txt", "local/versions/k");
    await ok("cp", "tree/a.txt", "local/versions/k");
    await ok("rm", "local/versions/k");
    const lines = (await ok("ls", "--versions", "local/versions")).stdout.trim().split("\n");
    expect(lines.map((line) => / (v\d (?:PUT|DEL) .*)$/.exec(line)?.[1])).toEqual([
      "v3 DEL k",
      "v2 PUT k",
      "v1 PUT k",
    ]);
    const versions = jsonLines((await ok("ls", "--versions", "--json", "local/versions")).stdout);
    const first = String(versions.at(-1)?.["versionId"]);
    expect((await ok("cat", "--version-id", first, "local/versions/k")).stdout).toBe(
      "Hello, bucket",
    );
    expect((await ok("stat", "--versions", "local/versions/k")).stdout).toMatch(/delete marker/);
    expect(await pail("rb", "local/versions")).toMatchObject({ code: 5 });
    await ok("rm", "--version-id", first, "local/versions/k");
    await ok("rm", "--versions", "local/versions/k");
    expect((await ok("ls", "--versions", "local/versions")).stdout).toBe("");
    await ok("rb", "local/versions");
  });

  test("rb --force says what it removes, and removes unfinished uploads too", async () => {
    await ok("mb", "local/full");
    await ok("cp", "1.txt", "local/full/k");
    await ok("api", "POST", "local/full/part", "-Q", "uploads");
    const listed = await ok("uploads", "list", "--json", "local/full");
    expect(jsonLines(listed.stdout)).toMatchObject([{ type: "upload", key: "part" }]);
    expect((await ok("uploads", "list", "--older-than", "1h", "local/full")).stdout).toBe("");
    const dry = await ok("rb", "--force", "--dry-run", "local/full");
    expect(dry.stdout).toMatch(/would remove local\/full\/k\nwould remove local\/full\/part\?/);
    const { stdout } = await ok("rb", "--force", "local/full");
    expect(stdout).toMatch(/removed local\/full\/k\n[^]*removed local\/full\n$/);
    expect(await pail("ls", "local/full")).toMatchObject({ code: 3 });
  });

  test("uploads abort removes only them", async () => {
    await ok("mb", "local/uploads");
    await ok("api", "POST", "local/uploads/part", "-Q", "uploads");
    const planned = await ok("uploads", "abort", "local/uploads", "--dry-run");
    expect(planned.stderr).toBe("1 upload; nothing was done\n");
    const aborted = await ok("uploads", "abort", "local/uploads");
    expect(aborted.stdout).toMatch(/^removed local\/uploads\/part\?uploadId=\S+\n$/);
    expect(aborted.stderr).toBe("1 upload\n");
    expect((await ok("uploads", "list", "local/uploads")).stdout).toBe("");
    await ok("rb", "local/uploads");
  });
});
