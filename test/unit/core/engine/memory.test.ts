import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createMemory, type Lease } from "../../../../src/core/engine/memory.js";

const KIB = 1024;
const never = new AbortController().signal;

describe("the memory budget", () => {
  it("gives a buffer of exactly the size asked for", async () => {
    const memory = createMemory(1024 * KIB);
    const lease = await memory.borrow(100_000, never);
    expect(lease.bytes.length).toBe(100_000);
  });

  it("makes a request for more than is left wait until a buffer comes back", async () => {
    const memory = createMemory(128 * KIB);
    const first = await memory.borrow(64 * KIB, never);
    const second = await memory.borrow(64 * KIB, never);
    let third: Lease | undefined;
    const waiting = memory.borrow(64 * KIB, never).then((lease) => (third = lease));
    await Promise.resolve();
    expect(third).toBeUndefined();
    first.release();
    await waiting;
    second.release();
    third?.release();
    expect(memory.used).toBe(0);
  });

  it("gives one lease larger than the budget when it is alone", async () => {
    const memory = createMemory(64 * KIB);
    const lease = await memory.borrow(10 * 1024 * KIB, never);
    expect(lease.bytes.length).toBe(10 * 1024 * KIB);
    lease.release();
    expect(memory.used).toBe(0);
  });

  it("counts a lease that is given back twice once", async () => {
    const memory = createMemory(128 * KIB);
    const one = await memory.borrow(64 * KIB, never);
    await memory.borrow(64 * KIB, never);
    one.release();
    one.release();
    expect(memory.used).toBe(64 * KIB);
  });

  it("releases a waiting request when the signal aborts, and serves the next one", async () => {
    const memory = createMemory(128 * KIB);
    const all = await memory.borrow(128 * KIB, never);
    const abort = new AbortController();
    const aborted = memory.borrow(128 * KIB, abort.signal);
    const behind = memory.borrow(64 * KIB, never);
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    all.release();
    (await behind).release();
    expect(memory.used).toBe(0);
  });

  it.each([KIB, 16 * KIB])(
    "never lends more than the budget, whatever is borrowed, in units of %i bytes",
    async (unit) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 0, max: 300 * unit }), { maxLength: 40 }),
          async (sizes) => {
            const memory = createMemory(512 * unit);
            await Promise.all(
              sizes.map(async (size) => {
                const lease = await memory.borrow(size, never);
                expect(lease.bytes.length).toBe(size);
                await Promise.resolve();
                lease.release();
              }),
            );
            expect(memory.peak).toBeLessThanOrEqual(512 * unit);
            expect(memory.used).toBe(0);
          },
        ),
      );
    },
  );

  it("makes few buffers for a mix of large sizes: threads keep those that are let go", async () => {
    const MIB = KIB * KIB;
    const memory = createMemory(32 * MIB);
    const made = new Set<ArrayBufferLike>();
    for (let i = 0; i < 500; i += 1) {
      const sizes = [2 + (i % 8), 2 + ((i * 5) % 8), 4 * (1 / KIB)];
      const leases = await Promise.all(sizes.map((size) => memory.borrow(size * MIB, never)));
      for (const { bytes, release } of leases) {
        made.add(bytes.buffer);
        release();
      }
    }
    expect(made.size).toBeLessThan(25);
  });
});
