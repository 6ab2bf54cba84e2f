/** Sources as a person gives them. */
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { address } from "../../../../src/core/operations/address.js";
import { expandSources, refOf } from "../../../../src/core/operations/sources.js";
import type { CopyRequest, Place } from "../../../../src/core/operations/types.js";
import { nameOf } from "../../../../src/core/ref.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
  for (const key of ["p/a", "p/b/c", "p.txt", "pq/d"]) await bucket.put(key, key);
  bucket.file("tree/one", "1");
  bucket.file("away/two", "22");
  symlinkSync(join(bucket.directory, "away"), join(bucket.directory, "tree", "link"));
  execFileSync("mkfifo", [join(bucket.directory, "fifo")]);
});
afterAll(() => bucket.close());

const path = (name: string): Place => ({ type: "path", path: `${bucket.directory}/${name}` });

async function expand(sources: readonly Place[], more: Partial<CopyRequest> = {}, moves = false) {
  const request = { sources, target: bucket.at("to/"), recursive: true, ...more };
  const found: string[] = [];
  for await (const page of expandSources(request, moves, new AbortController().signal)) {
    for (const each of page) {
      found.push(each.type === "broken" ? each.error.code : `${each.type} ${each.name}`);
    }
  }
  return found;
}

it("takes a prefix with its last name, or without when it ends with a slash; never a neighbor", async () => {
  expect(await expand([bucket.at("p")])).toEqual(["object p/a", "object p/b/c"]);
  expect(await expand([bucket.at("p/")])).toEqual(["object a", "object b/c"]);
  expect(await expand([{ ...bucket.at("p/"), keeps: "whole/" }])).toEqual([
    "object whole/a",
    "object whole/b/c",
  ]);
});

it("pins each object to the state that the listing showed", async () => {
  const request = { sources: [bucket.at("p/")], target: path("out"), recursive: true };
  for await (const page of expandSources(request, false, new AbortController().signal)) {
    for (const { ref } of page) {
      const { etag } = await bucket.storage.stat((ref as { key: string }).key);
      expect(ref).toMatchObject({ type: "object", alias: "local", bucket: "bucket", etag });
    }
  }
});

it("follows a link to a directory in a copy, and not in a move, which would empty it", async () => {
  expect(await expand([path("tree/")])).toEqual(["file link/two", "file one"]);
  expect(await expand([path("tree/")], {}, true)).toEqual(["LinkedDirectory", "file one"]);
});

it("refuses an only source that cannot be copied, and names one among several", async () => {
  const single = { recursive: false };
  await expect(expand([bucket.at("")], single)).rejects.toMatchObject({ code: "IsBucket" });
  await expect(expand([path("fifo")], single)).rejects.toMatchObject({ kind: "usage" });
  await expect(expand([bucket.at("none/")])).rejects.toMatchObject({ kind: "not-found" });
  expect(await expand([bucket.at("none/"), path("fifo"), path("tree/one")])).toEqual([
    "NoSuchKey",
    expect.any(String),
    "file one",
  ]);
});

it("takes the matches of a pattern, and reports when these are only prefixes", async () => {
  const place = async (glob: string): Promise<Place> => {
    const read = await address(bucket.storage, glob, { reading: "pattern" });
    return { ...bucket.at(""), ...read };
  };
  const single = { recursive: false };
  expect(await expand([await place("p*")], single)).toEqual(["object p.txt"]);
  expect(await expand([await place("p/*")])).toEqual(["object a", "object b/c"]);
  const onlyPrefixes = expand([await place("p*q*")], single);
  await expect(onlyPrefixes).rejects.toMatchObject({ hint: expect.stringContaining("-r") });
});

it("counts an empty bucket as empty, not as missing", async () => {
  const storage = await bucket.sibling("empty");
  expect(await expand([{ ...bucket.at(""), storage }])).toEqual([]);
});

it("names a place by its ref", () => {
  const { storage } = bucket;
  const place = { type: "bucket", alias: "a", storage, key: "k/*", versionId: "v" } as const;
  expect(refOf(place)).toMatchObject({ bucket: "bucket", key: "k/*", versionId: "v" });
  expect(nameOf(refOf(path("x")))).toBe(`${bucket.directory}/x`);
});
