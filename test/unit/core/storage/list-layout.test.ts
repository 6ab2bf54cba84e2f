import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareKeys } from "../../../../src/core/storage/key-order.js";
import { scanListing as scan } from "../../../../src/core/storage/list-scanner.js";
import { isOrdered } from "../../../../src/core/storage/run.js";
import type { ObjectEntry } from "../../../../src/core/storage/storage.js";
import { escapeXml } from "../../../../src/protocol/xml.js";

type Written = Required<Pick<ObjectEntry, "key" | "size" | "etag" | "storageClass">> & {
  readonly lastModified: number;
};

/** How one service writes an object. */
const layouts: Readonly<Record<string, (object: Written, key: string) => string>> = {
  "as AWS": (object, key) =>
    `<Contents><Key>${key}</Key><LastModified>${iso(object)}</LastModified><ETag>&quot;${object.etag}&quot;</ETag><Size>${object.size}</Size><StorageClass>${object.storageClass}</StorageClass></Contents>`,
  "with an owner first, quotes and white space": (object, key) => `
    <Contents>
      <Key>${key}</Key>
      <Owner><ID>a.b*c</ID><DisplayName>\u00fc${object.size}</DisplayName><Size>5</Size></Owner>
      <Size>${object.size}</Size><ETag>"${object.etag}"</ETag>
      <LastModified>${iso(object)}</LastModified>
      <StorageClass>${object.storageClass}</StorageClass>
    </Contents>`,
  "with an owner that is empty": (object, key) =>
    `<Contents><Key>${key}</Key><Owner/>
      <ETag>${object.etag}</ETag><Size>${object.size}</Size><LastModified>${iso(object)}</LastModified><StorageClass>${object.storageClass}</StorageClass></Contents>`,
  "with the key last": (object, key) =>
    `<Contents><Size>${object.size}</Size><ETag>&quot;${object.etag}&quot;</ETag><LastModified>${iso(object)}</LastModified><StorageClass>${object.storageClass}</StorageClass><Key>${key}</Key></Contents>`,
  "with a namespace": (object, key) =>
    `<a:Contents><a:Key>${key}</a:Key><a:Size>${object.size}</a:Size><a:ETag>&quot;${object.etag}&quot;</a:ETag><a:LastModified>${iso(object)}</a:LastModified><a:StorageClass>${object.storageClass}</a:StorageClass></a:Contents>`,
};

const iso = ({ lastModified }: Written) => new Date(lastModified).toISOString();

const object = fc.record({
  key: fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  size: fc.oneof(fc.nat(9), fc.maxSafeNat()),
  etag: fc.stringMatching(/^[0-9a-f]{0,8}(?:-[1-9])?$/),
  storageClass: fc.constantFrom("STANDARD", "GLACIER", "a+b%41", "k\u00fchl"),
  lastModified: fc.integer({ min: 0, max: 4e12 }),
});

/** Memory that is not given back twice, and is overwritten once it is given back. */
function scanListing(text: string) {
  const bytes = Buffer.from(text);
  let given = false;
  const giveBack = () => {
    if (given) throw new Error("given back twice");
    given = true;
    bytes.fill("x");
  };
  return { ...scan({ bytes, giveBack }, "ListBucketResult"), isGivenBack: () => given };
}

const asListed = (one: Written): ObjectEntry => ({ type: "object", ...one });

describe("a listing's objects", () => {
  const written = fc.array(fc.tuple(object, fc.constantFrom(...Object.keys(layouts))));
  const page = fc.oneof(
    written,
    // Mostly, a page has one layout.
    fc
      .tuple(fc.array(object), fc.constantFrom(...Object.keys(layouts)))
      .map(([objects, name]) => objects.map((one): [Written, string] => [one, name])),
  );

  it("are read the same however they are written, and whatever was read before", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(page, fc.boolean()), { maxLength: 4 }), (pages) => {
        for (const [objects, encoded] of pages) {
          const write = encoded ? encodeURIComponent : escapeXml;
          const contents = objects.map(([one, name]) => layouts[name]!(one, write(one.key)));
          const { objects: run, isGivenBack } = scanListing(
            `<ListBucketResult>${contents.join("")}<EncodingType>${encoded ? "url" : ""}</EncodingType></ListBucketResult>`,
          );
          const expected = objects.map(([one]) => asListed(one));
          expect(Array.from(objects, (_, i) => run.keyAt(i))).toEqual(
            expected.map((one) => one.key),
          );
          const [some, more] = [run.slice(1, 3), run.slice(2)];
          expect(run.entries()).toEqual(expected);
          expect(some.entries()).toEqual(expected.slice(1, 3));
          more.drop();
          expect(isGivenBack()).toBe(true);
        }
      }),
    );
  });

  it.each(Object.entries(layouts))("are in order when their keys are: %s", (_, write) => {
    const unit = fc.constantFrom("a", "b", "\u{10000}", "\ue000", "\ufffd", "é", "<", "&", " ");
    const key = fc.string({ unit, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(key),
        key,
        fc.boolean(),
        fc.boolean(),
        (keys, after, sorted, encoded) => {
          const listed = sorted ? [...new Set(keys)].toSorted(compareKeys) : keys;
          const base = { size: 1, etag: "e", storageClass: "STANDARD", lastModified: 0 };
          const text = listed.map((one) =>
            write({ ...base, key: one }, encoded ? encodeURIComponent(one) : escapeXml(one)),
          );
          const { objects: run } = scanListing(
            `<ListBucketResult><EncodingType>${encoded ? "url" : ""}</EncodingType>${text.join("")}</ListBucketResult>`,
          );
          const isAfter = (one: string, i: number) => {
            const before = i === 0 ? after : listed[i - 1]!;
            // The empty key is after no key, and so is the start of a listing.
            return compareKeys(before, one) < 0 || (i === 0 && one === "" && after === "");
          };
          expect(isOrdered(run, after)).toBe(listed.every(isAfter));
        },
      ),
    );
  });

  it("are no longer there once they are taken", () => {
    const base = { size: 1, etag: "e", storageClass: "STANDARD", lastModified: 0 };
    const text = layouts["as AWS"]!({ ...base, key: "a" }, "a");
    const listing = `<ListBucketResult>${text}${text}</ListBucketResult>`;
    scanListing(listing).objects.entries();
    const { objects } = scanListing(listing);
    objects.entries();
    expect(() => objects.entries()).toThrow("taken");
    expect(() => objects.keyAt(0)).toThrow("taken");
  });

  it("are not looked for in comments, nor below other elements", () => {
    const base = { size: 1, etag: "e", storageClass: "STANDARD", lastModified: 0 };
    const text = layouts["as AWS"]!({ ...base, key: "a" }, "a");
    const keys = (listing: string) =>
      scanListing(`<ListBucketResult>${listing}</ListBucketResult>`)
        .objects.entries()
        .map(({ key }) => key);
    expect(keys(text)).toEqual(["a"]);
    expect(keys(`<!-- ${text} -->`)).toEqual([]);
    expect(keys(`<Other>${text}</Other>`)).toEqual([]);
    expect(keys(`${text}<!-- ${text} -->${text}`)).toEqual(["a", "a"]);
  });
});
