import { crc32 } from "node:zlib";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createChecksum, type CrcAlgorithm } from "../../../src/protocol/checksum.js";

/** Bytes without a pattern, the same for the same seed. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = (seed | 1) >>> 0;
  for (let i = 0; i < length; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

function digest(algorithm: CrcAlgorithm, bytes: Buffer, step: number): string {
  const checksum = createChecksum(algorithm);
  for (let at = 0; at < bytes.length; at += step) checksum.update(bytes.subarray(at, at + step));
  return checksum.digest().toString("hex");
}

describe("a CRC of many bytes", () => {
  it.each([
    ["CRC32", 38_400],
    ["CRC32C", 34_048],
    ["CRC64NVME", 361_984],
  ] as const)(
    "is for %s from %i on that of the same bytes in small pieces, which tables compute",
    (algorithm, worth) => {
      const lengths = fc.oneof(
        fc.integer({ min: worth - 20, max: worth + 40 }),
        fc.integer({ min: worth, max: worth + 300_000 }),
      );
      fc.assert(
        fc.property(lengths, fc.nat(), fc.nat(100), (length, seed, before) => {
          const bytes = noise(before + length, seed);
          const checksum = createChecksum(algorithm);
          checksum.update(bytes.subarray(0, before));
          checksum.update(bytes.subarray(before));
          expect(checksum.digest().toString("hex")).toBe(digest(algorithm, bytes, 4096));
        }),
        { numRuns: 40 },
      );
    },
  );

  it("equals zlib's CRC32, also after any one bit changes, and in shared memory", () => {
    const shared = Buffer.from(new SharedArrayBuffer(200_007));
    fc.assert(
      fc.property(fc.nat(8 * shared.length - 1), (bit) => {
        shared.fill(0);
        shared[bit >> 3] = 1 << (bit & 7);
        const expected = crc32(Buffer.from(shared)).toString(16).padStart(8, "0");
        expect(digest("CRC32", shared, shared.length)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});
