import { expect, test } from "vitest";

import {
  bucketFacts,
  objectFacts,
  objectRecord,
  versionFacts,
} from "../../../src/cli/stat-lines.js";
import type { ObjectInfo } from "../../../src/core/storage/storage.js";

const info: ObjectInfo = {
  type: "object",
  key: "d/k",
  size: 2048,
  lastModified: Date.UTC(2025, 0, 2),
  etag: "e",
  contentType: "text/plain",
  checksums: { CRC32: "AAAA" },
  checksumType: "FULL_OBJECT",
  metadata: { owner: "me" },
};
const version = { ...info, versionId: "v2", isLatest: true };
const marker = { ...info, size: 0, versionId: "v3", isDeleteMarker: true };

test("an object's facts have no line for an unknown one", () => {
  const lines = objectFacts("a/b/d/k", { info, tags: { color: "red" }, versions: undefined });
  const text = lines.join("\n");
  expect(lines[0]).toMatch(/^Name +: a\/b\/d\/k$/);
  expect(text).toMatch(/2\.0KiB \(2048 bytes\)/);
  expect(text).toMatch(/CRC32 +: AAAA \(full object\)/);
  expect(text).toMatch(/owner=me[^]*color=red/);
  expect(text).not.toMatch(/undefined|Cache|Class/);
});

test("versions are named, and a delete marker is called one", () => {
  const text = versionFacts("n", [marker, version]).join("\n");
  expect(text).toMatch(/v3[^]*v2/);
  expect(text).toMatch(/marker/i);
  expect(bucketFacts("n", { name: "b", versioning: undefined, tags: {} }).join("\n")).toContain(
    "never enabled",
  );
});

test("a record has the location that other commands take", () => {
  expect(objectRecord({ info, tags: {}, versions: undefined }, "a/b")).toMatchObject({
    key: "d/k",
    location: "a/b/d/k",
    size: 2048,
  });
});
