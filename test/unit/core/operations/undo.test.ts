/** Putting back: by versions, by a sync's backups, and never over later changes. */
import fs, { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { fileState } from "../../../../src/core/local/attributes.js";
import { undoReport, undoTo } from "../../../../src/core/operations/undo.js";
import type { ObjectRef } from "../../../../src/core/ref.js";
import { canPutBack, type ReportHeader, type ReportItem } from "../../../../src/core/report.js";
import { bucketService } from "../../../../src/core/storage/buckets.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { objectsIn } from "../../../support/sync.js";

let bucket: TestBucket;
let versioned: BucketStorage;
/** A prefix of each test's own. */
let count = 0;
let prefix: string;
beforeAll(async () => {
  bucket = await startBucket();
  versioned = await bucket.sibling("versioned");
  await bucketService(versioned.client).setVersioning("versioned", "Enabled");
});
afterAll(() => bucket.close());
beforeEach(() => {
  count += 1;
  prefix = `t${count}/`;
});

const open = async (_alias: string, name: string) =>
  name === "versioned" ? versioned : bucket.storage;
const header: ReportHeader = { pail: "report", version: 1, command: "cp", made: "" };
const ref = (name: string, of = "versioned"): ObjectRef => ({
  type: "object",
  alias: "local",
  bucket: of,
  key: prefix + name,
});
const put = (storage: BucketStorage, name: string, text: string) =>
  storage.write(prefix + name, Buffer.from(text));
const codes = ({ failures }: { failures: readonly { error: { code: string } }[] }) =>
  failures.map(({ error }) => error.code);
const undo = (items: ReportItem[], more: Partial<ReportHeader> = {}) =>
  undoReport({ open }, { ...header, ...more }, items);

describe("a moment", () => {
  it("in the past is put back for replaced, removed and new objects", async () => {
    await put(versioned, "replaced", "then");
    await put(versioned, "removed", "then");
    await put(versioned, "same", "then");
    // The listing's times, which decide: a HEAD gives whole seconds.
    let moment = 0;
    for await (const page of versioned.list({ prefix, versions: true })) {
      for (const entry of page) {
        if (entry.type === "object") moment = Math.max(moment, entry.lastModified!);
      }
    }
    // The store's clock is two seconds ahead.
    await expect.poll(() => Date.now() + 2_000, { interval: 1 }).toBeGreaterThan(moment);
    await put(versioned, "replaced", "now");
    await versioned.remove([{ key: `${prefix}removed` }]);
    await put(versioned, "new", "now");
    const place = { type: "bucket", alias: "local", storage: versioned, key: prefix } as const;
    const dry = await undoTo({ open, dryRun: true }, place, moment);
    expect(dry.snapshot.items).toMatchObject({ total: 3, skipped: 3 });
    expect(await objectsIn(versioned, prefix)).toEqual({
      replaced: "now",
      same: "then",
      new: "now",
    });
    expect(codes(await undoTo({ open }, place, moment))).toEqual([]);
    expect(await objectsIn(versioned, prefix)).toEqual({
      replaced: "then",
      removed: "then",
      same: "then",
    });
  });
});

describe("a report", () => {
  it("is undone by versions, and later changes stay", async () => {
    await put(versioned, "k", "one");
    const second = await put(versioned, "k", "two");
    const item: ReportItem = { do: "write", target: ref("k"), ...second };
    expect(codes(await undo([item]))).toEqual([]);
    expect(await objectsIn(versioned, prefix)).toEqual({ k: "one" });
    expect(codes(await undo([item]))).toEqual(["Drifted"]);
    expect(await objectsIn(versioned, prefix)).toEqual({ k: "one" });
  });

  it("moves back an object that was moved over another, and brings that one back", async () => {
    await put(versioned, "from", "moved");
    await put(versioned, "to", "replaced");
    const { etag, versionId } = await put(versioned, "to", "moved");
    await versioned.remove([{ key: `${prefix}from` }]);
    const moved = { do: "write", target: ref("to"), etag, versionId, from: ref("from") } as const;
    expect(codes(await undo([moved]))).toEqual([]);
    expect(await objectsIn(versioned, prefix)).toEqual({ from: "moved", to: "replaced" });
  });

  it("brings back objects beneath a delete marker, and removes new ones", async () => {
    await put(versioned, "gone", "was");
    await versioned.remove([{ key: `${prefix}gone` }]);
    const made = await put(versioned, "new", "is");
    const items: ReportItem[] = [
      { do: "remove", target: ref("gone") },
      { do: "write", target: ref("new"), wasNew: true, ...made },
    ];
    expect(codes(await undo(items))).toEqual([]);
    expect(await objectsIn(versioned, prefix)).toEqual({ gone: "was" });
  });

  it("removes a new object without versions only while it has not changed", async () => {
    const { storage } = bucket;
    const mine = await put(storage, "mine", "1");
    const theirs = await put(storage, "theirs", "1");
    await put(storage, "theirs", "2");
    const item = (name: string, made: object): ReportItem => ({
      do: "write",
      target: ref(name, "bucket"),
      wasNew: true,
      ...made,
    });
    expect(codes(await undo([item("mine", mine), item("theirs", theirs)]))).toEqual(["Drifted"]);
    expect(await objectsIn(storage, prefix)).toEqual({ theirs: "2" });
  });

  it("removes no object that it cannot recognise, since the report has no ETag", async () => {
    const { storage } = bucket;
    await put(storage, "k", "theirs");
    const target = ref("k", "bucket");
    for (const more of [{}, { from: ref("from", "bucket") }]) {
      expect(codes(await undo([{ do: "write", target, wasNew: true, ...more }]))).toEqual([
        "Drifted",
      ]);
    }
    expect(await objectsIn(storage, prefix)).toEqual({ k: "theirs" });
  });

  it("brings back only objects that the run removed", async () => {
    const { etag } = await put(versioned, "k", "removed by the run");
    await put(versioned, "k", "removed by somebody else, later");
    await versioned.remove([{ key: `${prefix}k` }]);
    const item: ReportItem = { do: "remove", target: { ...ref("k"), etag } };
    expect(codes(await undo([item]))).toEqual(["Drifted"]);
    expect(await objectsIn(versioned, prefix)).toEqual({});
  });

  it("keeps the storage class and the encryption key of an object it puts back", async () => {
    await put(versioned, "k", "one");
    const second = await put(versioned, "k", "two");
    const of = { storageClass: "STANDARD_IA", encryption: "aws:kms", kmsKey: "key/1" };
    const copyFrom = vi.fn<BucketStorage["copyFrom"]>(async () => ({}));
    const stat: BucketStorage["stat"] = async (...args) => ({
      ...(await versioned.stat(...args)),
      ...of,
    });
    const encrypted = async () => ({ ...versioned, copyFrom, stat });
    const item: ReportItem = { do: "write", target: ref("k"), ...second };
    expect(codes(await undoReport({ open: encrypted }, header, [item]))).toEqual([]);
    expect(copyFrom.mock.calls[0]![2]).toMatchObject({
      storageClass: "STANDARD_IA",
      encryption: { algorithm: "aws:kms", kmsKey: "key/1" },
      ifMatch: second.etag,
    });
  });

  it("puts back a sync's backups, and names objects of which there is none", async () => {
    const { storage } = bucket;
    const made = await put(storage, "to/k", "new");
    await put(storage, "kept/k", "old");
    const item: ReportItem = { do: "write", target: ref("to/k", "bucket"), ...made };
    expect(canPutBack(item, header)).toBe(false);
    expect(codes(await undo([item]))).toEqual(["CannotUndo"]);
    const kept = { target: ref("to/", "bucket"), kept: ref("kept/", "bucket") };
    expect(canPutBack(item, { ...header, ...kept })).toBe(true);
    expect(codes(await undo([item], kept))).toEqual([]);
    expect(await objectsIn(storage, prefix)).toEqual({ "to/k": "old", "kept/k": "old" });
  });

  it("removes a file that the run made, and leaves one that was written since then", async () => {
    const root = join(bucket.directory, prefix);
    const paths = ["mine", "theirs"].map((name) => bucket.file(prefix + name, "1"));
    const items = paths.map((path): ReportItem => ({
      do: "write",
      target: { type: "file", path },
      etag: fileState(statSync(path)),
      wasNew: true,
    }));
    writeFileSync(paths[1]!, "longer");
    expect(codes(await undo(items, { target: { type: "file", path: root } }))).toEqual(["Drifted"]);
    expect(existsSync(paths[0]!)).toBe(false);
    expect(readFileSync(paths[1]!, "utf8")).toBe("longer");
  });

  it("puts back a sync's backup of a file only over the file that the sync wrote", async () => {
    const [path, kept] = [bucket.file(`${prefix}to/f`, "new"), `${prefix}kept/f`];
    bucket.file(kept, "old");
    const at = (name: string) =>
      ({ type: "file", path: join(bucket.directory, prefix, name) }) as const;
    const target = { type: "file", path } as const;
    const item: ReportItem = { do: "write", target, etag: fileState(statSync(path)) };
    const asked = { target: at("to"), kept: at("kept") };
    expect(codes(await undo([item], asked))).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(codes(await undo([item], asked))).toEqual(["Drifted"]);
  });

  it("never writes over a file that appeared while the backup was copied", async () => {
    const path = join(bucket.directory, `${prefix}to/gone`);
    const kept = bucket.file(`${prefix}kept/gone`, "old");
    const at = (name: string) =>
      ({ type: "file", path: join(bucket.directory, prefix, name) }) as const;
    const asked = { target: at("to"), kept: at("kept") };
    const item: ReportItem = { do: "remove", target: { type: "file", path } };
    const { copyFileSync } = fs;
    const meanwhile = vi.spyOn(fs, "copyFileSync").mockImplementationOnce((from, to) => {
      copyFileSync(from, to);
      writeFileSync(path, "theirs");
    });
    syncBuiltinESMExports();
    try {
      expect(codes(await undo([item], asked))).toEqual(["Drifted"]);
      expect(meanwhile).toHaveBeenCalledOnce();
    } finally {
      meanwhile.mockRestore();
      syncBuiltinESMExports();
    }
    expect(readFileSync(path, "utf8")).toBe("theirs");
    expect(readdirSync(join(path, ".."))).toEqual(["gone"]);
    expect(readFileSync(kept, "utf8")).toBe("old");
  });
});
