import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  DEFAULT_PART_SIZE,
  GIB,
  MAX_PARTS,
  MIB,
  MIN_PART_SIZE,
  partCount,
  partRange,
  partSizeFor,
  rangeSizeFor,
  requirePartSize,
  streamPartSize,
} from "../../../../src/core/transfer/sizes.js";

describe("how an object is cut into parts", () => {
  it("uses the default until 10,000 parts do not hold the object, then grows", () => {
    expect(partSizeFor(100 * MIB)).toBe(DEFAULT_PART_SIZE);
    expect(partSizeFor(5 * 1024 * GIB)).toBeGreaterThan(500 * MIB);
  });

  it("covers every byte of any object up to 5 TiB once, with at most 10,000 parts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 * 1024 * GIB }),
        fc.option(fc.integer({ min: MIN_PART_SIZE, max: GIB }), { nil: undefined }),
        (size, requested) => {
          const partSize = partSizeFor(size, requested);
          const count = partCount(size, partSize);
          expect(count).toBeLessThanOrEqual(MAX_PARTS);
          expect(partRange(1, partSize, size).start).toBe(0);
          expect(partRange(count, partSize, size).end).toBe(size);
          const { start } = partRange(count, partSize, size);
          expect(start).toBeLessThan(size);
          expect(start).toBe((count - 1) * partSize);
        },
      ),
    );
  });

  it("fetches a large object in about sixty ranges, none smaller than a part or needlessly large", () => {
    expect(rangeSizeFor(100 * MIB)).toBe(DEFAULT_PART_SIZE);
    expect(rangeSizeFor(2 * GIB)).toBe(32 * MIB);
    expect(rangeSizeFor(100 * GIB)).toBe(64 * MIB);
    expect(rangeSizeFor(5 * 1024 * GIB)).toBe(partSizeFor(5 * 1024 * GIB));
    expect(rangeSizeFor(2 * GIB, 8 * MIB)).toBe(8 * MIB);
  });

  it("refuses a part size S3 would refuse", () => {
    expect(() => requirePartSize(MIN_PART_SIZE - 1)).toThrow(/5 MiB/);
    expect(() => requirePartSize(6 * GIB)).toThrow(/5 GiB/);
    expect(() => requirePartSize(Number.NaN)).toThrow(/part size/);
    expect(() => requirePartSize(MIN_PART_SIZE)).not.toThrow();
  });

  it("refuses an object that no 10,000 parts can hold", () => {
    expect(() => partSizeFor(5 * GIB * MAX_PARTS + 1)).toThrow(/more than/);
  });

  it("grows the parts of a stream without ever needing more than the memory budget for one", () => {
    let total = 0;
    for (let number = 1; number <= MAX_PARTS; number += 1) {
      const size = streamPartSize(number, undefined);
      expect(size).toBeLessThanOrEqual(64 * MIB);
      total += size;
    }
    expect(total).toBeGreaterThan(480 * GIB);
  });
});
