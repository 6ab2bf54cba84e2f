import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AppError, isAppError } from "../../../../src/core/failures/errors.js";
import { copy } from "../../../../src/core/operations/copy.js";
import { nameOf } from "../../../../src/core/ref.js";
import { MIB } from "../../../../src/core/transfer/sizes.js";
import { pseudoRandom, recorder, startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  bucket.close();
});

const path = (name: string) => ({ type: "path", path: join(bucket.directory, name) }) as const;

function sink() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, content: () => Buffer.concat(chunks) };
}

describe("copying to a bucket", () => {
  it("keeps the name when only the bucket is named, and below a prefix that ends with /", async () => {
    bucket.file("1.txt", "one");
    await copy({ sources: [path("1.txt")], target: bucket.at("") });
    await copy({ sources: [path("1.txt")], target: bucket.at("p/q/") });
    await copy({ sources: [path("1.txt")], target: bucket.at("new name") });
    expect(await bucket.keys()).toEqual(["1.txt", "new name", "p/q/1.txt"]);
    expect((await bucket.get("p/q/1.txt")).toString()).toBe("one");
  });

  it("copies a directory with its name, its contents with a slash behind it", async () => {
    bucket.file("dir/a.txt", "a");
    bucket.file("dir/sub/b.txt", "b");
    const target = bucket.at("p");
    await copy({ sources: [path("dir")], target, recursive: true });
    await copy({
      sources: [{ type: "path", path: `${bucket.directory}/dir/` }],
      target,
      recursive: true,
    });
    expect(await bucket.keys()).toEqual([
      "p/a.txt",
      "p/dir/a.txt",
      "p/dir/sub/b.txt",
      "p/sub/b.txt",
    ]);
  });

  it("guesses the content type, and takes the headers it is given", async () => {
    bucket.file("a.json", "{}");
    await copy({
      sources: [path("a.json")],
      target: bucket.at(""),
      cacheControl: "no-store",
      metadata: { who: "me" },
    });
    const info = await bucket.storage.stat("a.json");
    expect(info).toMatchObject({
      contentType: "application/json",
      cacheControl: "no-store",
      metadata: { who: "me" },
    });
    expect(info.checksums.CRC32).toBeDefined();
  });

  it("sends a large file in parts with a checksum of the whole", async () => {
    const content = pseudoRandom(19 * MIB + 12_345);
    bucket.file("big", content);
    const report = await copy({ sources: [path("big")], target: bucket.at("") });
    expect(report.snapshot.bytes).toEqual({ total: content.length, done: content.length });
    const info = await bucket.storage.stat("big");
    expect(info.etag).toMatch(/-3$/);
    expect(info.checksumType).toBe("FULL_OBJECT");
    expect((await bucket.get("big")).equals(content)).toBe(true);
  });

  it("takes another checksum when told to, composite where parts do not combine", async () => {
    bucket.file("big", pseudoRandom(17 * MIB));
    await copy({ sources: [path("big")], target: bucket.at("sha"), checksum: "SHA256" });
    const info = await bucket.storage.stat("sha");
    expect(info.checksumType).toBe("COMPOSITE");
    expect(info.checksums.SHA256).toMatch(/-3$/);
    await copy({ sources: [bucket.at("sha")], target: path("back") });
    expect(readFileSync(join(bucket.directory, "back")).length).toBe(17 * MIB);
  });

  it("reads a stream to its end, short or of several parts", async () => {
    const content = pseudoRandom(37 * MIB + 1);
    const chunks = Readable.from(
      (function* () {
        for (let i = 0; i < content.length; i += 65_537) yield content.subarray(i, i + 65_537);
      })(),
    );
    await copy({ sources: [{ type: "stdio", stream: chunks }], target: bucket.at("all") });
    expect((await bucket.get("all")).equals(content)).toBe(true);
    const empty = Readable.from([]);
    await copy({ sources: [{ type: "stdio", stream: empty }], target: bucket.at("none") });
    expect((await bucket.get("none")).length).toBe(0);
    const short = Readable.from([Buffer.from("ab"), Buffer.from("c")]);
    const sources = [{ type: "stdio", stream: short }] as const;
    const { snapshot } = await copy({ sources, target: bucket.at("short") });
    expect(snapshot).toMatchObject({ bytes: { done: 3 }, items: { done: 1 } });
  });

  it("asks for a key when a stream has none", async () => {
    const stream = Readable.from(["x"]);
    await expect(
      copy({ sources: [{ type: "stdio", stream }], target: bucket.at("p/") }),
    ).rejects.toMatchObject({ kind: "usage", code: "NameMissing" });
  });

  it("refuses a directory without -r, and a pipe, before anything is sent", async () => {
    mkdirSync(join(bucket.directory, "dir"));
    await expect(copy({ sources: [path("dir")], target: bucket.at("") })).rejects.toMatchObject({
      kind: "usage",
      code: "IsDirectory",
    });
    execFileSync("mkfifo", [join(bucket.directory, "pipe")]);
    await expect(copy({ sources: [path("pipe")], target: bucket.at("") })).rejects.toMatchObject({
      kind: "usage",
      code: "NotRegularFile",
      hint: expect.stringContaining("pail cp -") as string,
    });
  });

  it("counts what cannot be read and copies the rest", async () => {
    bucket.file("dir/good", "good");
    execFileSync("mkfifo", [join(bucket.directory, "dir", "pipe")]);
    symlinkSync("nowhere", join(bucket.directory, "dir", "broken"));
    symlinkSync("..", join(bucket.directory, "dir", "loop"));
    const report = await copy({
      sources: [path("dir")],
      target: bucket.at(""),
      recursive: true,
    });
    expect((await bucket.keys()).filter((key) => !key.includes("/loop/"))).toEqual(["dir/good"]);
    expect(report.snapshot.items.failed).toBeGreaterThanOrEqual(3);
    const codes = new Set(report.failures.map(({ error }) => error.code));
    expect([...codes].sort()).toEqual(["DanglingLink", "LinkLoop", "NotRegularFile"]);
  });

  it.skipIf(process.getuid?.() === 0)("says which file may not be read", async () => {
    chmodSync(bucket.file("secret", "x"), 0);
    const report = await copy({ sources: [path("secret")], target: bucket.at("") });
    expect(report.failures[0]?.error).toMatchObject({ kind: "denied", code: "EACCES" });
  });

  it("fails at once when the only source is not there, else goes on with the others", async () => {
    await expect(copy({ sources: [path("no")], target: bucket.at("") })).rejects.toMatchObject({
      kind: "not-found",
    });
    bucket.file("yes", "1");
    const report = await copy({ sources: [path("no"), path("yes")], target: bucket.at("") });
    expect(await bucket.keys()).toEqual(["yes"]);
    expect(report.snapshot.items).toMatchObject({ total: 2, done: 1, failed: 1 });
  });

  it("stops the whole run when the bucket is not there", async () => {
    for (let i = 0; i < 300; i += 1) bucket.file(`many/${i}`, "x");
    const missing = await bucket.sibling("missing");
    await bucket.storage.client.request({ method: "DELETE", bucket: "missing" });
    const target = { type: "bucket", storage: missing, key: "", alias: "local" } as const;
    await expect(copy({ sources: [path("many")], target, recursive: true })).rejects.toMatchObject({
      code: "NoSuchBucket",
      kind: "not-found",
    });
  });

  it("leaves what is there alone with noClobber, and says so", async () => {
    await bucket.put("there", "old");
    bucket.file("d/there", "new");
    bucket.file("d/fresh", "new");
    const seen = recorder();
    const report = await copy({
      sources: [{ type: "path", path: `${bucket.directory}/d/` }],
      target: bucket.at(""),
      recursive: true,
      ifExists: "skip",
      onEvent: seen.onEvent,
    });
    expect((await bucket.get("there")).toString()).toBe("old");
    expect((await bucket.get("fresh")).toString()).toBe("new");
    expect(report.snapshot.items).toMatchObject({ done: 1, skipped: 1, failed: 0 });
    expect(seen.of("skipped")).toMatchObject([{ reason: "exists" }]);
  });

  it("sends nothing in a dry run, and names what it would", async () => {
    bucket.file("d/a", "1");
    const seen = recorder();
    await copy({
      sources: [path("d")],
      target: bucket.at("p"),
      recursive: true,
      dryRun: true,
      onEvent: seen.onEvent,
    });
    expect(await bucket.keys()).toEqual([]);
    expect(seen.of("skipped").map(({ item }) => nameOf(item.target))).toEqual([
      "local/bucket/p/d/a",
    ]);
  });

  it("takes only what the filter takes", async () => {
    for (const name of ["a.txt", "b.tmp", "sub/c.txt", "sub/d.tmp"]) bucket.file(`d/${name}`, name);
    const source = { type: "path", path: `${bucket.directory}/d/` } as const;
    const filter = { exclude: ["*.tmp"] };
    await copy({ sources: [source], target: bucket.at(""), recursive: true, filter });
    expect(await bucket.keys()).toEqual(["a.txt", "sub/c.txt"]);
  });
});

describe("copying from a bucket", () => {
  it("keeps the key's last name in a directory, else takes the name given", async () => {
    await bucket.put("p/1.txt", "one");
    await copy({ sources: [bucket.at("p/1.txt")], target: path("") });
    await copy({ sources: [bucket.at("p/1.txt")], target: path("new.txt") });
    await copy({
      sources: [bucket.at("p/1.txt")],
      target: { type: "path", path: `${bucket.directory}/made/` },
    });
    expect(readFileSync(join(bucket.directory, "1.txt"), "utf8")).toBe("one");
    expect(readFileSync(join(bucket.directory, "new.txt"), "utf8")).toBe("one");
    expect(readFileSync(join(bucket.directory, "made/1.txt"), "utf8")).toBe("one");
  });

  it("takes a prefix with all below it, and never a neighbor that begins alike", async () => {
    for (const key of ["foo/a", "foo/b/c", "foobar", "foo.txt"]) await bucket.put(key, key);
    await copy({ sources: [bucket.at("foo")], target: path("with"), recursive: true });
    await copy({ sources: [bucket.at("foo/")], target: path("without"), recursive: true });
    const all = readdirSync(bucket.directory, { recursive: true }).map(String).sort();
    expect(all.filter((name) => /[abc]$/.test(name))).toEqual([
      "with/foo/a",
      "with/foo/b",
      "with/foo/b/c",
      "without/a",
      "without/b",
      "without/b/c",
    ]);
    expect(all.some((name) => name.includes("foobar") || name.includes(".txt"))).toBe(false);
  });

  it("brings a large object back whole, in ranges, and verified", async () => {
    const content = pseudoRandom(50 * MIB + 7);
    bucket.file("big", content);
    await copy({ sources: [path("big")], target: bucket.at("") });
    const report = await copy({ sources: [bucket.at("big")], target: path("back") });
    expect(readFileSync(join(bucket.directory, "back")).equals(content)).toBe(true);
    expect(report.snapshot.bytes.done).toBe(content.length);
    expect(readdirSync(bucket.directory).sort()).toEqual(["back", "big"]);
  });

  it("writes to a stream in order", async () => {
    const content = pseudoRandom(20 * MIB);
    await bucket.put("k", content);
    await bucket.put("l", "last");
    const { stream, content: written } = sink();
    const target = { type: "stdio", stream } as const;
    await copy({ sources: [bucket.at("k"), bucket.at("l")], target });
    expect(written().equals(Buffer.concat([content, Buffer.from("last")]))).toBe(true);
  });

  it("refuses keys that would land outside the target, and copies the rest", async () => {
    for (const key of ["p/../evil", "p/a//b", "p/ok"]) await bucket.put(key, key);
    const target = path("in/here");
    const report = await copy({ sources: [bucket.at("p/")], target, recursive: true });
    expect(report.failures.map(({ error }) => error.code)).toEqual(["UnsafeKey", "UnsafeKey"]);
    expect(readdirSync(join(bucket.directory, "in/here"))).toEqual(["ok"]);
    expect(existsSync(join(bucket.directory, "in/evil"))).toBe(false);
  });

  it("reports a key that collides with a directory, and goes on", async () => {
    for (const key of ["a", "a/b", "c"]) await bucket.put(key, key);
    const report = await copy({ sources: [bucket.at("")], target: path("out"), recursive: true });
    expect(report.snapshot.items).toMatchObject({ done: 2, failed: 1 });
    expect(report.failures[0]?.error).toMatchObject({ kind: "conflict", code: "KeyCollision" });
    expect(readFileSync(join(bucket.directory, "out/c"), "utf8")).toBe("c");
  });

  it("makes a directory of an empty key that ends with /, and reports one with content", async () => {
    await bucket.put("d/empty/", "");
    await bucket.put("d/full/", "content");
    const report = await copy({ sources: [bucket.at("d/")], target: path("out"), recursive: true });
    expect(readdirSync(join(bucket.directory, "out"))).toEqual(["empty"]);
    expect(report.failures[0]?.error).toMatchObject({ code: "KeyCollision" });
  });

  it("never replaces a file with noClobber", async () => {
    await bucket.put("k", "new");
    bucket.file("k", "old");
    const report = await copy({ sources: [bucket.at("k")], target: path("k"), ifExists: "skip" });
    expect(readFileSync(join(bucket.directory, "k"), "utf8")).toBe("old");
    expect(report.snapshot.items).toMatchObject({ skipped: 1, done: 0 });
  });

  it("follows a link given as the target, and will not replace a device", async () => {
    await bucket.put("k", "new");
    bucket.file("real", "old");
    symlinkSync("real", join(bucket.directory, "link"));
    await copy({ sources: [bucket.at("k")], target: path("link") });
    expect(readFileSync(join(bucket.directory, "real"), "utf8")).toBe("new");
    const target = { type: "path", path: "/dev/null" } as const;
    const report = await copy({ sources: [bucket.at("k")], target });
    expect(report.failures[0]?.error).toMatchObject({ kind: "usage", code: "NotRegularFile" });
  });

  it("says when there is nothing at a key, and copies an empty bucket without complaint", async () => {
    await expect(
      copy({ sources: [bucket.at("no")], target: path("x"), recursive: true }),
    ).rejects.toMatchObject({ kind: "not-found" });
    const report = await copy({ sources: [bucket.at("no")], target: path("x") });
    expect(report.failures[0]?.error).toMatchObject({ kind: "not-found", code: "NoSuchKey" });
    await copy({ sources: [bucket.at("")], target: path("x"), recursive: true });
  });

  it("brings an empty object back empty, and a version that is not the latest", async () => {
    await bucket.storage.client.request({
      method: "PUT",
      bucket: "bucket",
      query: { versioning: "" },
      body: Buffer.from(
        "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
      ),
    });
    await bucket.put("k", "");
    const { versionId } = await bucket.storage.stat("k");
    await bucket.put("k", "newer");
    await copy({ sources: [{ ...bucket.at("k"), versionId }], target: path("out") });
    expect(readFileSync(join(bucket.directory, "out"), "utf8")).toBe("");
    await copy({ sources: [bucket.at("k")], target: path("out") });
    expect(readFileSync(join(bucket.directory, "out"), "utf8")).toBe("newer");
  });

  it("says when there is nothing to verify the bytes by", async () => {
    await bucket.put("a", "bytes");
    const storage = await bucket.through((inner) => async (request) => {
      const answer = await inner(request);
      const { etag, ...headers } = answer.headers as Record<string, string>;
      if (etag === undefined) return answer;
      for (const name of Object.keys(headers)) if (name.includes("checksum")) delete headers[name];
      return { ...answer, headers: { ...headers, etag: '"0-2"' } };
    });
    const seen = recorder();
    const request = { sources: [{ ...bucket.at("a"), storage }], onEvent: seen.onEvent };
    await copy({ ...request, target: path("one") });
    await copy({ ...request, target: path("two"), verify: false });
    await copy({ ...request, sources: [bucket.at("a")], target: path("three") });
    expect(seen.of("finished").map(({ unverified }) => unverified)).toEqual([
      true,
      undefined,
      undefined,
    ]);
  });

  it("finds bytes that are not the ones stored, and leaves no file", async () => {
    const small = pseudoRandom(1000);
    await bucket.put("small", small);
    bucket.file("big", pseudoRandom(40 * MIB));
    await copy({ sources: [path("big")], target: bucket.at("") });
    const flipped = await bucket.through((inner) => async (request, options) => {
      const response = await inner(request, options);
      if (request.method !== "GET") return response;
      const body = (async function* () {
        let first = true;
        for await (const chunk of response.body) {
          const copied = Buffer.from(chunk);
          if (first && copied.length > 0) copied[0]! ^= 1;
          first = false;
          yield copied;
        }
      })();
      return { ...response, bytes: undefined, body };
    });
    for (const key of ["small", "big"]) {
      const source = { ...bucket.at(key), storage: flipped };
      const report = await copy({
        sources: [source],
        target: path("out"),
        stateDir: bucket.stateDir,
      });
      expect(report.failures[0]?.error).toMatchObject({ code: "ChecksumMismatch" });
      expect(readdirSync(bucket.directory)).toEqual(["big"]);
      const unchecked = await copy({ sources: [source], target: path("out"), verify: false });
      expect(unchecked.snapshot.items.done).toBe(1);
      execFileSync("rm", [join(bucket.directory, "out")]);
    }
  });
});

describe("copying between buckets", () => {
  it("lets the service copy within an alias, keeping the metadata or replacing what was given", async () => {
    bucket.file("a.json", "{}");
    await copy({ sources: [path("a.json")], target: bucket.at(""), metadata: { who: "me" } });
    const seen = recorder();
    await copy({ sources: [bucket.at("a.json")], target: bucket.at("b/"), onEvent: seen.onEvent });
    expect(seen.of("started")[0]?.item.action).toBe("copy");
    expect((await bucket.storage.stat("b/a.json")).metadata).toMatchObject({ who: "me" });
    await copy({
      sources: [bucket.at("a.json")],
      target: bucket.at("c"),
      cacheControl: "no-cache",
    });
    expect(await bucket.storage.stat("c")).toMatchObject({
      cacheControl: "no-cache",
      contentType: "application/json",
      metadata: { who: "me" },
    });
  });

  it("streams between aliases, with the metadata and the checksum of the source", async () => {
    const other = await startBucket();
    try {
      const content = pseudoRandom(33 * MIB);
      bucket.file("d/big", content);
      bucket.file("d/small.txt", "small");
      await copy({
        sources: [path("d")],
        target: bucket.at(""),
        recursive: true,
        metadata: { who: "me" },
        checksum: "CRC64NVME",
      });
      const seen = recorder();
      const report = await copy({
        sources: [bucket.at("d/")],
        target: other.at(""),
        recursive: true,
        onEvent: seen.onEvent,
      });
      expect(report.failures).toEqual([]);
      expect(seen.of("started").map(({ item }) => item.action)).toEqual(["relay", "relay"]);
      expect((await other.get("big")).equals(content)).toBe(true);
      const info = await other.storage.stat("big");
      expect(info.metadata).toMatchObject({ who: "me" });
      expect(info.checksums.CRC64NVME).toBe(
        (await bucket.storage.stat("d/big")).checksums.CRC64NVME,
      );
      expect((await other.storage.stat("small.txt")).contentType).toBe("text/plain");
    } finally {
      other.close();
    }
  });

  it("says when the other service does not take the tags", async () => {
    const other = await startBucket();
    try {
      await bucket.storage.write("a", Buffer.from("one"), { tags: { color: "red" } });
      const write: typeof other.storage.write = (key, body, options) =>
        options?.tags === undefined
          ? other.storage.write(key, body, options)
          : Promise.reject(
              new AppError({ kind: "usage", code: "NotImplemented", message: "no tags here" }),
            );
      const seen = recorder();
      const { onEvent } = seen;
      const lost = async (storage: typeof other.storage) => {
        await copy({ sources: [bucket.at("a")], target: { ...other.at("a"), storage }, onEvent });
        return seen.of("finished").at(-1)?.lost;
      };
      expect(await lost({ ...other.storage, write })).toEqual(["tags"]);
      expect(await lost(other.storage)).toBeUndefined();
      expect(await other.storage.getTags("a")).toEqual({ color: "red" });
    } finally {
      other.close();
    }
  });

  it("takes a listing's own spelling of an ETag for no other object", async () => {
    const other = await startBucket();
    try {
      await bucket.put("d/a", "bytes");
      const list: typeof bucket.storage.list = async function* (options) {
        for await (const page of bucket.storage.list(options)) {
          yield page.map((entry) =>
            entry.type === "object" ? { ...entry, etag: `listed-${entry.etag}` } : entry,
          );
        }
      };
      const source = { ...bucket.at("d/"), storage: { ...bucket.storage, list } };
      for (const target of [bucket.at("e/"), { ...other.at("e/"), alias: "other" }]) {
        const report = await copy({ sources: [source], target, recursive: true });
        expect(report.failures).toEqual([]);
      }
      expect([await bucket.keys("e/"), await other.keys()]).toEqual([["e/a"], ["e/a"]]);
      // One that was named with its ETag is held to it.
      const named = { ...bucket.at("d/a"), etag: "another" };
      for (const target of [bucket.at("f"), { ...other.at("f"), alias: "other" }]) {
        const report = await copy({ sources: [named], target });
        expect(report.failures).toMatchObject([{ error: { code: "SourceChanged" } }]);
      }
    } finally {
      other.close();
    }
  });

  it("refuses to copy what is below a key into itself, and copies beside it", async () => {
    await bucket.put("p/a", "1");
    for (const [source, target] of [
      ["", "backup/"],
      ["p", "p"],
      ["p/", "p/q"],
    ] as const) {
      await expect(
        copy({ sources: [bucket.at(source)], target: bucket.at(target), recursive: true }),
      ).rejects.toMatchObject({ kind: "usage", code: "CopyIntoItself" });
    }
    await copy({ sources: [bucket.at("p/")], target: bucket.at("p2/"), recursive: true });
    expect(await bucket.keys()).toEqual(["p/a", "p2/a"]);
  });

  it("keeps hostile keys as they are", async () => {
    const keys = ["a//b", "a/", "./x", "../y", "q?r#s%t+u", "new\nline", "\u{1F4A9}", " lead"];
    for (const key of keys) await bucket.put(`from/${key}`, key);
    await copy({ sources: [bucket.at("from/")], target: bucket.at("to/"), recursive: true });
    const copied = await bucket.keys("to/");
    expect(copied.map((key) => key.slice(3)).sort()).toEqual([...keys].sort());
    for (const key of keys) expect((await bucket.get(`to/${key}`)).toString()).toBe(key);
  });
});

describe("an interrupted run", () => {
  it("throws, and leaves neither temporary files nor uploads behind when nothing can be resumed", async () => {
    const content = pseudoRandom(40 * MIB);
    bucket.file("big", content);
    await copy({ sources: [path("big")], target: bucket.at("there") });
    for (const request of [
      { sources: [path("big")], target: bucket.at("new") },
      { sources: [bucket.at("there")], target: path("out") },
    ]) {
      const abort = new AbortController();
      const running = copy({
        ...request,
        signal: abort.signal,
        onEvent: (event) => {
          if (event.type === "bytes") abort.abort();
        },
      });
      await expect(running).rejects.toMatchObject({ kind: "interrupted" });
    }
    expect(readdirSync(bucket.directory)).toEqual(["big"]);
    expect(await bucket.keys()).toEqual(["there"]);
    for await (const page of bucket.storage.listUploads()) expect(page).toEqual([]);
  });

  it("goes on with an upload where it was, and says what it left in between", async () => {
    const content = pseudoRandom(96 * MIB);
    bucket.file("big", content);
    const request = { sources: [path("big")], target: bucket.at(""), stateDir: bucket.stateDir };
    const abort = new AbortController();
    let sent = 0;
    const running = copy({
      ...request,
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === "bytes") sent += event.count;
        // More than can be under way at once: some parts are done.
        if (sent > 72 * MIB) abort.abort();
      },
    });
    const error: unknown = await running.catch((thrown: unknown) => thrown);
    expect(isAppError(error) && error.kind).toBe("interrupted");
    expect(isAppError(error) && error.message).toContain(
      "unfinished upload was left: local/bucket/big",
    );
    const seen = recorder();
    await copy({ ...request, onEvent: seen.onEvent });
    const [resumed] = seen.of("resumed");
    expect(resumed?.skipped).toBeGreaterThan(0);
    expect((await bucket.get("big")).equals(content)).toBe(true);
    for await (const page of bucket.storage.listUploads()) expect(page).toEqual([]);
    expect(readdirSync(join(bucket.stateDir, "transfers"))).toEqual([]);
  });

  it("starts an upload over when the source has changed, says so and removes the old parts", async () => {
    bucket.file("big", pseudoRandom(60 * MIB));
    const request = { sources: [path("big")], target: bucket.at(""), stateDir: bucket.stateDir };
    const abort = new AbortController();
    const running = copy({
      ...request,
      signal: abort.signal,
      onEvent: ({ type }) => {
        if (type === "bytes") abort.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ kind: "interrupted" });
    const changed = pseudoRandom(60 * MIB, 2);
    writeFileSync(join(bucket.directory, "big"), changed);
    const seen = recorder();
    await copy({ ...request, onEvent: seen.onEvent });
    expect(seen.of("restarted")).toMatchObject([{ reason: "the source has changed" }]);
    expect(seen.of("resumed")).toEqual([]);
    expect((await bucket.get("big")).equals(changed)).toBe(true);
    for await (const page of bucket.storage.listUploads()) expect(page).toEqual([]);
  });

  it("goes on with a download where it was, and fetches again what the disk lost", async () => {
    const content = pseudoRandom(96 * MIB);
    bucket.file("big", content);
    await copy({ sources: [path("big")], target: bucket.at("") });
    const request = { sources: [bucket.at("big")], target: path("out"), stateDir: bucket.stateDir };
    const abort = new AbortController();
    let received = 0;
    const running = copy({
      ...request,
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === "bytes") received += event.count;
        if (received > 72 * MIB) abort.abort();
      },
    });
    const error: unknown = await running.catch((thrown: unknown) => thrown);
    const [partial] = readdirSync(bucket.directory).filter((name) => name.endsWith(".partial"));
    const left = join(bucket.directory, partial!);
    expect(error).toMatchObject({
      kind: "interrupted",
      message: `interrupted; a partial file was left: ${left}`,
      hint: `give the same command again to go on, or remove it: rm ${left}`,
    });
    expect(existsSync(join(bucket.directory, "out"))).toBe(false);
    const seen = recorder();
    await copy({ ...request, onEvent: seen.onEvent });
    expect(seen.of("resumed")[0]?.skipped).toBeGreaterThan(0);
    expect(readFileSync(join(bucket.directory, "out")).equals(content)).toBe(true);
    expect(readdirSync(bucket.directory).sort()).toEqual(["big", "out"]);
    expect(readdirSync(join(bucket.stateDir, "transfers"))).toEqual([]);
  });
});
