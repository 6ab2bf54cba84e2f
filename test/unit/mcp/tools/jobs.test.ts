import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  type McpOptions,
  type RunningMcp,
  factsOf,
  startMcp,
  textOf,
} from "../../../support/mcp.js";

let mcp: RunningMcp;
let questions: string[];

async function start(options: McpOptions = {}): Promise<void> {
  await mcp?.close().catch(() => undefined);
  questions = [];
  mcp = await startMcp({
    answer: (question) => {
      questions.push(question);
      return "yes";
    },
    ...options,
  });
  for (const name of ["one", "two"]) await mcp.service.make(name);
}
beforeEach(() => start());
afterEach(() => mcp.close());

const put = (key: string, body: string | Buffer, bucket = "one") =>
  mcp.bucket(bucket).write(key, Buffer.from(body));
async function keys(bucket: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of mcp.bucket(bucket).list()) found.push(...page.map(({ key }) => key));
  return found;
}
async function body(bucket: string, key: string): Promise<string> {
  const { body: chunks } = await mcp.bucket(bucket).read(key);
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

describe("copy_objects", () => {
  const copy = (args: Record<string, unknown>) =>
    mcp.call("copy_objects", { source_bucket: "one", bucket_name: "two", ...args });

  it("copies everything below a prefix to another, unasked where no object is there", async () => {
    for (const name of ["a", "b/c", "d"]) await put(`in/${name}`, name);
    await put("other", "x");
    const result = await copy({ prefix: "in/", to_prefix: "out/" });
    expect(factsOf(result)).toMatchObject({ copied: 3, bytes: 5, from: "local/one/in/" });
    expect(await keys("two")).toEqual(["out/a", "out/b/c", "out/d"]);
    expect(questions).toEqual([]);
  });

  it("copies from another alias", async () => {
    await start({ aliases: ["local", "other"] });
    await put("in/a", "a");
    const result = await copy({ prefix: "in/", source_alias: "other", alias: "local" });
    expect(factsOf(result)).toMatchObject({ copied: 1, from: "other/one/in/" });
    expect(await keys("two")).toEqual(["a"]);
  });

  it("does nothing where one of the targets exists, unless told what to do", async () => {
    await put("k1", "new");
    await put("k2", "new");
    await put("k1", "old", "two");
    const refused = await copy({ keys: ["k1", "k2"] });
    expect(textOf(refused)).toMatch(/^ObjectExists: nothing done: 1 of 2 are there already: k1/);
    expect(await keys("two")).toEqual(["k1"]);
    const skipped = await copy({ keys: ["k1", "k2"], if_exists: "skip" });
    expect(factsOf(skipped)).toMatchObject({ copied: 1, skipped: 1 });
    expect(await body("two", "k1")).toBe("old");
    const replaced = await copy({ keys: ["k1", "k2"], if_exists: "replace" });
    expect(factsOf(replaced)).toMatchObject({ copied: 2, replaced: 2 });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('"k1" (replaces 3 bytes)');
    expect(await body("two", "k1")).toBe("new");
  });

  it("moves with one question, renames, names missing objects, and is undone", async () => {
    for (let at = 0; at < 40; at += 1) await put(`raw/${at}.txt`, `text ${at}`);
    const result = await copy({
      keys: [...Array.from({ length: 40 }, (_, at) => `raw/${at}.txt`), "raw/none"],
      prefix: "raw/",
      to_prefix: "done/",
      move: true,
    });
    expect(factsOf(result)).toMatchObject({ moved: 40, failed: 1 });
    expect(factsOf(result)["failures"]).toMatchObject([{ name: "raw/none", code: "NoSuchKey" }]);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatch(
      /^Move 40 objects \(\d+ bytes\) from "local\/one\/raw\/" to .*deleted/,
    );
    expect(await keys("one")).toEqual([]);
    expect(await keys("two")).toHaveLength(40);
    const undone = await mcp.call("undo_changes", { undo: [String(factsOf(result)["undo"])] });
    expect(factsOf(undone)).toMatchObject({ undone: 80, not_undone: 0 });
    expect(await keys("two")).toEqual([]);
    expect(await body("one", "raw/7.txt")).toBe("text 7");
  });

  it("leaves the only copy where it is when a move could not be undone", async () => {
    await put("precious", "the only copy");
    const moved = await copy({ keys: ["precious"], move: true });
    await put("precious", "somebody else's");
    const undone = await mcp.call("undo_changes", { undo: [String(factsOf(moved)["undo"])] });
    expect(factsOf(undone)).toMatchObject({ undone: 0, not_undone: 2 });
    expect(await body("two", "precious")).toBe("the only copy");
    expect(await body("one", "precious")).toBe("somebody else's");
  });

  it("writes the copy down although its source has drifted and stays", async () => {
    let armed = true;
    await start({
      storage: (storage) => ({
        ...storage,
        copyFrom: async (...args) => {
          const done = await storage.copyFrom(...args);
          if (armed) await mcp.bucket("one").write("drifts", Buffer.from("changed meanwhile"));
          armed = false;
          return done;
        },
      }),
    });
    await put("drifts", "as seen");
    const result = await copy({ keys: ["drifts"], move: true });
    expect(factsOf(result)).toMatchObject({ moved: 0, failures: [{ code: "Drifted" }] });
    expect(await body("one", "drifts")).toBe("changed meanwhile");
    const [write, ...more] = await mcp.journal.changes();
    expect(more).toEqual([]);
    expect(write).toMatchObject({ kind: "write", bucket: "two", after: { type: "object" } });
    await mcp.call("undo_changes", { undo: [write!.call] });
    expect(await keys("two")).toEqual([]);
  });

  it("asks no model for a yes: the token of a dry run stands for exactly its objects", async () => {
    await start({ confirm: "token" });
    await put("a", "1");
    const dry = await copy({ move: true, dry_run: true });
    expect(factsOf(dry)).toMatchObject({ would_move: 1, names: ["a"] });
    const { confirm } = factsOf(dry);
    await put("b", "2");
    const refused = await copy({ move: true, confirm });
    expect(textOf(refused)).toMatch(/^PlanChanged/);
    expect(await keys("one")).toEqual(["a", "b"]);
  });

  it.each([
    [{ prefix: "a", bucket_name: "one", to_prefix: "a" }, "SameObject"],
    [{ prefix: "a", bucket_name: "one", to_prefix: "aa" }, "SameObject"],
    [{ keys: ["a"], prefix: "b" }, "InvalidArgument"],
  ])("refuses %j", async (args, code) => {
    for (const key of ["a", "aa"]) await put(key, key);
    expect(textOf(await copy(args))).toMatch(new RegExp(`^${code}: `));
    expect(await keys("one")).toEqual(["a", "aa"]);
  });
});

describe("transfer_folder", () => {
  const transfer = (args: Record<string, unknown>) =>
    mcp.call("transfer_folder", { bucket_name: "one", ...args });
  const file = (name: string, content: string) => {
    const path = join(mcp.directory, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  };

  it("uploads a folder except for likely secrets and links that lead outside", async () => {
    file("site/index.html", "<p>");
    file("site/css/a.css", "p {}");
    file("site/.env", "TOKEN=1");
    file("site/id_ed25519", "key");
    writeFileSync(join(mcp.base, "outside.txt"), "outside");
    symlinkSync(join(mcp.base, "outside.txt"), join(mcp.directory, "site/link.txt"));
    const result = await transfer({ direction: "up", local_dir: "site", prefix: "www" });
    expect(await keys("one")).toEqual(["www/css/a.css", "www/index.html"]);
    expect(factsOf(result)).toMatchObject({ uploaded: 2, failed: 3 });
    expect(
      (factsOf(result)["failures"] as { name: string }[]).map(({ name }) => name).sort(),
    ).toEqual([".env", "id_ed25519", "link.txt"]);
    expect(questions).toEqual([]);
  });

  it("downloads a prefix with every name checked by the guard, and replaces nothing", async () => {
    for (const key of [
      "d/a.txt",
      "d/deep/b.txt",
      "d/.git/config",
      "d/../../up.txt",
      "d/x\0y",
      "d/",
    ]) {
      await put(key, key === "d/" ? "" : key);
    }
    file("out/a.txt", "mine");
    const result = await transfer({ direction: "down", local_dir: "out", prefix: "d/" });
    expect(factsOf(result)).toMatchObject({ downloaded: 1, failed: 4 });
    expect(readFileSync(join(mcp.directory, "out/a.txt"), "utf8")).toBe("mine");
    expect(readdirSync(join(mcp.directory, "out")).sort()).toEqual(["a.txt", "deep"]);
    const again = await transfer({
      direction: "down",
      local_dir: "out",
      prefix: "d",
      glob: "**/*.txt",
      if_exists: "skip",
    });
    expect(factsOf(again)).toMatchObject({ downloaded: 0, skipped: 2, failed: 1 });
    await mcp.call("undo_changes", { undo: [String(factsOf(result)["undo"])] });
    expect(readdirSync(join(mcp.directory, "out/deep"))).toEqual([]);
  });

  it("asks once for a folder outside, and not about files that are refused anyway", async () => {
    mkdirSync(join(mcp.base, "elsewhere/.ssh"), { recursive: true });
    writeFileSync(join(mcp.base, "elsewhere/a.txt"), "a");
    writeFileSync(join(mcp.base, "elsewhere/.ssh/id_rsa"), "key");
    const result = await transfer({ direction: "up", local_dir: join(mcp.base, "elsewhere") });
    expect(questions).toEqual([
      expect.stringMatching(/^Let the agent read all files in the local folder/),
    ]);
    expect(await keys("one")).toEqual(["a.txt"]);
    expect(factsOf(result)).toMatchObject({ uploaded: 1, failed: 1 });
    const dot = await transfer({ direction: "up", local_dir: join(mcp.base, "elsewhere/.ssh") });
    expect(textOf(dot)).toMatch(/^LocalFileRefused/);
    expect(questions).toHaveLength(1);
    await start({ answer: undefined as never });
    expect(textOf(await transfer({ direction: "up", local_dir: mcp.base }))).toMatch(
      /^LocalFileRefused/,
    );
  });

  it("never replaces a file in a folder outside, although the folder was approved", async () => {
    mkdirSync(join(mcp.base, "elsewhere"));
    writeFileSync(join(mcp.base, "elsewhere/a.txt"), "mine");
    await put("a.txt", "theirs");
    const result = await transfer({ direction: "down", local_dir: join(mcp.base, "elsewhere") });
    expect(factsOf(result)).toMatchObject({ failures: [{ code: "FileExists" }] });
    expect(readFileSync(join(mcp.base, "elsewhere/a.txt"), "utf8")).toBe("mine");
  });

  it("writes nothing when read-only", async () => {
    await put("a.txt", "a");
    await start({ readOnly: true });
    await put("a.txt", "a");
    expect(textOf(await transfer({ direction: "down", local_dir: "out" }))).toMatch(
      /^AccessDenied/,
    );
    expect(textOf(await transfer({ direction: "up", local_dir: "." }))).toMatch(/^AccessDenied/);
  });
});

describe("grep_objects", () => {
  const find = (args: Record<string, unknown>) =>
    mcp.call("grep_objects", { bucket_name: "one", ...args });

  it("gives lines with numbers, also from gzip, and goes on where it stopped", async () => {
    await put("log/a.log", "ok\nERROR one\nok\nerror two\n");
    await put("log/b.log.gz", gzipSync("ERROR three\nERROR four\n"));
    await put("log/c.bin", Buffer.from([0, 1, 2]));
    const all = await find({ pattern: "ERROR", prefix: "log/" });
    expect(factsOf(all)["lines"]).toEqual([
      { key: "log/a.log", line: 2, text: "ERROR one" },
      { key: "log/b.log.gz", line: 1, text: "ERROR three" },
      { key: "log/b.log.gz", line: 2, text: "ERROR four" },
    ]);
    expect(factsOf(all)["not_searched"]).toEqual([{ key: "log/c.bin", code: "NotText" }]);
    expect(textOf(all)).toMatch(/untrusted[^]*log\/a\.log:2: ERROR one/);
    const first = await find({ pattern: "^error", regex: true, ignore_case: true, max_lines: 1 });
    const second = await find({
      pattern: "^error",
      regex: true,
      ignore_case: true,
      cursor: factsOf(first)["cursor"],
    });
    expect((factsOf(second)["lines"] as unknown[]).length).toBe(3);
    expect(textOf(await find({ pattern: "(", regex: true }))).toMatch(/^InvalidPattern/);
    const forged = Buffer.from(JSON.stringify({ at: { offset: "x" } })).toString("base64url");
    for (const cursor of ["zzz", forged]) {
      expect(textOf(await find({ pattern: "x", cursor }))).toMatch(/^InvalidCursor/);
    }
  });
});

describe("compare", () => {
  it("tells what is only on one side, only on the other, and different", async () => {
    for (const [key, text] of [
      ["a", "1"],
      ["b", "22"],
      ["c", "3"],
    ] as const)
      await put(`x/${key}`, text);
    for (const [key, text] of [
      ["a", "1"],
      ["b", "2"],
      ["d", "4"],
    ] as const)
      await put(key, text, "two");
    const result = await mcp.call("compare", {
      source_bucket: "one",
      source_prefix: "x/",
      bucket_name: "two",
    });
    expect(factsOf(result)).toMatchObject({
      same: 1,
      only_source: 1,
      only_target: 1,
      different: 1,
      names: {
        only_source: ["c"],
        only_target: ["d"],
        different: ["b"],
      },
    });
    const empty = await mcp.call("compare", {
      source_bucket: "one",
      source_prefix: "none/",
      bucket_name: "two",
    });
    expect(factsOf(empty)).toMatchObject({ only_target: 3 });
  });
});

describe("edit_object", () => {
  const edit = (args: Record<string, unknown>) =>
    mcp.call("edit_object", { bucket_name: "one", object_key: "k", ...args });

  it("replaces one place, keeps type and metadata, and asks", async () => {
    await mcp.bucket("one").write("k", Buffer.from('{"a": 1, "b": 1}'), {
      contentType: "application/json",
      metadata: { owner: "me", mtime: "1000.5" },
    });
    expect(textOf(await edit({ find: "1", replace: "2" }))).toMatch(/contains find 2 times/);
    expect(textOf(await edit({ find: "nope", replace: "2" }))).toMatch(/does not contain find/);
    const result = await edit({ find: '"a": 1', replace: '"a": 2' });
    expect(factsOf(result)).toMatchObject({ replacements: 1, replaced: true });
    expect(questions).toEqual([expect.stringMatching(/^Replace "local\/one\/k"/)]);
    expect(await body("one", "k")).toBe('{"a": 2, "b": 1}');
    const info = await mcp.bucket("one").stat("k");
    // The time of the file that it once was is not that of the new content.
    expect(info.contentType).toBe("application/json");
    expect(info.metadata).toEqual({ owner: "me" });
    expect(
      factsOf(await edit({ find: "1", replace: "", all: true, if_match: "other" })),
    ).toMatchObject({
      error: { code: "PreconditionFailed" },
    });
  });
});

describe("undelete_object", () => {
  it("removes the delete marker, or puts an older version back", async () => {
    await mcp.service.setVersioning("one", "Enabled");
    const { versionId } = await mcp.bucket("one").write("k", Buffer.from("first"));
    await put("k", "second");
    await mcp.bucket("one").remove([{ key: "k" }]);
    const undelete = (args = {}) =>
      mcp.call("undelete_object", { bucket_name: "one", object_key: "k", ...args });
    expect((await undelete()).isError).toBeUndefined();
    expect(await body("one", "k")).toBe("second");
    expect(textOf(await undelete())).toMatch(/^ObjectExists: k is not deleted/);
    const { etag } = await mcp.bucket("one").stat("k");
    const back = await undelete({ version_id: versionId, if_match: etag });
    expect(back.isError).toBeUndefined();
    expect(questions).toEqual([expect.stringMatching(/^Replace "local\/one\/k"/)]);
    expect(await body("one", "k")).toBe("first");
    expect(textOf(await undelete({ version_id: "none" }))).toMatch(/^NoSuchVersion/);
    const [marker] = await mcp.journal.changes();
    await mcp.call("undo_changes", { undo: [String(factsOf(back)["undo"]), marker!.call] });
    expect(await keys("one")).toEqual([]);
  });
});

describe("abort_uploads", () => {
  it("lists unfinished uploads, and aborts only those it has shown", async () => {
    await mcp.bucket("one").createUpload("big");
    const call = (args = {}) => mcp.call("abort_uploads", { bucket_name: "one", ...args });
    expect(textOf(await call({ dry_run: true }))).toMatch(
      /^1 unfinished upload in local\/one\nkey/,
    );
    expect(factsOf(await call())).toMatchObject({ ended: 1, failed: 0 });
    expect(questions).toEqual([expect.stringContaining("It CANNOT be undone.")]);
    expect(textOf(await call())).toMatch(/^0 unfinished uploads/);
  });
});

describe("search and counting", () => {
  it("ranks all matches, and says which limit ended it", async () => {
    for (const [key, size] of [
      ["a", 3],
      ["b", 9],
      ["c", 1],
      ["d", 5],
    ] as const) {
      await put(key, "x".repeat(size));
    }
    const search = (args: object) => mcp.call("search_objects", { bucket_name: "one", ...args });
    const found = async (args: object) =>
      (factsOf(await search(args))["objects"] as { key: string }[]).map(({ key }) => key);
    expect(await found({ sort: "largest", max_keys: 2 })).toEqual(["b", "d"]);
    expect(await found({ sort: "smallest", max_keys: 1 })).toEqual(["c"]);
    expect(await found({ sort: "newest", max_keys: 1 })).toEqual(["d"]);
    expect(await found({ sort: "oldest", max_keys: 1, modified_after: "1d" })).toEqual(["a"]);
    expect(factsOf(await search({ max_keys: 1 }))).toMatchObject({ stopped: "limit" });
    const details = factsOf(await search({ details: true, max_keys: 1 }));
    expect(details["objects"]).toMatchObject([{ class: "STANDARD", etag: expect.any(String) }]);
  });

  it("counts folder by folder in one scan", async () => {
    for (const key of ["p/a/1", "p/a/2", "p/b/1", "p/c"]) await put(key, key);
    const result = await mcp.call("bucket_info", {
      bucket_name: "one",
      prefix: "p/",
      group_by: "/",
    });
    expect(factsOf(result)["groups"]).toEqual([
      { prefix: "p/a/", objects: 2, bytes: 10 },
      { prefix: "p/b/", objects: 1, bytes: 5 },
      { prefix: "p/", objects: 1, bytes: 3 },
    ]);
  });
});

describe("get_object", () => {
  const read = async (key: string, args: object = {}) =>
    textOf(await mcp.call("get_object", { bucket_name: "one", object_key: key, ...args }));

  it("reads lines, ends, compressed and differently encoded text", async () => {
    const lines = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join("");
    await put("a.txt", lines);
    await put("a.txt.gz", gzipSync(lines));
    await put("l1.csv", Buffer.from("caf\xe9;1", "latin1"));
    await put("u16.txt", Buffer.from("\ufeffhällo", "utf16le"));
    for (const key of ["a.txt", "a.txt.gz"]) {
      expect(await read(key, { lines: "2-3" })).toMatch(/>\nline 2\nline 3\n\n</);
      expect(await read(key, { lines: "-2" })).toMatch(/>\nline 8\nline 9\n\n</);
      expect(await read(key, { offset: -7 })).toMatch(/>\nline 9\n\n</);
      expect(await read(key, { offset: 7, max_content_size: 7 })).toMatch(
        /continue with offset=14[^]*>\nline 2\n\n</,
      );
    }
    expect(await read("a.txt.gz")).toMatch(/expanded from gzip/);
    expect(await read("l1.csv")).toMatch(/read as windows-1252[^]*>\ncafé;1\n</);
    expect(await read("u16.txt")).toMatch(/read as utf-16le[^]*>\nhällo\n</);
    expect(await read("a.txt", { lines: "3-2" })).toMatch(/^InvalidArgument/);
  });

  it("lists an archive, and shows a picture of up to 5 MiB unasked", async () => {
    const name = Buffer.from("dir/\u202en.txt");
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(5, 20);
    entry.writeUInt32LE(12, 24);
    entry.writeUInt16LE(name.length, 28);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(46 + name.length, 12);
    end.writeUInt32LE(9, 16);
    const zip = Buffer.concat([Buffer.from("PK\x03\x04\0stor"), entry, name, end]);
    await put("x.zip", zip);
    const text = await read("x.zip");
    expect(text).toMatch(/zip archive of 1 entries[^]*\n12\tdir\/\\u202en\.txt\n/);
    const png = Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      Buffer.alloc(2_000_000),
    ]);
    await mcp.bucket("one").write("big.png", png, { contentType: "image/png" });
    const result = await mcp.call("get_object", { bucket_name: "one", object_key: "big.png" });
    expect(result.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
  });

  it("gives as much as --read-limit allows unless asked for more", async () => {
    await start({ readLimit: 1024 });
    await put("big.txt", "x".repeat(5000));
    expect(await read("big.txt")).toMatch(/bytes 0-1023 of 5000[^]*offset=1024/);
    expect(await read("big.txt", { max_content_size: 5000 })).toMatch(/bytes 0-4999 of 5000/);
    const { tools } = await mcp.client.listTools();
    const { properties } = tools.find(({ name }) => name === "get_object")!.inputSchema;
    expect(properties?.["max_content_size"]).toMatchObject({ default: 1024 });
  });
});
