/** The losses that a move reports. */
import { expect, it } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { lostOnTheWay } from "../../../../src/core/operations/kept.js";
import type { CopyRequest, Place } from "../../../../src/core/operations/types.js";
import type { Ref } from "../../../../src/core/ref.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { ObjectInfo } from "../../../../src/core/storage/storage.js";

const here = {};
const elsewhere = {};
const there: Ref = { type: "object", alias: "t", bucket: "b", key: "new" };

function place(client: object, getTags: () => Promise<Record<string, string>> = async () => ({})) {
  const storage = { client, bucket: "b", getTags } as unknown as BucketStorage;
  return { type: "bucket", alias: "t", storage, key: "k" } satisfies Place;
}

const request = (target: Place, more: Partial<CopyRequest> = {}): CopyRequest => ({
  sources: [place(here)],
  target,
  ...more,
});

const info = (more: Partial<ObjectInfo> = {}): ObjectInfo => ({
  type: "object",
  key: "k",
  size: 1,
  checksums: {},
  ...more,
});

const FULL = info({
  contentType: "text/plain",
  cacheControl: "no-store",
  metadata: { owner: "me" },
  storageClass: "GLACIER_IR",
});

it("is nothing where the target has all of it", async () => {
  const kept = { info: FULL, tags: { a: "1" } };
  const target = place(elsewhere, async () => ({ a: "1", more: "x" }));
  expect(await lostOnTheWay(request(target), kept, FULL, there)).toEqual([]);
});

it("names each thing that the target lacks or has otherwise", async () => {
  const kept = { info: FULL, tags: { a: "1" } };
  const written = info({ contentType: "text/plain", metadata: { owner: "you" } });
  const target = place(elsewhere, async () => ({ a: "2" }));
  expect(await lostOnTheWay(request(target), kept, written, there)).toEqual([
    "headers",
    "metadata",
    "storage class GLACIER_IR",
    "tags",
  ]);
});

it("leaves out what the request wanted otherwise", async () => {
  const asked = {
    contentType: "text/html",
    cacheControl: "no-cache",
    metadata: { owner: "you" },
    storageClass: "STANDARD",
  };
  const kept = { info: FULL };
  expect(await lostOnTheWay(request(place(here), asked), kept, info(asked), there)).toEqual([]);
});

it("asks for tags only where pail itself carried them", async () => {
  const refuses = () => Promise.reject(new AppError({ kind: "bug", code: "Asked", message: "no" }));
  const plain = { info: info(), tags: {} };
  expect(await lostOnTheWay(request(place(here, refuses)), plain, info(), there)).toEqual([]);
  expect(await lostOnTheWay(request(place(elsewhere, refuses)), plain, info(), there)).toEqual([]);
});

it("counts tags as lost where they cannot be read, at either end, but not when interrupted", async () => {
  const failing = (kind: AppError["kind"]) =>
    place(elsewhere, () => Promise.reject(new AppError({ kind, code: "No", message: "no" })));
  const unknown = { info: info(), tags: undefined };
  const tagged = { info: info(), tags: { a: "1" } };
  expect(await lostOnTheWay(request(place(elsewhere)), unknown, info(), there)).toEqual(["tags"]);
  expect(await lostOnTheWay(request(failing("denied")), tagged, info(), there)).toEqual(["tags"]);
  await expect(
    lostOnTheWay(request(failing("interrupted")), tagged, info(), there),
  ).rejects.toMatchObject({ kind: "interrupted" });
});

it("is a file's metadata, but for the time, which the file itself has", async () => {
  const file = request({ type: "path", path: "out" });
  const ref: Ref = { type: "file", path: "out" };
  const own = { info: info({ metadata: { owner: "me", mtime: "1700000000" } }) };
  const timed = { info: info({ metadata: { mtime: "1700000000" } }) };
  expect(await lostOnTheWay(file, own, undefined, ref)).toEqual(["metadata"]);
  expect(await lostOnTheWay(file, timed, undefined, ref)).toEqual([]);
});
