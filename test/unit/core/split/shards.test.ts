/**
 * The property of shards: every name below a place belongs to exactly one of them, on both sides,
 * and no shard reads, writes or removes outside its range.
 */
import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Filter } from "../../../../src/core/filter.js";
import { holds, rangesBetween, type Shard } from "../../../../src/core/key-range.js";
import { listTree } from "../../../../src/core/local/list.js";
import { copy } from "../../../../src/core/operations/copy.js";
import { find } from "../../../../src/core/operations/find.js";
import { move } from "../../../../src/core/operations/move.js";
import { remove } from "../../../../src/core/operations/remove.js";
import { compareKeys } from "../../../../src/core/storage/key-order.js";
import type { Side } from "../../../../src/core/sync/sides.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { objectsIn, runSync } from "../../../support/sync.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

const { signal } = new AbortController();

function shardsBetween(boundaries: readonly string[]): { readonly shard: Shard }[] {
  const ends = boundaries.toSorted(compareKeys);
  return rangesBetween(ends).map((range, index, { length: of }) => {
    return { shard: { ...range, number: index + 1, of, split: "s" } };
  });
}

async function fill(prefix: string, names: readonly string[], more = ""): Promise<void> {
  for (const name of names) await bucket.put(prefix + name, name + more);
}

describe("shards of a bucket", () => {
  it("make with --delete, each on its own, exactly what one sync makes", async () => {
    const names = ["a", "a!", "a/b", "aé", "b//", "\u{10000}", "\uffff", "%2F"];
    await fill("s/", names);
    for (const prefix of ["whole/", "parts/"])
      await fill(prefix, ["a/", "a/b", "c", "\uffffx"], "!");
    await fill("partsx/", ["not below"]);
    await runSync(bucket.at("s/"), bucket.at("whole/"));
    for (const filter of shardsBetween(["a", "a/b", "a/b", "b", "\uffff"])) {
      const before = await objectsIn(bucket.storage, "parts/");
      expect(await runSync(bucket.at("s/"), bucket.at("parts/"), { filter })).toMatchObject({
        failures: [],
        withheld: undefined,
      });
      // Names outside its range are as they were.
      const after = await objectsIn(bucket.storage, "parts/");
      const outside = (all: Record<string, string>) =>
        Object.entries(all).filter(([name]) => !holds(filter.shard, name));
      expect(outside(after)).toEqual(outside(before));
    }
    const made = await objectsIn(bucket.storage, "parts/");
    expect(made).toEqual(await objectsIn(bucket.storage, "whole/"));
    expect(Object.keys(made).sort(compareKeys)).toEqual(names.toSorted(compareKeys));
    expect(await bucket.keys("partsx/")).toEqual(["partsx/not below"]);
  });

  it("together copy, move, find and remove the whole, also beside an object with the prefix's name", async () => {
    const names = ["a", "a!", "a/b", "a/b/c", "b/", "é", "\u{10000}", "\uffff"].sort(compareKeys);
    await fill("p/", names);
    await bucket.put("p", "exact");
    const shards = shardsBetween(["a", "a/b", "b", "b"]);
    const found: string[] = [];
    for (const filter of shards) {
      for await (const page of find(bucket.storage, "p", filter)) {
        found.push(...page.map(({ key }) => key));
      }
      await copy({ sources: [bucket.at("p/")], target: bucket.at("c/"), recursive: true, filter });
      const request = { sources: [bucket.at("p")], target: bucket.at("m/"), recursive: true };
      expect((await move({ ...request, filter })).failures).toEqual([]);
    }
    const all = names.map((name) => `p/${name}`);
    expect(found.sort(compareKeys)).toEqual(["p", ...all]);
    expect(await bucket.keys("c/")).toEqual(names.map((name) => `c/${name}`));
    expect(await bucket.keys("m/")).toEqual(["m/p", ...names.map((name) => `m/p/${name}`)]);
    expect(await bucket.keys("p")).toEqual([]);
    for (const filter of shards) {
      const { storage } = bucket;
      await remove({ alias: "local", storage, targets: { prefix: "c/" }, filter });
    }
    expect(await bucket.keys("c/")).toEqual([]);
  });

  it("can be moved again when all of them are moved, as after a kill", async () => {
    await bucket.put("p/a", "a");
    for (const filter of [...shardsBetween(["m"]), ...shardsBetween(["m"])]) {
      const request = { sources: [bucket.at("p/")], target: bucket.at("c/"), recursive: true };
      expect((await move({ ...request, filter })).failures).toEqual([]);
    }
    expect(await bucket.keys()).toEqual(["c/a"]);
  });

  it("may be empty where the place is not; a missing place is still reported", async () => {
    await bucket.put("p/a", "a");
    const [, filter] = shardsBetween(["m"]);
    const request = { target: bucket.at("c/"), recursive: true, filter };
    expect((await copy({ sources: [bucket.at("p/")], ...request })).failures).toEqual([]);
    expect((await copy({ sources: [bucket.at("p")], ...request })).failures).toEqual([]);
    for (const key of ["nothing", "nothing/"]) {
      const failing = copy({ sources: [bucket.at(key)], ...request });
      await expect(failing).rejects.toMatchObject({ code: "NoSuchKey" });
    }
  });
});

describe("shards of a directory", () => {
  const local = (): Side => ({ type: "path", path: bucket.directory });

  it("do not go into directories that lie outside", async () => {
    bucket.file("a/1", "");
    bucket.file("m/1", "");
    bucket.file("z/1", "");
    // A directory that was read twice would be reported as a loop.
    symlinkSync("..", join(bucket.directory, "a/loop"));
    symlinkSync("..", join(bucket.directory, "z/loop"));
    const [, filter] = shardsBetween(["b", "n"]);
    const told: string[] = [];
    const found: string[] = [];
    const tree = listTree(bucket.directory, { filter: filter!, signal }, ({ key }) =>
      told.push(key),
    );
    for await (const page of tree) found.push(...page.map(({ key }) => key));
    expect([found, told]).toEqual([["m/1"], []]);
  });

  it("remove nothing below a link to a disk that is not there, in whichever shard its names are", async () => {
    bucket.file("b", "b");
    symlinkSync("/nowhere/at/all", join(bucket.directory, "a"));
    await fill("t/", ["a/1", "a/2", "b"]);
    for (const filter of shardsBetween(["a", "a/1"])) {
      const { failed } = await runSync(local(), bucket.at("t/"), { filter });
      expect(failed).toEqual(["DanglingLink a"]);
    }
    expect(await bucket.keys("t/")).toEqual(["t/a/1", "t/a/2", "t/b"]);
  });
});

describe("the guard of removals", () => {
  const sync = (filter: Filter) => runSync(bucket.at("s/"), bucket.at("t/"), { filter });

  it("lets a shard be emptied that is empty at the source, but never for an empty source", async () => {
    await fill("s/", ["z"]);
    await fill("t/", ["a", "z"]);
    const [first] = shardsBetween(["m"]);
    expect((await sync(first!)).withheld).toBeUndefined();
    expect(await bucket.keys("t/")).toEqual(["t/z"]);
    await bucket.storage.remove([{ key: "s/z" }]);
    const [, last] = shardsBetween(["m"]);
    const empty = runSync({ ...bucket.at("s/") }, bucket.at("t/"), { filter: last! });
    await expect(empty).rejects.toMatchObject({ code: "NoSuchKey" });
    expect(await bucket.keys("t/")).toEqual(["t/z"]);
  });
});
