import { createHash, randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { hashLarge } from "../../../../src/core/engine/hash-thread.js";
import { checksumOf } from "../../../../src/protocol/checksum.js";

const SIZE = 1024 * 1024;

function shared(): Uint8Array {
  const bytes = new Uint8Array(new SharedArrayBuffer(SIZE));
  bytes.set(randomBytes(SIZE));
  return bytes;
}

const expected = (bytes: Uint8Array, crc32: boolean) => ({
  sha256: createHash("sha256").update(bytes).digest("hex"),
  crc32: crc32 ? checksumOf("CRC32", bytes) : undefined,
});

it("hashes the first buffers here and later shared ones in a thread, all correctly", async () => {
  const hashed: { bytes: Uint8Array; crc32: boolean; given: ReturnType<typeof hashLarge> }[] = [];
  const once = shared();
  expect(hashLarge(once, true)).toEqual(expected(once, true));
  expect(hashLarge(once, false)).toEqual(expected(once, false));
  // Until several are under way at once: their answers must not be mixed up.
  const aside = () => hashed.filter(({ given }) => given instanceof Promise).length;
  const pool = Array.from({ length: 4 }, shared);
  for (let i = 0; aside() < 12; i += 1) {
    const bytes = pool[i % pool.length]!;
    const crc32 = i % 3 > 0;
    hashed.push({ bytes, crc32, given: hashLarge(bytes, crc32) });
    await setImmediate();
  }
  for (const { bytes, crc32, given } of hashed) expect(await given).toEqual(expected(bytes, crc32));
  // Bytes that only this thread can see are hashed here.
  const own = randomBytes(SIZE);
  expect(hashLarge(own, true)).toEqual(expected(own, true));
});
