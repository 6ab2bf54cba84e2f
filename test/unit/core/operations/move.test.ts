import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { move } from "../../../../src/core/operations/move.js";
import type { BucketPlace, CopyRequest } from "../../../../src/core/operations/types.js";
import { nameOf } from "../../../../src/core/ref.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { pseudoRandom, recorder, startBucket, type TestBucket } from "../../../support/bucket.js";
import { clientFor } from "../../../support/client.js";

let bucket: TestBucket;
/** The same service under another alias. */
let twin: (name: string) => BucketStorage;
beforeEach(async () => {
  bucket = await startBucket();
  const credentials = await bucket.store.keys.first();
  const client = clientFor({ handler: bucket.store.handler, credentials });
  twin = (name) => openBucket(client, name);
});
afterEach(() => bucket.close());

const place = (storage: BucketStorage, key: string, alias = "other"): BucketPlace => ({
  type: "bucket",
  alias,
  storage,
  key,
});

/** A bucket of a second store, which has nothing to do with the first. */
async function elsewhere() {
  const other = await startBucket();
  return { other, at: (key: string) => place(other.storage, key) };
}

/** Runs `act` once, before the `nth` call of a method reaches the store. */
function meddled(
  storage: BucketStorage,
  method: keyof BucketStorage,
  act: () => Promise<unknown>,
  nth = 1,
) {
  let calls = 0;
  const original = storage[method] as (...args: unknown[]) => unknown;
  return {
    ...storage,
    [method]: async (...args: unknown[]) => {
      calls += 1;
      if (calls === nth) await act();
      return original(...args);
    },
  };
}

describe("moving objects", () => {
  it("moves one, with its metadata, tags and storage class", async () => {
    await bucket.storage.write("a.txt", Buffer.from("one"), {
      contentType: "text/x-own",
      metadata: { owner: "me" },
      tags: { color: "red" },
      storageClass: "STANDARD_IA",
    });
    const report = await move({ sources: [bucket.at("a.txt")], target: bucket.at("b.txt") });
    expect(report.failures).toEqual([]);
    expect(await bucket.keys()).toEqual(["b.txt"]);
    expect(await bucket.storage.stat("b.txt")).toMatchObject({
      contentType: "text/x-own",
      metadata: { owner: "me" },
      storageClass: "STANDARD_IA",
    });
    expect(await bucket.storage.getTags("b.txt")).toEqual({ color: "red" });
  });

  it("takes the same along to another service", async () => {
    const { other, at } = await elsewhere();
    await bucket.storage.write("a.txt", Buffer.from("one"), {
      metadata: { owner: "me" },
      tags: { color: "red" },
      storageClass: "STANDARD_IA",
    });
    const seen = recorder();
    const request = { sources: [bucket.at("a.txt")], target: at("a.txt") };
    await move({ ...request, onEvent: seen.onEvent });
    expect(seen.of("finished")[0]).toMatchObject({ lost: [], item: { moves: true } });
    expect(await bucket.keys()).toEqual([]);
    expect(await other.storage.stat("a.txt")).toMatchObject({
      metadata: { owner: "me" },
      storageClass: "STANDARD_IA",
    });
    expect(await other.storage.getTags("a.txt")).toEqual({ color: "red" });
    other.close();
  });

  it("says what the other service does not take", async () => {
    const { other } = await elsewhere();
    await bucket.storage.write("a", Buffer.from("one"), {
      tags: { color: "red" },
      storageClass: "STANDARD_IA",
    });
    const plain: BucketStorage = {
      ...other.storage,
      write: (key, body, options) => {
        if (options?.tags !== undefined) {
          return Promise.reject(notImplemented());
        }
        return other.storage.write(key, body, { ...options, storageClass: undefined });
      },
    };
    const seen = recorder();
    await move({ sources: [bucket.at("a")], target: place(plain, "a"), onEvent: seen.onEvent });
    expect(seen.of("finished")[0]?.lost).toEqual(["storage class STANDARD_IA", "tags"]);
    expect(await bucket.keys()).toEqual([]);
    expect((await other.get("a")).toString()).toBe("one");
    other.close();
  });

  it("moves everything below a prefix, markers too, and nothing else", async () => {
    for (const key of ["a/", "a/x", "a/y/z", "ab"]) await bucket.put(key, key);
    const request = { sources: [bucket.at("a/")], target: bucket.at("b/"), recursive: true };
    await move(request);
    expect(await bucket.keys()).toEqual(["ab", "b/", "b/x", "b/y/z"]);
  });

  it("keeps a name that ends with / when it is exact", async () => {
    await bucket.put("old/", "");
    await move({ sources: [bucket.at("old/")], target: bucket.at("new/"), exact: true });
    expect(await bucket.keys()).toEqual(["new/"]);
  });

  it("does nothing in a dry run", async () => {
    await bucket.put("a", "1");
    const seen = recorder();
    const request = { sources: [bucket.at("a")], target: bucket.at("b"), dryRun: true };
    await move({ ...request, onEvent: seen.onEvent });
    expect(seen.of("skipped").map(({ item }) => nameOf(item.target))).toEqual(["local/bucket/b"]);
    expect(await bucket.keys()).toEqual(["a"]);
  });

  it("leaves a delete marker in a versioned bucket, and removes a version for good", async () => {
    await bucket.storage.client.request({
      method: "PUT",
      bucket: "bucket",
      query: { versioning: "" },
      body: Buffer.from(
        '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>',
      ),
    });
    const { versionId } = await bucket.storage.write("a", Buffer.from("old"));
    await bucket.put("a", "new");
    const versions = async () => {
      const found: string[] = [];
      for await (const page of bucket.storage.list({ prefix: "a", versions: true })) {
        for (const entry of page) {
          if (entry.type === "object") found.push(entry.isDeleteMarker ? "marker" : "version");
        }
      }
      return found;
    };
    const old = { ...bucket.at("a"), versionId };
    await move({ sources: [old], target: bucket.at("b-old") });
    expect(await versions()).toEqual(["version"]);
    expect((await bucket.get("a")).toString()).toBe("new");
    await move({ sources: [bucket.at("a")], target: bucket.at("b") });
    expect(await versions()).toEqual(["marker", "version"]);
  });

  it("moves a large object to another service in parts", async () => {
    const { other, at } = await elsewhere();
    const content = pseudoRandom(11 * 1024 * 1024);
    await bucket.put("large", content);
    const partSize = 5 * 1024 * 1024;
    await move({ sources: [bucket.at("large")], target: at("large"), partSize });
    expect((await other.get("large")).equals(content)).toBe(true);
    expect(await bucket.keys()).toEqual([]);
    other.close();
  });
});

function notImplemented() {
  return new AppError({ kind: "usage", code: "NotImplemented", message: "no tags here" });
}

describe("a move onto itself", () => {
  const onto = (sources: BucketPlace, target: BucketPlace, more: Partial<CopyRequest> = {}) =>
    move({ sources: [sources], target, ...more });

  it("is refused, whatever the aliases are called", async () => {
    await bucket.put("a/x", "precious");
    const refusal = { kind: "usage", code: "SameObject" };
    const self = bucket.at("a/x");
    await expect(onto(self, bucket.at("a/x"))).rejects.toMatchObject(refusal);
    await expect(onto(self, place(twin("bucket"), "a/x"))).rejects.toMatchObject(refusal);
    // By a place that takes names, it is found out item by item.
    const report = await onto(self, place(twin("bucket"), "a/"));
    expect(report.failures).toMatchObject([{ error: { code: "SameObject" } }]);
    const whole = onto(bucket.at("a/"), place(twin("bucket"), "a/"), { recursive: true });
    await expect(whole).rejects.toMatchObject({ code: "CopyIntoItself" });
    expect((await bucket.get("a/x")).toString()).toBe("precious");
  });

  it("into itself under another alias is refused, too", async () => {
    await bucket.put("a/x", "precious");
    const moving = onto(bucket.at("a/"), place(twin("bucket"), "a/b/"), { recursive: true });
    await expect(moving).rejects.toMatchObject({ code: "CopyIntoItself" });
  });

  it("leaves no trace of having asked", async () => {
    await bucket.put("a", "precious");
    await onto(bucket.at("a"), place(twin("bucket"), "a")).catch(() => undefined);
    const uploads: string[] = [];
    for await (const page of bucket.storage.listUploads()) uploads.push(...page.map((u) => u.key));
    expect(uploads).toEqual([]);
    expect(await bucket.keys()).toEqual(["a"]);
  });

  it.each([
    ["lists no uploads", { listUploads: async function* () {} }],
    ["may not begin one", { createUpload: () => Promise.reject(notImplemented()) }],
  ])("is not risked where the other service %s", async (_how, lacks) => {
    const { other } = await elsewhere();
    await bucket.put("a", "precious");
    const blind = { ...other.storage, ...lacks } as BucketStorage;
    const moving = onto(bucket.at("a"), place(blind, "a"));
    await expect(moving).rejects.toMatchObject({ kind: "conflict", code: "IdentityUnknown" });
    expect(await bucket.keys()).toEqual(["a"]);
    expect(await other.keys()).toEqual([]);
    // Under another name it cannot be the same object.
    expect((await onto(bucket.at("a"), place(blind, "b"))).failures).toEqual([]);
    other.close();
  });

  it("does not write where it still reads", async () => {
    for (const key of ["x/f", "x/x/f"]) await bucket.put(key, key);
    const request = { sources: [bucket.at("x/")], target: bucket.at(""), recursive: true };
    const report = await move(request);
    expect(report.failures).toMatchObject([{ error: { code: "TargetIsSource" } }]);
    expect((await bucket.get("f")).toString()).toBe("x/f");
    expect((await bucket.get("x/x/f")).toString()).toBe("x/x/f");
  });
});

describe("what changes while it is moved", () => {
  it.each(["an alias", "another service"])("stays, and is named (within %s)", async (where) => {
    const { other, at } = await elsewhere();
    await bucket.put("a", "old");
    // After the copy and its proof, before the removal.
    const storage = meddled(bucket.storage, "remove", () => bucket.put("a", "new"));
    const target = where === "an alias" ? { ...bucket.at("b"), storage } : at("b");
    const report = await move({ sources: [{ ...bucket.at("a"), storage }], target });
    expect(report.failures).toMatchObject([{ error: { kind: "partial", code: "Drifted" } }]);
    expect((await bucket.get("a")).toString()).toBe("new");
    other.close();
  });

  it("stays where the service does not know conditional deletes", async () => {
    await bucket.put("a", "old");
    const forgetful = {
      ...bucket.storage,
      remove: (targets: readonly { key: string }[]) =>
        bucket.storage.remove(targets.map(({ key }) => ({ key }))),
    };
    let looks = 0;
    const storage = {
      ...forgetful,
      stat: async (...args: Parameters<BucketStorage["stat"]>) => {
        if (args[0] === "a") looks += 1;
        // The second look at the source is the one before its removal.
        if (args[0] === "a" && looks === 2) await bucket.put("a", "newer");
        return bucket.storage.stat(...args);
      },
    };
    const report = await move({
      sources: [{ ...bucket.at("a"), storage }],
      target: { ...bucket.at("b"), storage },
    });
    expect(report.failures).toMatchObject([{ error: { code: "Drifted" } }]);
    expect((await bucket.get("a")).toString()).toBe("newer");
    expect((await bucket.get("b")).toString()).toBe("old");
  });

  it("is removed where the service finds no ETag equal, when the look says it is", async () => {
    await bucket.put("a", "old");
    const storage = {
      ...bucket.storage,
      remove: (targets: Parameters<BucketStorage["remove"]>[0]) =>
        targets[0]?.etag === undefined
          ? bucket.storage.remove(targets)
          : Promise.resolve([
              { ...targets[0], error: { code: "PreconditionFailed", message: "no" } },
            ]),
    };
    const report = await move({
      sources: [{ ...bucket.at("a"), storage }],
      target: { ...bucket.at("b"), storage },
    });
    expect(report.failures).toEqual([]);
    expect(await bucket.keys()).toEqual(["b"]);
  });

  it("what appears below a prefix stays or moves, and is never lost", async () => {
    for (let i = 0; i < 40; i += 1) await bucket.put(`a/${i}`, `${i}`);
    let late = 0;
    const storage: BucketStorage = {
      ...bucket.storage,
      copyFrom: async (...args) => {
        late += 1;
        await bucket.put(`a/late${late}`, `late${late}`);
        return bucket.storage.copyFrom(...args);
      },
    };
    await move({
      sources: [{ ...bucket.at("a/"), storage }],
      target: { ...bucket.at("b/"), storage },
      recursive: true,
    });
    const left = await bucket.keys();
    for (let i = 1; i <= late; i += 1) {
      expect(left.includes(`a/late${i}`) || left.includes(`b/late${i}`)).toBe(true);
    }
    expect(left.filter((key) => /^b\/\d+$/.test(key))).toHaveLength(40);
  });

  it("the target: its source stays", async () => {
    await bucket.put("a", "mine");
    const target: BucketStorage = {
      ...bucket.storage,
      stat: async (key, options) => {
        if (key === "b") await bucket.put("b", "theirs");
        return bucket.storage.stat(key, options);
      },
    };
    const report = await move({
      sources: [{ ...bucket.at("a"), storage: target }],
      target: { ...bucket.at("b"), storage: target },
    });
    expect(report.failures).toMatchObject([{ error: { code: "Unproven" } }]);
    expect((await bucket.get("a")).toString()).toBe("mine");
  });
});

describe("moving files", () => {
  it("removes each once it is stored, and the directories that are empty then", async () => {
    bucket.file("tree/a", "1");
    bucket.file("tree/deep/er/b", "2");
    mkdirSync(join(bucket.directory, "tree/empty"));
    const path = join(bucket.directory, "tree");
    await move({ sources: [{ type: "path", path }], target: bucket.at(""), recursive: true });
    expect(await bucket.keys()).toEqual(["tree/a", "tree/deep/er/b"]);
    // Nobody may remove a directory that was empty before.
    expect(existsSync(join(path, "deep"))).toBe(false);
    expect(existsSync(join(path, "empty"))).toBe(true);
  });

  it("leaves a directory named with / at its end", async () => {
    bucket.file("tree/a", "1");
    const path = `${join(bucket.directory, "tree")}/`;
    await move({ sources: [{ type: "path", path }], target: bucket.at(""), recursive: true });
    expect(await bucket.keys()).toEqual(["a"]);
    expect(existsSync(path)).toBe(true);
  });

  it("keeps one that is written to before it is removed", async () => {
    const path = bucket.file("a", "old");
    const storage = meddled(bucket.storage, "stat", async () => writeFileSync(path, "new!"), 2);
    const report = await move({
      sources: [{ type: "path", path }],
      target: { ...bucket.at("a"), storage },
    });
    expect(report.failures).toMatchObject([{ error: { kind: "partial", code: "Drifted" } }]);
    expect(readFileSync(path, "utf8")).toBe("new!");
  });

  it("sees a write that keeps size and times", async () => {
    const path = bucket.file("a", "old");
    const { atime, mtime } = statSync(path);
    const act = async () => {
      writeFileSync(path, "new");
      utimesSync(path, atime, mtime);
    };
    // The first look is at what the target has before, the second proves the copy.
    const storage = meddled(bucket.storage, "stat", act, 2);
    const target = { ...bucket.at("a"), storage };
    const report = await move({ sources: [{ type: "path", path }], target });
    expect(report.failures).toMatchObject([{ error: { code: "Drifted" } }]);
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("unlinks a link, not what it leads to, and follows none to a directory", async () => {
    const real = bucket.file("elsewhere/file", "precious");
    mkdirSync(join(bucket.directory, "tree"));
    symlinkSync(real, join(bucket.directory, "tree/link"));
    symlinkSync(join(bucket.directory, "elsewhere"), join(bucket.directory, "tree/dir"));
    const path = join(bucket.directory, "tree");
    const sources = [{ type: "path", path }] as const;
    const report = await move({ sources, target: bucket.at(""), recursive: true });
    expect(report.failures).toMatchObject([{ error: { code: "LinkedDirectory" } }]);
    expect(await bucket.keys()).toEqual(["tree/link"]);
    expect(readFileSync(real, "utf8")).toBe("precious");
    expect(existsSync(join(path, "link"))).toBe(false);
  });

  it("moves objects to files", async () => {
    await bucket.storage.write("a/x", Buffer.from("1"), { metadata: { owner: "me" } });
    await bucket.put("a/y/", "");
    const seen = recorder();
    const path = join(bucket.directory, "out");
    await move({
      sources: [bucket.at("a/")],
      target: { type: "path", path },
      recursive: true,
      onEvent: seen.onEvent,
    });
    expect(readFileSync(join(path, "x"), "utf8")).toBe("1");
    expect(statSync(join(path, "y")).isDirectory()).toBe(true);
    expect(await bucket.keys()).toEqual([]);
    expect(seen.of("finished").map(({ lost }) => lost)).toContainEqual(["metadata"]);
  });

  it("refuses streams", async () => {
    const stream = process.stdout;
    const request = { sources: [bucket.at("a")], target: { type: "stdio", stream } } as const;
    expect(() => move(request)).toThrow(expect.objectContaining({ code: "StreamMove" }));
  });
});

describe("two opposite moves of equal bytes", () => {
  it("within a second leave at least one of them", async () => {
    // To its own clock, too, all of this happens within a second.
    const young = await startBucket({ ahead: 0 });
    await young.put("a", "bytes");
    const back = () => move({ sources: [young.at("b")], target: young.at("a") });
    let copied = false;
    const storage: BucketStorage = {
      ...young.storage,
      copyFrom: async (...args) => {
        const result = await young.storage.copyFrom(...args);
        copied = true;
        return result;
      },
      stat: async (...args) => {
        // The last look at the source, before it is removed.
        if (copied && args[0] === "a") {
          copied = false;
          await back();
        }
        return young.storage.stat(...args);
      },
    };
    await move({ sources: [{ ...young.at("a"), storage }], target: { ...young.at("b"), storage } });
    expect(await young.keys()).not.toEqual([]);
    young.close();
  });
});
