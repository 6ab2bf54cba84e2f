import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { holds, isTiling, rangesBetween, reaches } from "../../../src/core/key-range.js";
import { compareKeys } from "../../../src/core/storage/key-order.js";

const name = fc.string({ unit: fc.constantFrom("a", "b", "/", "!", "é", "\uffff", "\u{10000}") });
const boundaries = fc.array(name, { maxLength: 6 }).map((all) => all.sort(compareKeys));

describe("ranges of names", () => {
  it("hold every name exactly once, boundaries included, whatever the boundaries", () => {
    fc.assert(
      fc.property(boundaries, fc.array(name), (ends, names) => {
        const ranges = rangesBetween(ends);
        expect(isTiling(ranges)).toBe(true);
        for (const one of [...names, ...ends, ""]) {
          expect(ranges.filter((range) => holds(range, one))).toHaveLength(1);
        }
      }),
    );
  });

  it("accept every prefix of a name that they hold, and no prefix of other names alone", () => {
    fc.assert(
      fc.property(boundaries, name, name, (ends, beginning, rest) => {
        for (const range of rangesBetween(ends)) {
          if (holds(range, beginning + rest)) expect(reaches(range, beginning)).toBe(true);
          const { after } = range;
          if (after === undefined || compareKeys(`${beginning}\u{10ffff}`, after) > 0) continue;
          expect(reaches(range, beginning)).toBe(false);
        }
      }),
    );
  });

  it.each([
    ["nothing", []],
    ["a gap", [{ to: "a" }, { after: "b" }]],
    ["an overlap", [{ to: "b" }, { after: "a" }]],
    ["no beginning", [{ after: "a" }]],
    ["no end", [{ to: "a" }]],
    ["a middle without an end", [{ to: "a" }, { after: "a" }, { after: "b" }]],
    ["boundaries that descend", [{ to: "b" }, { after: "b", to: "a" }, { after: "a" }]],
  ])("are refused with %s", (_, ranges) => {
    expect(isTiling(ranges)).toBe(false);
  });
});
