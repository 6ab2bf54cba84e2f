import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { partSizesFor, partsOf, startETags } from "../../../../src/core/sync/etags.js";
import { MIB, partSizeFor } from "../../../../src/core/transfer/sizes.js";

const md5 = (...bytes: Uint8Array[]) => createHash("md5").update(Buffer.concat(bytes));

describe("multipart ETags", () => {
  it("are recomputed from bytes in chunks of any size", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 50 }),
        (bytes, partSize, piece) => {
          const parts: Buffer[] = [];
          for (let at = 0; at < bytes.length; at += partSize) {
            parts.push(md5(bytes.subarray(at, at + partSize)).digest());
          }
          const started = startETags([partSize, partSize + 1]);
          for (let at = 0; at < bytes.length; at += piece) {
            started.update(bytes.subarray(at, at + piece));
          }
          expect(started.end()[0]).toBe(`${md5(...parts).digest("hex")}-${parts.length}`);
        },
      ),
    );
  });

  it("without part sizes are the MD5", () => {
    const started = startETags([]);
    started.update(Buffer.from("abc"));
    expect(started.end()).toEqual([md5(Buffer.from("abc")).digest("hex")]);
  });

  it("imply the part sizes of pail and of others", () => {
    for (const [size, partSize] of [
      [100 * MIB, 8 * MIB],
      [20 * MIB, 8 * MIB],
      [300 * MIB + 1, 5 * MIB],
      [1_000 * MIB, 16 * MIB],
      [5_000 * MIB, 50 * MIB],
      [100_000_000, 10_000_000],
      [200 * 1024 * MIB, partSizeFor(200 * 1024 * MIB)],
    ] as const) {
      expect(partSizesFor(size, Math.ceil(size / partSize))).toContain(partSize);
    }
  });

  it("are told from others", () => {
    expect(partsOf(`${"a".repeat(32)}-12`)).toBe(12);
    for (const none of ["a".repeat(32), `${"a".repeat(32)}-0`, `${"a".repeat(32)}-99999`, "x-1"]) {
      expect(partsOf(none)).toBeUndefined();
    }
  });
});
