import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Entry, Source } from "../../../../../src/store/disk/catalog/entries.js";
import { toLine } from "../../../../../src/store/disk/catalog/entries.js";
import {
  append,
  openJournal,
  readJournal,
  type Read,
} from "../../../../../src/store/disk/catalog/journal.js";
import { toBytes } from "../../../../../src/store/disk/names.js";
import { anyKey } from "../keys.js";

let directory: string;
let journal: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pail-journal-"));
  journal = join(directory, "journal");
  writeFileSync(journal, "");
});
afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

const entry = (keys: fc.Arbitrary<string>): fc.Arbitrary<Entry> =>
  fc.record({ key: keys.map(toBytes), there: fc.boolean() });

function toArray(source: Source): Entry[] {
  const entries: Entry[] = [];
  for (; source.current !== undefined; source.advance()) entries.push(source.current);
  return entries;
}

describe("a journal that is read again", () => {
  it("says the same as when read from its beginning, whatever was appended in between", () => {
    const few = fc.constantFrom("a", "b", "b/c", "é", ";", "\n");
    const step = fc.oneof(
      fc.record({ entries: fc.array(entry(fc.oneof(few, anyKey)), { maxLength: 20 }) }),
      // A line cut short, as a writer leaves it that was killed, or whose disk was full.
      fc.record({ entry: entry(anyKey), at: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        writeFileSync(journal, "");
        const kept = new Map<string, Read>();
        for (const each of steps) {
          if ("entries" in each) for (const one of each.entries) append(journal, one);
          else {
            const line = `\n${toLine(each.entry)}`;
            appendFileSync(journal, line.slice(0, each.at % line.length), "latin1");
          }
          const again = toArray(openJournal(kept, journal));
          expect(again).toEqual(readJournal(journal).entries);
        }
      }),
    );
  });

  it("is read from its beginning where another file has its name, or it is shorter", () => {
    append(journal, { key: "a", there: true });
    append(journal, { key: "b", there: true });
    const before = readJournal(journal);
    truncateSync(journal, 5);
    expect(readJournal(journal, before).entries).toEqual([{ key: "a", there: true }]);
    const other = join(directory, "other");
    writeFileSync(other, "");
    for (const key of ["d", "e", "f"]) append(other, { key, there: true });
    renameSync(other, journal);
    expect(readJournal(journal, before)).toEqual(readJournal(journal));
  });

  it("keeps what was read of a few journals, and no more", () => {
    const kept = new Map<string, Read>();
    for (let index = 0; index < 20; index += 1) {
      const path = join(directory, `${index}`);
      writeFileSync(path, "");
      append(path, { key: "k", there: true });
      expect(toArray(openJournal(kept, path))).toEqual([{ key: "k", there: true }]);
    }
    expect(kept.size).toBeLessThanOrEqual(4);
  });
});
