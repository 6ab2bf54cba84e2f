import { expect, test } from "vitest";

import { entryLines, entryRecord, numbered, versionLines } from "../../../src/cli/list-lines.js";
import type { ObjectEntry } from "../../../src/core/storage/storage.js";

const at = Date.UTC(2025, 0, 2, 3, 4, 5);
const object = (key: string, more: Partial<ObjectEntry> = {}): ObjectEntry => ({
  type: "object",
  key,
  size: 39_936,
  lastModified: at,
  storageClass: "STANDARD",
  ...more,
});

test("a name is relative to the listed prefix; only a special storage class is shown", () => {
  const line = entryLines(at);
  expect(line(object("a/b.txt"), "a/")).toMatch(/^\[.{19} \S+\] {2}39KiB b\.txt$/);
  expect(line(object("b", { storageClass: "GLACIER" }), "")).toMatch(/\] {2}39KiB GLACIER b$/);
  expect(line({ type: "prefix", key: "a/c/" }, "a/")).toMatch(/^\[.{19} \S+\] {5}0B c\/$/);
});

test("an object whose key is the listed prefix keeps its last segment", () => {
  expect(entryLines(at)(object("a/dir/"), "a/dir/")).toMatch(/ dir\/$/);
});

test("versions are numbered from the oldest, a key at a time, across pages", async () => {
  const pages = [
    { base: "", entries: [object("a", { versionId: "3" }), object("a", { versionId: "2" })] },
    { base: "", entries: [object("a", { versionId: "1" }), object("b", { versionId: "9" })] },
  ];
  async function* list() {
    yield* pages;
  }
  const lines: string[] = [];
  const line = versionLines(at);
  for await (const page of numbered(list())) {
    for (const { entry, ordinal, base } of page)
      lines.push(line(entry as ObjectEntry, ordinal, base));
  }
  expect(lines.map((text) => text.slice(text.indexOf("KiB") + 4))).toEqual([
    "3 v3 PUT a",
    "2 v2 PUT a",
    "1 v1 PUT a",
    "9 v1 PUT b",
  ]);
});

test("a record has the exact key and an ISO time", () => {
  expect(entryRecord(object("a\n"), "local/b")).toEqual({
    type: "object",
    location: "local/b/a\n",
    key: "a\n",
    size: 39_936,
    storageClass: "STANDARD",
    lastModified: "2025-01-02T03:04:05.000Z",
  });
});
