/**
 * A connection that breaks once, at any byte of a request or its answer: pail survives every one.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { remove } from "../../src/core/operations/remove.js";
import { type FaultyBucket, PART, startFaultyBucket } from "../support/faulty-bucket.js";
import { type RunningStore, startStore } from "../support/store.js";
import { type Break, type Sizes, startWire, type Wire } from "../support/wire.js";

let store: RunningStore;
let wire: Wire;
let bucket: FaultyBucket;
beforeAll(async () => {
  store = await startStore();
  wire = await startWire(store.endpoint);
  bucket = await startFaultyBucket(store, wire.url, { largeSize: PART + 1_000 });
  await bucket.fill();
  for (const name of ["1", "2"]) await bucket.straight.write(`listed/${name}`, Buffer.from(name));
});
afterAll(async () => {
  bucket.close();
  await wire.close();
  await store.close();
});

async function sent(file: "large" | "small"): Promise<void> {
  const report = await bucket.upload(file, { target: bucket.place(`up/${file}`) });
  expect(report.failures).toEqual([]);
  expect((await bucket.get(`up/${file}`)).equals(bucket[file])).toBe(true);
  expect(await bucket.uploads()).toEqual([]);
}

async function brought(key: "large" | "small"): Promise<void> {
  const report = await bucket.download(key);
  expect(report.failures).toEqual([]);
  expect(bucket.read("out").equals(bucket[key])).toBe(true);
  expect(bucket.files()).toEqual(["out"]);
}

async function copied(): Promise<void> {
  const { failures } = await copy({
    sources: [bucket.place("small")],
    target: bucket.place("copied"),
  });
  expect(failures).toEqual([]);
  expect((await bucket.get("copied")).equals(bucket.small)).toBe(true);
}

async function broughtAll(): Promise<void> {
  mkdirSync(join(bucket.root, "files/all"), { recursive: true });
  const { failures } = await copy({
    sources: [bucket.place("listed")],
    target: bucket.local("files/all"),
    recursive: true,
  });
  expect(failures).toEqual([]);
  expect([bucket.read("all/listed/1"), bucket.read("all/listed/2")].join("")).toBe("12");
}

async function removed(): Promise<void> {
  for (const key of ["k/1", "k/2"]) await bucket.straight.write(key, bucket.small);
  const report = await remove({
    storage: bucket.faulty,
    alias: "t",
    targets: { prefix: "k/" },
  });
  expect(report.snapshot.items).toMatchObject({ total: 2, done: 2, failed: 0 });
}

/** The ends of heads and bodies, and what is between. */
function positions({ head, all }: Sizes[Break["of"]]): number[] {
  const body = all - head;
  const places = [0, 1, head - 1, head, head + (body >> 1), all - 1, all];
  return [...new Set(places)].filter((place) => place <= all).toSorted((a, b) => a - b);
}

/**
 * A connection that ends after the whole answer is not broken; then an answer may come a second
 * time.
 */
function waysOf(of: Break["of"], whole: boolean): Break["by"][] {
  if (of === "request") return ["reset"];
  return ["reset", whole ? "repeat" : "end"];
}

it.each<[what: string, work: () => Promise<void>, on: RegExp]>([
  ["the upload of a small object", () => sent("small"), /^PUT .*small/],
  ["the upload of a part", () => sent("large"), /^PUT .*partNumber=1/],
  ["the end of an upload", () => sent("large"), /^POST .*uploadId/],
  ["the download of a small object", () => brought("small"), /^GET .*small/],
  ["the download of a range", () => brought("large"), /^GET [^]*bytes=0-/],
  ["a copy within the service", copied, /^PUT .*copied/],
  ["a listing", broughtAll, /^GET .*list-type/],
  ["a removal", removed, /^POST .*delete/],
])("%s", async (_what, work, on) => {
  await work();
  const sizes = wire.sizesOf(on);
  for (const of of ["request", "answer"] as const) {
    for (const after of positions(sizes[of])) {
      for (const by of waysOf(of, after === sizes[of].all)) {
        const struck = wire.breakOnce({ on, of, after, by });
        await work().catch((error: unknown) => {
          throw new Error(`${by} after ${after} bytes of the ${of}`, { cause: error });
        });
        expect(struck()).toBe(true);
      }
    }
  }
});
