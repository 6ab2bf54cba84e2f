import { describe, expect, it } from "vitest";

import { formatMtime, parseMtime, sameTime } from "../../../../src/core/local/times.js";

describe("modification times in metadata", () => {
  it("are written as rclone writes them", () => {
    expect(formatMtime(1_700_000_000_123_456_789n)).toBe("1700000000.123456789");
    expect(formatMtime(1_700_000_000_500_000_000n)).toBe("1700000000.5");
    expect(formatMtime(0n)).toBe("0");
    expect(formatMtime(-1_500_000_000n)).toBe("-1.5");
  });

  it("are read back, and no other text is read as a time", () => {
    expect(parseMtime("1700000000.5")).toBe(1_700_000_000_500);
    for (const wrong of [undefined, "", "yesterday", "1e9", "0x10", " 1", "9".repeat(40)]) {
      expect(parseMtime(wrong)).toBeUndefined();
    }
  });

  it("are the same when they differ only by the precision that is lost", () => {
    expect(sameTime(1_700_000_000_123.25, 1_700_000_000_123.5)).toBe(true);
    expect(sameTime(1_700_000_000_000, 1_700_000_000_999)).toBe(true);
    expect(sameTime(1_700_000_000_100, 1_700_000_000_900)).toBe(false);
    expect(sameTime(1_700_000_000_000, 1_700_000_001_000)).toBe(false);
  });
});
