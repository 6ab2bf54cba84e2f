/** Plans of copies and moves: what goes where under which name, and what is refused before. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { planCopy, targetRef } from "../../../../src/core/operations/plan.js";
import type { CopyRequest, Place } from "../../../../src/core/operations/types.js";
import { nameOf } from "../../../../src/core/ref.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { clientFor } from "../../../support/client.js";

let bucket: TestBucket;
let twin: Place;
beforeAll(async () => {
  bucket = await startBucket();
  for (const key of ["a/x", "a/y/z", "b/x", "c"]) await bucket.put(key, key);
  bucket.file("tree/one", "1");
  bucket.file("tree/deep/two", "2");
  bucket.file("other/one", "1");
  const credentials = await bucket.store.keys.first();
  const client = clientFor({ handler: bucket.store.handler, credentials });
  twin = { type: "bucket", alias: "twin", storage: openBucket(client, "bucket"), key: "t/" };
});
afterAll(() => bucket.close());

const path = (...names: string[]): Place => ({
  type: "path",
  path: join(bucket.directory, ...names),
});
const stream: Place = {
  type: "stdio",
  stream: (async function* () {
    yield await Promise.resolve(Buffer.from("x"));
  })(),
};

async function plan(
  sources: readonly Place[],
  target: Place,
  more: Partial<CopyRequest> = {},
  moves = false,
) {
  const request = { sources, target, ...more };
  const { actions, container } = await planCopy(request, moves, new AbortController().signal);
  const found: string[] = [];
  for await (const page of actions) {
    for (const { do: action, source, target: to } of page) {
      const name = nameOf(to).replace(`${bucket.directory}/`, "");
      found.push(`${action} ${source.type === "broken" ? source.error.code : name}`);
    }
  }
  return { container, found };
}

describe("a plan", () => {
  it("says for each thing which way it goes", async () => {
    expect((await plan([path("tree", "one")], bucket.at("k"))).found).toEqual([
      "upload local/bucket/k",
    ]);
    expect((await plan([bucket.at("c")], path("out"))).found).toEqual(["download out"]);
    expect((await plan([bucket.at("c")], bucket.at("d"))).found).toEqual(["copy local/bucket/d"]);
    expect((await plan([bucket.at("c")], twin)).found).toEqual(["relay twin/bucket/t/c"]);
    expect((await plan([stream], bucket.at("k"))).found).toEqual(["upload local/bucket/k"]);
  });

  it("names things below a target that takes names, and one thing as the target says", async () => {
    mkdirSync(join(bucket.directory, "into"), { recursive: true });
    for (const target of [path("into"), path("into", "/")]) {
      expect(await plan([bucket.at("a/x")], target)).toEqual({
        container: true,
        found: ["download into/x"],
      });
    }
    expect(await plan([bucket.at("a/x")], bucket.at("a/y/"), { exact: true })).toEqual({
      container: false,
      found: ["copy local/bucket/a/y/"],
    });
    expect((await plan([bucket.at("a")], bucket.at("e"), { recursive: true })).found).toEqual([
      "copy local/bucket/e/a/x",
      "copy local/bucket/e/a/y/z",
    ]);
    expect((await plan([path("tree/")], bucket.at("e"), { recursive: true })).found).toEqual([
      "upload local/bucket/e/deep/two",
      "upload local/bucket/e/one",
    ]);
  });

  it("names a source that is not there and goes on, unless it is the only one", async () => {
    const gone = bucket.at("gone/");
    const asked = { recursive: true };
    expect((await plan([gone, bucket.at("b/")], path("into/"), asked)).found).toEqual([
      "download NoSuchKey",
      "download into/x",
    ]);
    await expect(plan([gone], path("into/"), asked)).rejects.toMatchObject({ code: "NoSuchKey" });
  });
});

describe("a request is refused before anything is done", () => {
  const refused = async (code: string, ...args: Parameters<typeof plan>) =>
    expect(plan(...args)).rejects.toMatchObject({ kind: "usage", code });

  it("when no end is in a bucket, or stdin or stdout would need a name", async () => {
    await refused("LocalCopy", [path("tree", "one")], path("out"));
    await refused("LocalCopy", [bucket.at("c"), path("tree", "one")], path("into"));
    await refused("NameMissing", [stream], bucket.at(""));
    await refused("RecursiveToStdout", [bucket.at("a")], stream, { recursive: true });
  });

  it("when two sources would become one target, however deep", async () => {
    const twice = [path("tree/"), path("other/")];
    await expect(plan(twice, bucket.at("e"), { recursive: true })).rejects.toMatchObject({
      code: "SameName",
    });
    await expect(plan([bucket.at("a/x"), bucket.at("b/x")], path("into"))).rejects.toMatchObject({
      code: "SameName",
    });
  });

  it("when a move would end where it began", async () => {
    await expect(plan([bucket.at("c")], bucket.at("c"), {}, true)).rejects.toMatchObject({
      code: "SameObject",
    });
    await expect(
      plan([{ ...twin, key: "c" } as Place], bucket.at("c"), {}, true),
    ).rejects.toMatchObject({ code: "SameObject" });
    await expect(
      plan([bucket.at("a")], bucket.at("a"), { recursive: true }, true),
    ).rejects.toMatchObject({ code: "CopyIntoItself" });
  });
});

describe("a target's name", () => {
  it("is the stream, the path or the key, with a number beside it", () => {
    const names = [bucket.at("d/"), path("d"), stream].map((target) =>
      nameOf(targetRef(target, true, "n.txt", 2)).replace(bucket.directory, ""),
    );
    expect(names).toEqual(["local/bucket/d/n (2).txt", "/d/n (2).txt", "-"]);
  });
});
