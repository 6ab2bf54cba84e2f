import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListPage, ListQuery, ObjectRecord } from "../../../../src/store/records.js";
import type { Backend } from "../../../../src/store/disk/index.js";
import { openDisk } from "../../../../src/store/disk/index.js";
import { anyKey } from "./keys.js";
import { freshDirectory, freshDisk, put } from "./support.js";
import { cases } from "../../../support/cases.js";

interface Listed {
  readonly entries: readonly string[];
  readonly commonPrefixes: readonly string[];
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A listing as S3 defines it, over all keys at once. */
function model(keys: readonly string[], { prefix, delimiter, after }: ListQuery): Listed {
  const entries: string[] = [];
  const groups = new Set<string>();
  for (const key of [...keys].sort(byBytes)) {
    if (!key.startsWith(prefix)) continue;
    const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const shown = at < 0 ? key : key.slice(0, at + delimiter.length);
    if (after !== undefined && byBytes(shown, after.key) <= 0) continue;
    if (at < 0) entries.push(key);
    else groups.add(shown);
  }
  return { entries, commonPrefixes: [...groups] };
}

async function allPages(
  page: (query: ListQuery) => Promise<ListPage<ObjectRecord>>,
  query: ListQuery,
): Promise<{ entries: ObjectRecord[]; commonPrefixes: string[]; pages: number }> {
  const all = { entries: [] as ObjectRecord[], commonPrefixes: [] as string[], pages: 0 };
  let { after } = query;
  do {
    const { entries, commonPrefixes, next } = await page({ ...query, after });
    const count = entries.length + commonPrefixes.length;
    // A page is full unless it is the last, and the last is not empty unless it is the only one.
    expect(count === query.limit || next === undefined).toBe(true);
    expect(count > 0 || all.pages === 0).toBe(true);
    all.entries.push(...entries);
    all.commonPrefixes.push(...commonPrefixes);
    all.pages += 1;
    after = next;
  } while (after !== undefined);
  return all;
}

const fragment = fc.oneof(
  anyKey.chain((key) => fc.nat(4).map((length) => Array.from(key).slice(0, length).join(""))),
  fc.constantFrom("", "/", "a", "a/", "//", "x".repeat(80), "x".repeat(79), "é", "😀"),
);

let buckets = 0;
async function filled(disk: Backend, keys: Iterable<string>): Promise<string> {
  const bucket = `bucket-${(buckets += 1)}`;
  await disk.createBucket(bucket, "us-east-1");
  for (const key of keys) {
    const blob = await disk.stage(noBytes());
    await disk.putObject(bucket, key, blob, {
      headers: {},
      metadata: {},
      storageClass: "STANDARD",
      tags: {},
      etag: key,
    });
  }
  return bucket;
}
// eslint-disable-next-line no-empty-function
async function* noBytes(): AsyncGenerator<Uint8Array> {}

describe("listing objects", () => {
  it("agrees with the definition, page by page, for any keys, prefix, delimiter and start", async () => {
    const disk = openDisk(await freshDirectory());
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyKey, { maxLength: 12 }),
        fc.array(
          fc.record({
            prefix: fragment,
            delimiter: fragment,
            after: fc.option(
              fc.oneof(anyKey, fragment).map((key) => ({ key })),
              { nil: undefined },
            ),
            limit: fc.integer({ min: 1, max: 5 }),
          }),
          { minLength: 4, maxLength: 8 },
        ),
        async (keys, queries) => {
          const bucket = await filled(disk, keys);
          const fromKeys = keys.map((key) => ({
            prefix: "",
            delimiter: "/",
            after: { key },
            limit: 3,
          }));
          for (const query of [...queries, ...fromKeys]) {
            const got = await allPages((at) => disk.listObjects(bucket, at), query);
            expect({
              entries: got.entries.map(({ key }) => key),
              commonPrefixes: got.commonPrefixes,
            }).toEqual(model(keys, query));
            expect(got.entries.map(({ etag }) => etag)).toEqual(got.entries.map(({ key }) => key));
          }
        },
      ),
      cases(40),
    );
  });

  it("orders by UTF-8 bytes where JavaScript would not", async () => {
    const { disk } = await freshDisk();
    const keys = ["\uffff", "\u{10000}", "a", "Z", "\ue000"];
    for (const key of keys) await put(disk, key, "");
    const { entries } = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 10 });
    expect(entries.map(({ key }) => key)).toEqual(["Z", "a", "\ue000", "\uffff", "\u{10000}"]);
  });

  it("counts common prefixes in the limit, and does not repeat one after its marker", async () => {
    const { disk } = await freshDisk();
    for (const key of ["a/1", "a/2", "b", "c/1"]) await put(disk, key, "");
    const first = await disk.listObjects("b", { prefix: "", delimiter: "/", limit: 1 });
    expect(first).toMatchObject({ entries: [], commonPrefixes: ["a/"], next: { key: "a/" } });
    const second = await disk.listObjects("b", {
      prefix: "",
      delimiter: "/",
      limit: 2,
      after: first.next,
    });
    expect(second.entries.map(({ key }) => key)).toEqual(["b"]);
    expect(second.commonPrefixes).toEqual(["c/"]);
    expect(second.next).toBeUndefined();
  });

  it("answers a limit of 0 with no keys, and a missing bucket with NoSuchBucket", async () => {
    const { disk } = await freshDisk();
    await put(disk, "a", "");
    const none = await disk.listObjects("b", { prefix: "", delimiter: "", limit: 0 });
    expect(none).toEqual({ entries: [], commonPrefixes: [], next: undefined });
    await expect(
      disk.listObjects("nope", { prefix: "", delimiter: "", limit: 0 }),
    ).rejects.toMatchObject({ code: "NoSuchBucket" });
  });

  it("does not show keys, or prefixes of keys, whose latest version is a delete marker", async () => {
    const { disk } = await freshDisk("Enabled");
    for (const key of ["a/1", "a/2", "b/1", "c", "d"]) await put(disk, key, "x");
    for (const key of ["a/1", "a/2", "c"]) await disk.deleteObject("b", key);
    const page = await disk.listObjects("b", { prefix: "", delimiter: "/", limit: 10 });
    expect(page.commonPrefixes).toEqual(["b/"]);
    expect(page.entries.map(({ key }) => key)).toEqual(["d"]);
    const versions = await disk.listVersions("b", { prefix: "", delimiter: "/", limit: 10 });
    expect(versions.commonPrefixes).toEqual(["a/", "b/"]);
    expect(versions.entries.map(({ key, deleteMarker }) => [key, deleteMarker])).toEqual([
      ["c", true],
      ["c", false],
      ["d", false],
    ]);
  });

  it("sees at once the changes of another process in a large directory it has listed before", async () => {
    const { disk, directory } = await freshDisk();
    const other = openDisk(directory);
    const keys = Array.from({ length: 600 }, (_, index) => `k${String(index).padStart(4, "0")}`);
    await Promise.all(keys.map((key) => put(disk, key, "")));
    const list = async (): Promise<string[]> =>
      (await disk.listObjects("b", { prefix: "", delimiter: "", limit: 1000 })).entries.map(
        ({ key }) => key,
      );
    expect(await list()).toEqual(keys);
    await put(other, "k0000x", "");
    await other.deleteObject("b", "k0599");
    expect(await list()).toEqual(["k0000", "k0000x", ...keys.slice(1, -1)]);
  });
});

describe("listing versions", () => {
  it("lists all versions newest first, from any marker, also one that is gone", async () => {
    const { disk } = await freshDisk();
    await put(disk, "a", "null version");
    await disk.updateBucket("b", { versioning: "Enabled" });
    for (const key of ["a", "b"]) {
      for (const body of ["1", "2", "3"]) await put(disk, key, body);
    }
    await disk.deleteObject("b", "a");
    const query = { prefix: "", delimiter: "", limit: 2 };
    const all = await allPages((at) => disk.listVersions("b", at), query);
    expect(all.pages).toBe(4);
    const ids = all.entries.map(({ key, versionId }) => `${key} ${versionId}`);
    expect(
      all.entries.map(({ key, isLatest, deleteMarker }) => [key, isLatest, deleteMarker]),
    ).toEqual([
      ["a", true, true],
      ["a", false, false],
      ["a", false, false],
      ["a", false, false],
      ["a", false, false],
      ["b", true, false],
      ["b", false, false],
      ["b", false, false],
    ]);
    for (const [index, { key, versionId }] of all.entries.entries()) {
      const rest = await allPages((at) => disk.listVersions("b", at), {
        ...query,
        after: { key, versionId },
      });
      expect(rest.entries.map((entry) => `${entry.key} ${entry.versionId}`)).toEqual(
        ids.slice(index + 1),
      );
      await disk.deleteObject("b", key, versionId);
      const gone = await allPages((at) => disk.listVersions("b", at), {
        ...query,
        after: { key, versionId },
      });
      expect(gone.entries.map((entry) => `${entry.key} ${entry.versionId}`)).toEqual(
        ids.slice(index + 1),
      );
    }
  });
});
