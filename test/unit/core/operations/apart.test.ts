import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { copy } from "../../../../src/core/operations/copy.js";
import { requireOwnTargets } from "../../../../src/core/operations/apart.js";
import type { Source } from "../../../../src/core/operations/sources.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { clientFor } from "../../../support/client.js";

const list = async function* (from: string, ...names: string[]): AsyncGenerator<Source[]> {
  for (const name of names) {
    yield [{ type: "file", name, size: 1, ref: { type: "file", path: `${from}/${name}` } }];
  }
};
const check = (...lists: AsyncIterable<Source[]>[]) =>
  requireOwnTargets(lists, (name) => `to/${name}`);

describe("the targets of several sources", () => {
  it("are apart when no two names are equal", async () => {
    await check(list("a", "1", "3", "5"), list("b", "2", "4"), list("c"));
  });

  it("collide at any depth, and both sources are named", async () => {
    await expect(check(list("a", "d/x", "e"), list("b", "c", "d/x"))).rejects.toMatchObject({
      code: "SameName",
      message: "a/d/x and b/d/x would both become to/d/x",
    });
  });

  it("do not collide where one source is named twice", async () => {
    await check(list("a", "1", "2"), list("a", "1", "2"));
  });

  it("are not decided where a listing is not in order", async () => {
    await expect(check(list("a", "2", "1"), list("b", "3"))).rejects.toMatchObject({
      code: "InvalidResponse",
    });
  });
});

describe("a copy into itself through another alias", () => {
  let bucket: TestBucket;
  beforeEach(async () => {
    bucket = await startBucket();
    await bucket.put("a/1", "one");
  });
  afterEach(() => bucket.close());

  it("is refused before anything is written, where the services show it", async () => {
    const credentials = await bucket.store.keys.first();
    const client = clientFor({ handler: bucket.store.handler, credentials });
    const twin = openBucket(client, "bucket");
    const copied = copy({
      sources: [bucket.at("a/")],
      target: { type: "bucket", alias: "twin", storage: twin, key: "a/sub/" },
      recursive: true,
    });
    await expect(copied).rejects.toMatchObject({ kind: "usage", code: "CopyIntoItself" });
    expect(await bucket.keys()).toEqual(["a/1"]);
  });

  it("is a copy to another bucket of the same name, on another service", async () => {
    const other = await startBucket();
    const { failures } = await copy({
      sources: [bucket.at("a/")],
      target: { ...other.at("a/sub/"), alias: "other" },
      recursive: true,
    });
    expect([failures, await other.keys()]).toEqual([[], ["a/sub/1"]]);
    other.close();
  });
});
