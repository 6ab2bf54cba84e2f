import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { find, type FindOptions, type FindQuery } from "../../../../src/core/operations/find.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
  for (const key of ["a.txt", "logs/1.log", "logs/2025/1.log", "logs/2025/big.LOG", "logsx"]) {
    await bucket.put(key, key.includes("big") ? "x".repeat(2000) : "x");
  }
  await bucket.storage.setTags("a.txt", { stage: "raw", owner: "me" });
  await bucket.storage.setTags("logsx", { stage: "raw" });
});
afterAll(() => bucket.close());

async function found(key: string, query: FindQuery, options: FindOptions = {}): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of find(bucket.storage, key, query, options)) {
    keys.push(...page.map((entry) => entry.key));
  }
  return keys;
}

describe("find", () => {
  it.each<[string, FindQuery, string[]]>([
    ["", { names: ["*.log", "*.txt"] }, ["a.txt", "logs/1.log", "logs/2025/1.log"]],
    ["logs", { names: ["1.log"] }, ["logs/1.log", "logs/2025/1.log"]],
    ["logs", { paths: ["1.log"] }, ["logs/1.log"]],
    ["", { paths: ["logs/**/1.log"] }, ["logs/1.log", "logs/2025/1.log"]],
    ["", { regex: /^LOGS.*\d\.log$/i }, ["logs/1.log", "logs/2025/1.log"]],
    ["", { minSize: 2000 }, ["logs/2025/big.LOG"]],
    ["logs", { maxSize: 1 }, ["logs/1.log", "logs/2025/1.log"]],
    ["", { maxDepth: 1 }, ["a.txt", "logsx"]],
    ["", { maxDepth: 2 }, ["a.txt", "logs/1.log", "logsx"]],
    ["logs/", { maxDepth: 1 }, ["logs/1.log"]],
    ["logs/1.log", { maxDepth: 1 }, ["logs/1.log"]],
    ["", { storageClasses: ["GLACIER"] }, []],
    ["", { storageClasses: ["STANDARD"], names: ["a*"] }, ["a.txt"]],
    ["", { newerThan: Date.now() + 60_000 }, []],
    ["", { olderThan: Date.now() + 60_000, names: ["a*"] }, ["a.txt"]],
    ["", { tags: { stage: "raw" } }, ["a.txt", "logsx"]],
    ["", { tags: { stage: "raw", owner: "me" } }, ["a.txt"]],
  ])("below %j, %j finds %j", async (key, query, keys) => {
    expect(await found(key, query)).toEqual(keys);
  });

  it("finds removed objects and older versions where they are kept", async () => {
    const storage = await bucket.sibling("versions");
    await storage.client.request({
      method: "PUT",
      bucket: "versions",
      query: { versioning: "" },
      body: Buffer.from(
        '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>',
      ),
    });
    for (const key of ["gone", "back", "there"]) await storage.write(key, Buffer.from("1"));
    await storage.remove([{ key: "gone" }, { key: "back" }]);
    await storage.write("back", Buffer.from("2"));
    const list = async (options: FindOptions) => {
      const keys: string[] = [];
      for await (const page of find(storage, "", {}, options)) {
        keys.push(...page.map(({ key, isDeleteMarker }) => (isDeleteMarker ? `-${key}` : key)));
      }
      return keys;
    };
    expect(await list({ deleted: true })).toEqual(["-gone"]);
    expect(await list({ versions: true })).toEqual([
      "back",
      "-back",
      "back",
      "-gone",
      "gone",
      "there",
    ]);
    expect(await list({})).toEqual(["back", "there"]);
  });

  it("says when there is nothing to look below", async () => {
    await expect(found("none", {})).rejects.toMatchObject({ code: "NoSuchKey" });
  });
});
