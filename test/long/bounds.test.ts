/** How much is under way at once: counted, not timed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { createMemory, processMemory } from "../../src/core/engine/memory.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom } from "../support/bucket.js";
import { useFaults } from "../support/faults.js";
import { OBJECT_PUT, PART } from "../support/faulty-bucket.js";

const faults = useFaults();

describe("bounds", () => {
  it("reads another part on a connection that has carried one", async () => {
    const content = pseudoRandom(30 * PART + 1);
    writeFileSync(join(faults.bucket.root, "long"), content);
    await copy({
      sources: [faults.bucket.local("long")],
      target: faults.bucket.place("long", faults.bucket.straight),
      partSize: PART,
    });
    const report = await copy({
      sources: [faults.bucket.place("long", faults.bucket.straight)],
      target: faults.bucket.local("files/out"),
      partSize: PART,
    });
    expect(report.failures).toEqual([]);
    expect(faults.bucket.read("out").equals(content)).toBe(true);
  });

  it("keeps objects, connections and memory within what was asked for", async () => {
    for (let i = 0; i < 60; i += 1)
      writeFileSync(join(faults.bucket.root, "files", `${i}`), pseudoRandom(100_000, i));
    await copy({
      sources: [faults.bucket.local("files")],
      target: faults.bucket.place(""),
      recursive: true,
      concurrency: 6,
    });
    expect(await faults.bucket.keys()).toHaveLength(60);
    expect(faults.proxy.most.requests).toBeLessThanOrEqual(6);
    expect(faults.proxy.most.connections).toBeLessThanOrEqual(6);
  });

  it("sends at most eight parts of an object at once", async () => {
    writeFileSync(join(faults.bucket.root, "large"), pseudoRandom(12 * PART));
    await faults.bucket.upload("large");
    expect(faults.proxy.most.requests).toBeLessThanOrEqual(8);
    expect((await faults.bucket.straight.stat("large")).size).toBe(12 * PART);
  });

  it("sends fewer parts at once after it was told to slow down", async () => {
    for (let i = 0; i < 300; i += 1) writeFileSync(join(faults.bucket.root, "files", `${i}`), "x");
    faults.proxy.inject({
      on: OBJECT_PUT,
      times: 4,
      does: { type: "refuse", status: 503, code: "SlowDown" },
    });
    const report = await copy({
      sources: [faults.bucket.local("files")],
      target: faults.bucket.place(""),
      recursive: true,
    });
    expect(report.failures).toEqual([]);
    expect(await faults.bucket.keys()).toHaveLength(300);
  });

  it("never borrows more memory than the budget", async () => {
    const memory = createMemory(2 * PART);
    const lease = await memory.borrow(PART, new AbortController().signal);
    lease.release();
    expect(memory.peak).toBe(PART);
  });

  it("brings at most eight ranges of an object at once, over as many connections", async () => {
    const { bucket, proxy } = faults;
    await bucket.straight.write("long", pseudoRandom(12 * PART));
    const report = await bucket.download("long");
    expect(report.failures).toEqual([]);
    expect(proxy.most.requests).toBeGreaterThan(1);
    // The request that found out the size may still count as under way.
    expect(proxy.most.requests).toBeLessThanOrEqual(8 + 1);
    expect(proxy.most.connections).toBeLessThanOrEqual(8 + 1);
  });

  it("shares parts, connections and memory among large objects and small ones", async () => {
    const { bucket, proxy } = faults;
    const sizes = [
      ...Array.from({ length: 40 }, (_, i) => i * 10_000),
      2 * MIB,
      3 * MIB,
      9 * MIB,
      ...Array.from({ length: 4 }, (_, i) => 3 * PART + i),
    ];
    mkdirSync(join(bucket.root, "mixed"));
    for (const [i, size] of sizes.entries()) {
      writeFileSync(join(bucket.root, "mixed", `${i}`), pseudoRandom(size, i));
    }
    // Six parts fit into the memory, and go at once, whatever else is under way.
    proxy.gather(/^PUT .*partNumber=/, 6);
    const up = await copy({
      sources: [bucket.local("mixed")],
      target: bucket.place(""),
      recursive: true,
      partSize: PART,
      concurrency: 10,
    });
    const down = await copy({
      sources: [bucket.place("mixed")],
      target: bucket.local("files/"),
      recursive: true,
      partSize: PART,
      concurrency: 10,
    });
    for (const { failures, snapshot } of [up, down]) {
      expect(failures).toEqual([]);
      expect(snapshot.items.done).toBe(sizes.length);
    }
    // Ten objects at once, four of which have parts, sixteen of them at most; and a listing ahead.
    // The machine decides whether more than ten are seen at once.
    expect(proxy.most.requests).toBeLessThanOrEqual(6 + 16 + 1);
    expect(proxy.most.connections).toBeLessThanOrEqual(6 + 16 + 1);
    expect(processMemory.peak).toBeGreaterThan(10 * MIB);
    expect(processMemory.peak).toBeLessThanOrEqual(32 * MIB);
    expect(processMemory.used).toBe(0);
  });
});
