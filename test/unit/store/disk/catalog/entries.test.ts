import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../../../../src/store/disk/catalog/entries.js";
import {
  LONGEST_LINE,
  fromArray,
  merge,
  parseLines,
  toLine,
} from "../../../../../src/store/disk/catalog/entries.js";
import { toBytes } from "../../../../../src/store/disk/names.js";
import { anyKey } from "../keys.js";

const entry = fc.record({ key: anyKey.map(toBytes), there: fc.boolean() });

describe("lines of a catalog", () => {
  it("give back what they were made from, for any key", () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        expect(parseLines(entries.map(toLine).join(""))).toEqual(entries);
      }),
    );
    expect(toLine({ key: ";".repeat(1024), there: true })).toHaveLength(LONGEST_LINE);
  });

  it("are ignored when cut short, and spoil no other", () => {
    fc.assert(
      fc.property(entry, entry, fc.nat(), (torn, whole, at) => {
        const line = toLine(torn).trimEnd();
        const text = `${line.slice(0, at % line.length)}\n${toLine(whole)}`;
        expect(parseLines(text)).toEqual([whole]);
      }),
    );
  });
});

describe("several sources", () => {
  const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : 1);
  const source = fc
    .uniqueArray(entry, { selector: ({ key }) => key, maxLength: 8 })
    .map((entries) => entries.sort(byKey));

  it("are merged in order, and the newest decides", () => {
    fc.assert(
      fc.property(fc.array(source, { maxLength: 4 }), fc.array(entry), (sources, starts) => {
        const last = new Map(
          sources.toReversed().flatMap((of) => of.map((each) => [each.key, each])),
        );
        const expected = [...last.values()].sort(byKey);
        const merged = merge(sources.map(fromArray));
        for (const from of ["", ...starts.map(({ key }) => key)]) {
          merged.seek(from);
          const seen: Entry[] = [];
          for (; merged.current !== undefined; merged.advance()) seen.push(merged.current);
          expect(seen).toEqual(expected.filter(({ key }) => key >= from));
        }
      }),
    );
  });
});
