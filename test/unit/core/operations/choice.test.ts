/**
 * Copy, move, removal, listings and sync share one filter: what it hides is neither taken nor
 * removed.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Filter } from "../../../../src/core/filter.js";
import { listKey } from "../../../../src/core/listing.js";
import { copy } from "../../../../src/core/operations/copy.js";
import { move } from "../../../../src/core/operations/move.js";
import { remove } from "../../../../src/core/operations/remove.js";
import type { CopyRequest } from "../../../../src/core/operations/types.js";
import type { HttpRequest } from "../../../../src/protocol/message.js";
import { recorder, startBucket, type TestBucket } from "../../../support/bucket.js";
import { filesIn, meddled, runSync } from "../../../support/sync.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => {
  bucket.close();
});

/** The same names, sizes and (of files) times on the disk and below `s/`. */
async function plant(): Promise<void> {
  for (const [name, size] of [
    ["a.txt", 1],
    ["b.log", 20],
    ["d/c.txt", 300],
    ["d/e/f.txt", 4_000],
  ] as const) {
    const path = bucket.file(name, "x".repeat(size));
    utimesSync(path, 1_600_000_000 + size, 1_600_000_000 + size);
    await bucket.put(`s/${name}`, "x".repeat(size));
  }
}

const cases: [string, Filter, string[]][] = [
  ["--larger and --smaller, both inclusive", { minSize: 20, maxSize: 300 }, ["b.log", "d/c.txt"]],
  ["--max-depth 1", { maxDepth: 1 }, ["a.txt", "b.log"]],
  ["--max-depth 2", { maxDepth: 2 }, ["a.txt", "b.log", "d/c.txt"]],
  ["--files-from", { names: ["a.txt", "d/e/f.txt"] }, ["a.txt", "d/e/f.txt"]],
  ["--files-from with --larger", { names: ["a.txt", "d/e/f.txt"], minSize: 5 }, ["d/e/f.txt"]],
  ["--files-from with --exclude", { names: ["a.txt", "d/c.txt"], exclude: ["d"] }, ["a.txt"]],
  ["--include with --larger", { include: ["*.txt"], minSize: 2 }, ["d/c.txt", "d/e/f.txt"]],
];

describe.each(cases)("%s", (_, filter, wanted) => {
  beforeEach(plant);

  it("is taken by copies up and down, and by a listing", async () => {
    const { storage, directory } = bucket;
    const source = { type: "path", path: `${directory}/` } as const;
    await copy({ sources: [source], target: bucket.at("up/"), recursive: true, filter });
    expect(await bucket.keys("up/")).toEqual(wanted.map((name) => `up/${name}`));

    const down = join(directory, "down");
    const target = { type: "path", path: down } as const;
    await copy({ sources: [bucket.at("s/")], target, recursive: true, filter });
    expect(Object.keys(filesIn(down)).sort()).toEqual(wanted);

    const listed: string[] = [];
    for await (const { entries } of listKey(storage, "s", { recursive: true, filter })) {
      listed.push(...entries.map(({ key }) => key.slice(2)));
    }
    expect(listed).toEqual(wanted);
  });

  it("is taken by a move, which leaves the rest", async () => {
    const before = await bucket.keys("s/");
    await move({ sources: [bucket.at("s/")], target: bucket.at("m/"), recursive: true, filter });
    expect(await bucket.keys("m/")).toEqual(wanted.map((name) => `m/${name}`));
    const left = before.filter((key) => !wanted.includes(key.slice(2)));
    expect(await bucket.keys("s/")).toEqual(left);
  });

  it("is taken by a removal, which leaves the rest", async () => {
    const before = await bucket.keys("s/");
    const { storage } = bucket;
    await remove({ alias: "local", storage, targets: { prefix: "s" }, filter });
    expect(await bucket.keys("s/")).toEqual(before.filter((key) => !wanted.includes(key.slice(2))));
  });

  it("hides the rest from a sync that removes", async () => {
    for (const name of ["a.txt", "b.log", "d/c.txt", "d/e/f.txt", "zz.txt", "d/e/zz.txt"]) {
      await bucket.put(`t/${name}`, `${"x".repeat(250)}old`);
    }
    const local = { type: "path", path: bucket.directory } as const;
    const { plan } = await runSync(local, bucket.at("t/"), { filter });
    const touched = plan.map((line) => line.slice(0, line.indexOf(":")));
    for (const name of touched) {
      const extra = name.endsWith("zz.txt");
      expect(wanted.includes(name) || (extra && filter.names === undefined)).toBe(true);
    }
    for (const name of wanted) expect(touched).toContain(name);
    const depth = filter.maxDepth ?? 9;
    if (depth < 3) expect(await bucket.keys("t/d/e/")).toContain("t/d/e/zz.txt");
  });
});

describe("--newer-than and --older-than", () => {
  it("go by the time of the file, or of the upload, and hide what lies outside from removals", async () => {
    await plant();
    const target = bucket.at("t/");
    const local = { type: "path", path: bucket.directory } as const;
    await bucket.put("t/b.log", "old");
    await bucket.put("t/gone", "uploaded just now");
    // b.log is too old to be taken: nor is it extra.
    const filter = { newerThan: (1_600_000_000 + 100) * 1000 };
    const { plan } = await runSync(local, target, { filter });
    expect(plan).toEqual(["d/c.txt: new", "d/e/f.txt: new", "gone: extra"]);
    const older = { olderThan: 1_700_000_000_000 };
    await bucket.put("t/gone", "uploaded just now");
    expect((await runSync(local, target, { filter: older })).plan).toEqual([
      "a.txt: new",
      "b.log: size",
    ]);
  });
});

describe("a list of names", () => {
  it("is literal: a pattern in it is a name, and its names are looked up, not listed", async () => {
    await bucket.put("s/*", "star");
    await bucket.put("s/a", "a");
    const seen: HttpRequest[] = [];
    const { storage } = await meddled(bucket, (request) => {
      seen.push(request);
      return undefined;
    });
    const sources = [{ ...bucket.at("s/"), storage }];
    const target = { type: "path", path: join(bucket.directory, "down") } as const;
    const report = await copy({ sources, target, recursive: true, filter: { names: ["*"] } });
    expect(report.failures).toEqual([]);
    expect(filesIn(target.path)).toEqual({ "*": "star" });
    expect(seen.map(({ method }) => method)).toEqual(["HEAD", "GET"]);
  });

  it("with a name that leads out of a directory is refused in that one, and the rest is done", async () => {
    writeFileSync(join(bucket.directory, "..", "outside"), "secret");
    const root = join(bucket.directory, "root");
    mkdirSync(root);
    writeFileSync(join(root, "in"), "in");
    const names = ["../outside", "/etc/hostname", "a/../../outside", "in"];
    const source = { type: "path", path: `${root}/` } as const;
    const up: CopyRequest = { sources: [source], target: bucket.at("up/"), recursive: true };
    const report = await copy({ ...up, filter: { names } });
    expect(report.failures.map(({ error }) => error.code)).toEqual(Array(3).fill("UnsafeKey"));
    const moved = await move({ ...up, filter: { names } });
    expect(moved.failures).toHaveLength(3);
    expect(existsSync(join(bucket.directory, "..", "outside"))).toBe(true);
    const side = { type: "path", path: root } as const;
    const synced = await runSync(side, bucket.at("t/"), { filter: { names } });
    // The move took "in" along, so the list names an object that is nowhere.
    expect(synced.failed.filter((line) => line.startsWith("UnsafeKey"))).toHaveLength(3);
    expect(synced.failed).toContain("NoSuchKey in");
    expect(await bucket.keys()).toEqual(["up/in"]);
    // And as keys, which they may be, they are no files.
    await bucket.put("s/../outside", "stranger's");
    const down = await runSync(bucket.at("s/"), side, { filter: { names: ["../outside"] } });
    expect(down.failed).not.toEqual([]);
    expect(filesIn(join(bucket.directory, ".."))["outside"]).toBe("secret");
  });

  it("names what is not there: a failure of a copy and a sync, a remark of a removal", async () => {
    await bucket.put("s/a", "a");
    const filter = { names: ["a", "typo"] };
    const target = bucket.at("t/");
    const copied = await copy({ sources: [bucket.at("s/")], target, recursive: true, filter });
    expect(copied.failures.map(({ error }) => error.code)).toEqual(["NoSuchKey"]);
    expect(await bucket.keys("t/")).toEqual(["t/a"]);
    await bucket.put("t/typo2", "extra");
    const synced = await runSync(bucket.at("s/"), target, {
      filter: { names: ["a", "b", "typo2"] },
    });
    expect(synced.failed).toEqual(["NoSuchKey s/b"]);
    expect(synced.withheld).toMatchObject({ code: "DeletionWithheld" });
    expect(await bucket.keys("t/")).toEqual(["t/a", "t/typo2"]);
    const seen = recorder();
    const { storage } = bucket;
    const bounded = { ...filter, maxSize: 10 };
    await remove({ alias: "l", storage, targets: { prefix: "s" }, filter: bounded, ...seen });
    expect(seen.of("skipped").map(({ reason }) => reason)).toEqual(["missing"]);
    expect(await bucket.keys("s/")).toEqual([]);
  });

  it("moves objects of a versioned bucket without destroying a version", async () => {
    await bucket.storage.client.request({
      method: "PUT",
      bucket: "bucket",
      query: { versioning: "" },
      body: Buffer.from(
        "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
      ),
    });
    await bucket.put("s/a", "1");
    await bucket.put("s/a", "2");
    const filter = { names: ["a"] };
    await move({ sources: [bucket.at("s/")], target: bucket.at("t/"), recursive: true, filter });
    let versions = 0;
    for await (const page of bucket.storage.list({ prefix: "s/a", versions: true })) {
      versions += page.filter((entry) => entry.type === "object" && !entry.isDeleteMarker).length;
    }
    expect([versions, await bucket.keys()]).toEqual([2, ["t/a"]]);
  });

  it("removes a thousand exact names in one request", async () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `k${i}`).sort();
    await bucket.put("s/k7", "x");
    await bucket.put("s/kept", "x");
    let requests = 0;
    const { storage } = await meddled(bucket, () => {
      requests += 1;
      return undefined;
    });
    await remove({ alias: "l", storage, targets: { prefix: "s/" }, filter: { names } });
    expect([requests, await bucket.keys()]).toEqual([1, ["s/kept"]]);
  });
});

describe("a passed-over part of a tree", () => {
  const skipped = { links: true, special: true };
  beforeEach(() => {
    bucket.file("file", "1");
    bucket.file("real/inner", "2");
    symlinkSync("file", join(bucket.directory, "link"));
    symlinkSync("real", join(bucket.directory, "way"));
    execFileSync("mkfifo", [join(bucket.directory, "pipe")]);
  });

  it("is neither copied nor an error", async () => {
    const source = { type: "path", path: `${bucket.directory}/` } as const;
    const report = await copy({
      sources: [source],
      target: bucket.at(""),
      recursive: true,
      skipped,
    });
    expect(report.failures).toEqual([]);
    expect(await bucket.keys()).toEqual(["file", "real/inner"]);
    const names = ["link", "way/inner", "pipe", "file"];
    const listed: CopyRequest = { sources: [source], target: bucket.at("l/"), recursive: true };
    await copy({ ...listed, skipped, filter: { names } });
    expect(await bucket.keys("l/")).toEqual(["l/file"]);
  });

  it("is not extra on the other side, and not new on its own", async () => {
    for (const key of ["link", "way/inner", "way/more", "pipe", "pipe/x", "extra"]) {
      await bucket.put(key, "there");
    }
    const local = { type: "path", path: bucket.directory } as const;
    const { plan, failed } = await runSync(local, bucket.at(""), { skipped });
    expect([plan, failed]).toEqual([["file: new", "real/inner: new", "extra: extra"], []]);
    const down = await runSync(bucket.at(""), local, { skipped });
    expect([down.plan, down.failed]).toEqual([[], []]);
    expect(await bucket.keys()).toContain("way/more");
  });
});

describe("--update", () => {
  it("replaces only objects and files that are older than their source", async () => {
    const path = bucket.file("a", "newer");
    const target = bucket.at("a");
    const up: CopyRequest = { sources: [{ type: "path", path }], target, ifExists: "update" };
    await copy(up);
    // The time that was stored counts, not that of the upload.
    utimesSync(path, 1_900_000_000, 1_900_000_000);
    writeFileSync(path, "changed since");
    utimesSync(path, 1_900_000_000, 1_900_000_000);
    await copy(up);
    expect((await bucket.get("a")).toString()).toBe("changed since");
    writeFileSync(path, "the same time");
    utimesSync(path, 1_900_000_000, 1_900_000_000);
    await copy(up);
    expect((await bucket.get("a")).toString()).toBe("changed since");

    const down: CopyRequest = { sources: [target], target: { type: "path", path } };
    await copy({ ...down, ifExists: "update" });
    expect(filesIn(bucket.directory)["a"]).toBe("the same time");
    utimesSync(path, 1_800_000_000, 1_800_000_000);
    await copy({ ...down, ifExists: "update" });
    expect(filesIn(bucket.directory)["a"]).toBe("changed since");
  });
});
