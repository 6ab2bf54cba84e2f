/**
 * The property of shards: every name below a place belongs to exactly one of them, on both sides,
 * and no shard reads, writes or removes outside its range.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { holds, rangesBetween, type Shard } from "../../src/core/key-range.js";
import { listKey } from "../../src/core/listing.js";
import { compareKeys } from "../../src/core/storage/key-order.js";
import { startBucket, type TestBucket } from "../support/bucket.js";
import { filesIn, objectsIn, runSync } from "../support/sync.js";

let bucket: TestBucket;
beforeEach(async () => {
  bucket = await startBucket();
});
afterEach(() => bucket.close());

function shardsBetween(boundaries: readonly string[]): { readonly shard: Shard }[] {
  const ends = boundaries.toSorted(compareKeys);
  return rangesBetween(ends).map((range, index, { length: of }) => {
    return { shard: { ...range, number: index + 1, of, split: "s" } };
  });
}

/** Names that other tools stumble over; `a` sorts before `a!`, that before `a/b`, that before `aé`. */
const hostile = fc
  .string({
    unit: fc.constantFrom("a", "b", "/", "!", ".", "é", "\uffff", "\u{10000}", "%"),
    minLength: 1,
    maxLength: 6,
  })
  .filter((name) => name !== "." && name !== "..");
const world = fc.record({
  source: fc.uniqueArray(hostile, { minLength: 1, maxLength: 10 }),
  target: fc.uniqueArray(hostile, { maxLength: 10 }),
  others: fc.array(hostile, { maxLength: 3 }),
  /** The names that are boundaries. */
  picks: fc.array(fc.nat(19), { maxLength: 3 }),
});
const RUNS = { numRuns: 15 };

async function fill(prefix: string, names: readonly string[], more = ""): Promise<void> {
  for (const name of names) await bucket.put(prefix + name, name + more);
}

async function clear(): Promise<void> {
  const keys = await bucket.keys();
  if (keys.length > 0) await bucket.storage.remove(keys.map((key) => ({ key })));
  rmSync(bucket.directory, { recursive: true });
  mkdirSync(bucket.directory);
}

describe("shards", () => {
  it("are listed without a gap or a repeat, also by version and by page", async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ source, target, others, picks }) => {
        await clear();
        const names = [...new Set([...source, ...target])].sort(compareKeys);
        await fill("p/", names);
        await fill("q/", others);
        const ends = [...others, ...picks.map((pick) => names[pick % names.length]!)];
        for (const options of [{}, { order: "any" }, { versions: true }] as const) {
          const found: string[] = [];
          for (const filter of shardsBetween(ends)) {
            const mine: string[] = [];
            const pages = listKey(bucket.storage, "p/", { recursive: true, filter, ...options });
            for await (const { entries } of pages) mine.push(...entries.map(({ key }) => key));
            expect(mine.every((key) => holds(filter.shard, key.slice(2)))).toBe(true);
            found.push(...mine);
          }
          expect(found).toEqual(names.map((name) => `p/${name}`));
        }
      }),
      RUNS,
    );
  });

  it("make with --delete, each on its own, exactly what one sync makes", async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ source, target, others, picks }) => {
        await clear();
        await fill("s/", source);
        for (const prefix of ["whole/", "parts/"]) await fill(prefix, target, "!");
        await fill("partsx/", ["not below"]);
        const names = [...source, ...target];
        const ends = [...others, ...picks.map((pick) => names[pick % names.length]!)];
        await runSync(bucket.at("s/"), bucket.at("whole/"));
        for (const filter of shardsBetween(ends)) {
          const before = await objectsIn(bucket.storage, "parts/");
          const { failures, withheld } = await runSync(bucket.at("s/"), bucket.at("parts/"), {
            filter,
          });
          expect([failures, withheld]).toEqual([[], undefined]);
          // Names outside its range are as they were.
          const after = await objectsIn(bucket.storage, "parts/");
          const outside = (all: Record<string, string>) =>
            Object.entries(all).filter(([name]) => !holds(filter.shard, name));
          expect(outside(after)).toEqual(outside(before));
        }
        const made = await objectsIn(bucket.storage, "parts/");
        expect(made).toEqual(await objectsIn(bucket.storage, "whole/"));
        expect(Object.keys(made).sort(compareKeys)).toEqual(source.toSorted(compareKeys));
        expect(await bucket.keys("partsx/")).toEqual(["partsx/not below"]);
      }),
      RUNS,
    );
  });

  it("make both ways what one sync makes", async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ source, target, picks }) => {
        await clear();
        const names: string[] = [];
        for (const name of source.map((one) => one.replaceAll(/\/+/g, "/x").replace(/^\//, ""))) {
          // A file cannot be a directory as well.
          const clashes = names.some(
            (one) => one.startsWith(`${name}/`) || name.startsWith(`${one}/`),
          );
          if (name === "" || clashes || name.split("/").some((part) => /^\.{0,2}$/.test(part)))
            continue;
          names.push(name);
          mkdirSync(dirname(join(bucket.directory, name)), { recursive: true });
          writeFileSync(join(bucket.directory, name), name);
        }
        fc.pre(names.length > 0);
        await fill("up/", target, "!");
        const ends = picks.map(
          (pick) => [...names, ...target][pick % (names.length + target.length)]!,
        );
        for (const filter of shardsBetween(ends)) {
          expect(
            (
              await runSync({ type: "path", path: bucket.directory }, bucket.at("up/"), {
                filter,
              })
            ).withheld,
          ).toBeUndefined();
        }
        const files = filesIn(bucket.directory);
        expect(await objectsIn(bucket.storage, "up/")).toEqual(files);
        const down = join(bucket.stateDir, "down");
        mkdirSync(down, { recursive: true });
        writeFileSync(join(down, "\u{10000} extra"), "");
        for (const filter of shardsBetween(ends)) {
          await runSync(bucket.at("up/"), { type: "path", path: down }, { filter });
        }
        expect(filesIn(down)).toEqual(files);
        rmSync(down, { recursive: true });
      }),
      RUNS,
    );
  });
});
