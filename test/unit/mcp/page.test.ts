import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { BucketStorage } from "../../../src/core/storage/s3-types.js";
import type { Entry, ListOptions } from "../../../src/core/storage/storage.js";
import { decodeCursor, encodeCursor } from "../../../src/mcp/cursor.js";
import { collectPage } from "../../../src/mcp/page.js";

const signal = new AbortController().signal;

/** A listing over fixed entries, in pages as small as the service likes. */
function storageOf(entries: readonly Entry[], servicePage: number): Pick<BucketStorage, "list"> {
  return {
    async *list({ startAfter = "" }: ListOptions = {}) {
      const rest = entries.filter(({ key }) => key > startAfter);
      for (let at = 0; at < rest.length; at += servicePage) yield rest.slice(at, at + servicePage);
    },
  };
}

async function allPages(storage: Pick<BucketStorage, "list">, max: number): Promise<Entry[][]> {
  const pages: Entry[][] = [];
  let cursor: string | undefined;
  do {
    const page = await collectPage(storage as BucketStorage, {}, max, cursor, signal);
    pages.push([...page.entries]);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

const object = (key: string, versionId?: string): Entry => ({
  type: "object",
  key,
  size: 1,
  versionId,
});

describe("collectPage", () => {
  it("shows every entry once and in order, whatever the page sizes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[a-e/]{1,4}$/)),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (keys, servicePage, max) => {
          const entries = keys.sort().map((key) => object(key));
          const pages = await allPages(storageOf(entries, servicePage), max);
          expect(pages.flat()).toEqual(entries);
          expect(pages.every((page) => page.length <= max)).toBe(true);
        },
      ),
    );
  });

  it("may break a page among the versions of a key, and goes on there", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        async (counts, max) => {
          const entries = counts.flatMap((count, at) =>
            Array.from({ length: count }, (_, version) => object(`k${at}`, `v${version}`)),
          );
          const pages = await allPages(storageOf(entries, 3), max);
          expect(pages.flat()).toEqual(entries);
        },
      ),
    );
  });

  it("gives no cursor when the listing ends with the page", async () => {
    const page = await collectPage(
      storageOf([object("a")], 9) as BucketStorage,
      {},
      1,
      undefined,
      signal,
    );
    expect(page.cursor).toBeUndefined();
  });

  it("ends a page early when its keys are long", async () => {
    const entries = Array.from({ length: 1000 }, (_, at) =>
      object(`${"\u0001".repeat(1000)}${String(at).padStart(4, "0")}`),
    );
    const pages = await allPages(storageOf(entries, 1000), 1000);
    expect(pages.flat()).toEqual(entries);
    expect(pages.length).toBeGreaterThan(5);
  });
});

describe("cursors", () => {
  it("are read back as they were given", () => {
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), fc.nat(), (after, skip) => {
        expect(decodeCursor(encodeCursor({ after, skip }))).toEqual({ after, skip });
      }),
    );
  });

  it.each(["nonsense", "e30", Buffer.from('["a",-1]').toString("base64url"), "\u0000", "[]"])(
    "that pail did not make (%j) are refused",
    (text) => {
      expect(() => decodeCursor(text)).toThrow(expect.objectContaining({ code: "InvalidCursor" }));
    },
  );
});
