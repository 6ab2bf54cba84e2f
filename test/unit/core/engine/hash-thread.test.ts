import { createHash, randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { hashLarge } from "../../../../src/core/engine/hash-thread.js";

const SIZE = 8 * 1024 * 1024;

function shared(): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(SIZE));
  bytes.set(randomBytes(SIZE));
  return bytes;
}

const expected = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it("hashes the first buffers at once, later shared ones beside the main thread, all rightly", async () => {
  const hashed: { bytes: Uint8Array; sha256: string | Promise<string> }[] = [];
  const once = shared();
  expect(hashLarge(once)).toBe(expected(once));
  // Until it has taken two at once: their answers must not be taken for each other.
  const aside = () => hashed.filter(({ sha256 }) => sha256 instanceof Promise).length;
  const pool = Array.from({ length: 4 }, shared);
  for (let i = 0; aside() < 4; i += 1) {
    const bytes = pool[i % pool.length]!;
    hashed.push({ bytes, sha256: hashLarge(bytes) });
    await setImmediate();
  }
  for (const { bytes, sha256 } of hashed) expect(await sha256).toBe(expected(bytes));
  // Bytes that only this thread can see are hashed here.
  const own = randomBytes(SIZE);
  expect(hashLarge(own)).toBe(expected(own));
});
