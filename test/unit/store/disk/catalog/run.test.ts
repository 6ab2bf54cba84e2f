import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, Source } from "../../../../../src/store/disk/catalog/entries.js";
import { fromArray } from "../../../../../src/store/disk/catalog/entries.js";
import { openRun, writeRun } from "../../../../../src/store/disk/catalog/run.js";
import { freshDirectory } from "../support.js";
import { cases } from "../../../../support/cases.js";

function rest(source: Source): Entry[] {
  const entries: Entry[] = [];
  for (; source.current !== undefined; source.advance()) entries.push(source.current);
  return entries;
}

describe("a run", () => {
  it("gives back what was written, from anywhere on, wherever its blocks end", async () => {
    const directory = await freshDirectory();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1024 }),
        fc.integer({ min: 1, max: 600 }),
        fc.constantFrom("x", ";", "\u00ff"),
        fc.array(fc.integer({ min: -1, max: 700 }), { maxLength: 3 }),
        async (width, count, fill, places) => {
          const key = (index: number): string =>
            String(index).padStart(4, "0").padEnd(width, fill).slice(0, 1024);
          const entries = Array.from({ length: count }, (_, index) => ({
            key: key(index),
            there: index % 3 > 0,
          }));
          const written = await writeRun(directory, fromArray(entries), false);
          expect(written).toMatchObject({ lines: count, gone: Math.ceil(count / 3) });
          const run = openRun(join(directory, written!.name));
          try {
            expect(rest(run)).toEqual(entries);
            for (const from of ["", "~", ...places.map(key)]) {
              run.seek(from);
              expect(rest(run)).toEqual(entries.filter((entry) => entry.key >= from));
            }
          } finally {
            run.close();
          }
        },
      ),
      cases(12),
    );
  });

  it("of no names is not written", async () => {
    const directory = await freshDirectory();
    const gone = [{ key: "a", there: false }];
    expect(await writeRun(directory, fromArray([]), false)).toBeUndefined();
    expect(await writeRun(directory, fromArray(gone), true)).toBeUndefined();
    expect(await writeRun(directory, fromArray(gone), false)).toMatchObject({ lines: 1, gone: 1 });
  });
});
