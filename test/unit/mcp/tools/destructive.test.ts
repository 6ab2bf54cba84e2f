import { afterEach, describe, expect, it } from "vitest";

import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import {
  factsOf,
  type McpOptions,
  type RunningMcp,
  startMcp,
  textOf,
} from "../../../support/mcp.js";

let mcp: RunningMcp | undefined;

async function start(options?: McpOptions): Promise<RunningMcp> {
  mcp = await startMcp(options);
  await mcp.service.make("bucket");
  for (const key of ["a", "a/1", "a/2", "ab", "b"]) {
    await mcp.bucket("bucket").write(key, Buffer.from(key));
  }
  return mcp;
}

afterEach(() => mcp?.close());

/** Calls a tool; with `confirm: true`, once more with the token of the first answer. */
async function sure(name: string, args: Record<string, unknown>) {
  const first = await mcp!.call(name, args);
  const token = /confirm: "([\w-]{16})"/.exec(textOf(first))?.[1];
  if (args["confirm"] !== true || token === undefined) return first;
  return mcp!.call(name, { ...args, confirm: token });
}

async function keys({ bucket }: RunningMcp): Promise<string[]> {
  const all: string[] = [];
  for await (const page of bucket("bucket").list()) all.push(...page.map(({ key }) => key));
  return all;
}

describe("delete_objects", () => {
  const erase = (args: Record<string, unknown>) =>
    sure("delete_objects", { bucket_name: "bucket", ...args });

  it("deletes keys, and counts only those that were there", async () => {
    const running = await start();
    const result = await erase({ keys: ["a", "ab", "a", "none"], confirm: true });
    expect(factsOf(result)).toMatchObject({
      at: "local",
      bucket: "bucket",
      deleted: 2,
      failed: 0,
      not_there: 1,
      undo: expect.stringMatching(/^\w+-1$/),
    });
    expect(await keys(running)).toEqual(["a/1", "a/2", "b"]);
    expect(textOf(await erase({ keys: ["none"] }))).toBe(
      "deleted 0 objects from local/bucket\nnot there: none",
    );
  });

  it("deletes the keys that begin with a prefix, as list_objects lists them", async () => {
    const running = await start();
    const result = await erase({ prefix: "a", confirm: true });
    expect(factsOf(result)).toMatchObject({ deleted: 4 });
    expect(await keys(running)).toEqual(["b"]);
  });

  it("only tells what it would do in a dry run", async () => {
    const running = await start();
    const result = await erase({ prefix: "a/", dry_run: true });
    const token = String(factsOf(result)["confirm"]);
    expect(textOf(result)).toBe(
      `dry run, nothing deleted; in local/bucket this would delete 2 objects (6 bytes)\nconfirm with: ${token}; It can be undone.\na/1\na/2`,
    );
    expect(factsOf(result)).toEqual({
      dry_run: true,
      at: "local",
      confirm: token,
      bucket: "bucket",
      count: 2,
      bytes: 6,
      complete: true,
      keys: ["a/1", "a/2"],
    });
    await erase({ keys: ["b"], dry_run: true, confirm: true });
    expect(await keys(running)).toHaveLength(5);
  });

  it("needs confirm when the person cannot be asked, and says what it would delete", async () => {
    const running = await start();
    for (const confirm of [undefined, false]) {
      const result = await erase({ prefix: "a", ...(confirm === undefined ? {} : { confirm }) });
      expect(textOf(result)).toEqual(
        expect.stringMatching(
          /^ConfirmationRequired: not done; it needs a yes: Delete 4 objects \(9 bytes\) below "a" from "local\/bucket"\? It can be undone\. "a" "a\/1" "a\/2" "ab"\nTry: ask the person; .* confirm: "[\w-]{16}", which is good for exactly this$/,
        ),
      );
    }
    expect(await keys(running)).toHaveLength(5);
  });

  it("asks the person when the client can, whatever the model says", async () => {
    const questions: string[] = [];
    const running = await start({
      answer: (question) => {
        questions.push(question);
        return questions.length > 1 ? "yes" : { action: "decline" };
      },
    });
    expect(textOf(await erase({ keys: ["a"], confirm: true }))).toMatch(/^Declined: /);
    expect(await keys(running)).toHaveLength(5);
    expect(factsOf(await erase({ keys: ["a"] }))).toMatchObject({ deleted: 1 });
    expect(questions).toEqual(
      Array(2).fill('Delete 1 object (1 byte) from "local/bucket"? It can be undone.\n"a"'),
    );
  });

  it("accepts a yes for the counted objects, and asks again about those that appeared meanwhile", async () => {
    const questions: string[] = [];
    const running = await start({
      answer: async (question) => {
        questions.push(question);
        if (questions.length === 1) await running.bucket("bucket").write("a/3", Buffer.from("x"));
        return questions.length === 1 ? "yes" : { action: "decline" };
      },
    });
    expect(textOf(await erase({ prefix: "a/" }))).toMatch(/^Declined: /);
    expect(questions.map((question) => question.split(" below")[0])).toEqual([
      "Delete 2 objects (6 bytes)",
      "Delete 3 objects (7 bytes)",
    ]);
    expect(await keys(running)).toEqual(["a", "a/1", "a/2", "a/3", "ab", "b"]);
  });

  it("accepts a token for the counted objects only, not for those that appeared meanwhile", async () => {
    const running = await start();
    const { confirm } = factsOf(await erase({ prefix: "a/", dry_run: true }));
    await running.bucket("bucket").write("a/3", Buffer.from("x"));
    expect(textOf(await erase({ prefix: "a/", confirm }))).toMatch(/^PlanChanged: /);
    expect(await keys(running)).toContain("a/1");
  });

  it("does nothing where a client claims to ask but cannot, and names the way out", async () => {
    const running = await start({
      answer: () => {
        throw new Error("nobody is at the screen");
      },
    });
    expect(textOf(await erase({ keys: ["a"], confirm: true }))).toMatch(
      /^ConfirmationFailed: not done; .*nobody is at the screen\nTry: .*--confirm token/,
    );
    expect(await keys(running)).toHaveLength(5);
  });

  it("empties a bucket with versions and unfinished uploads, so that it can be deleted", async () => {
    const { call, bucket, service } = await start();
    await service.setVersioning("bucket", "Enabled");
    await bucket("bucket").write("a", Buffer.from("second"));
    await bucket("bucket").createUpload("never finished");
    await erase({ keys: ["a", "b"], confirm: true });
    const full = await call("delete_bucket", { bucket_name: "bucket" });
    expect(textOf(full)).toMatch(/^BucketNotEmpty: .*\nTry: .*list_versions.*delete_objects/);
    const listed = factsOf(await call("list_versions", { bucket_name: "bucket" }));
    const versions = (listed["versions"] as { key: string; version_id: string }[]).map(
      ({ key, version_id }) => ({ key, version_id }),
    );
    expect(versions).toHaveLength(8);
    expect(factsOf(await erase({ versions, confirm: true }))).toMatchObject({ deleted: 8 });
    await sure("abort_uploads", { bucket_name: "bucket", confirm: true });
    expect((await call("delete_bucket", { bucket_name: "bucket" })).isError).toBeUndefined();
  });

  it.each([{}, { keys: ["a"], prefix: "a" }, { keys: [] }, { prefix: "" }, { keys: [""] }])(
    "refuses %j",
    async (args) => {
      const running = await start();
      expect((await erase({ ...args, confirm: true })).isError).toBe(true);
      expect(await keys(running)).toHaveLength(5);
    },
  );

  it("goes on after a key that fails, and names it", async () => {
    await start({
      storage: (storage): BucketStorage => ({
        ...storage,
        remove: async (targets, options) => {
          const results = await storage.remove(
            targets.filter(({ key }) => key !== "a/1"),
            options,
          );
          const error = { code: "AccessDenied", message: "locked" };
          return targets.map(({ key }) =>
            key === "a/1" ? { key, error } : results.find((result) => result.key === key)!,
          );
        },
      }),
    });
    const result = await erase({ prefix: "a", confirm: true });
    expect(result.isError).toBe(true);
    expect(factsOf(result)).toMatchObject({
      deleted: 3,
      failed: 1,
      failures: [{ key: "a/1", code: "AccessDenied" }],
    });
    expect(textOf(result)).toMatch(
      /^deleted 3 objects from local\/bucket\nundo: \S+\nfailed 1:\na\/1\tAccessDenied: /,
    );
  });
});

describe("copy_object", () => {
  const copy = (args: Record<string, unknown>) =>
    sure("copy_object", {
      source_bucket: "bucket",
      source_key: "a",
      bucket_name: "bucket",
      object_key: "copy",
      ...args,
    });

  it("copies without asking", async () => {
    const running = await start();
    const result = await copy({ object_key: "x y/../é" });
    expect(factsOf(result)).toMatchObject({ source_key: "a", key: "x y/../é", size: 1 });
    expect(await keys(running)).toContain("x y/../é");
  });

  it("moves only with a yes", async () => {
    const running = await start();
    expect(textOf(await copy({ move: true }))).toMatch(
      /^ConfirmationRequired: .*Move "local\/bucket\/a" \(1 byte, modified \S+\) to "local\/bucket\/copy"\?/,
    );
    expect(await keys(running)).toHaveLength(5);
    expect(factsOf(await copy({ move: true, confirm: true }))).toMatchObject({
      source_deleted: true,
    });
    expect(await keys(running)).toEqual(["a/1", "a/2", "ab", "b", "copy"]);
  });

  it("replaces nothing unless its ETag is named, and says in the question what it replaces", async () => {
    const running = await start();
    for (const move of [false, true]) {
      const refused = await copy({ object_key: "b", move, confirm: true });
      expect(textOf(refused)).toMatch(/^ObjectExists: local\/bucket\/b exists: 1 byte/);
    }
    const { etag } = await running.bucket("bucket").stat("b");
    const asked = await copy({ object_key: "b", move: true, if_match: etag });
    expect(textOf(asked)).toMatch(
      /^ConfirmationRequired: .*Move "local\/bucket\/a" .* to "local\/bucket\/b" \(1 byte, .*\), which is replaced\?/,
    );
    expect(await keys(running)).toHaveLength(5);
  });

  it("never moves an object onto itself", async () => {
    const running = await start();
    const result = await copy({ object_key: "a", move: true, confirm: true });
    expect(textOf(result)).toMatch(/^SameObject: /);
    expect(await keys(running)).toHaveLength(5);
  });

  it("does not delete a source that was written to meanwhile", async () => {
    const running = await start({
      storage: (storage): BucketStorage => ({
        ...storage,
        copyFrom: async (...copying) => {
          const copied = await storage.copyFrom(...copying);
          await storage.write("a", Buffer.from("written meanwhile"));
          return copied;
        },
      }),
    });
    const result = await copy({ move: true, confirm: true });
    expect(textOf(result)).toMatch(/^Drifted: .*stays as it is/);
    expect(await keys(running)).toContain("a");
  });

  it("copies between aliases", async () => {
    const running = await start({ aliases: ["local", "other"] });
    const result = await copy({ source_alias: "local", alias: "other" });
    expect(result.isError).toBeUndefined();
    expect(await keys(running)).toContain("copy");
  });

  it("names the missing bucket or object at either end", async () => {
    await start();
    expect(textOf(await copy({ source_key: "none" }))).toMatch(/^NoSuchKey/);
    expect(textOf(await copy({ bucket_name: "nothing" }))).toMatch(/^NoSuchBucket/);
    expect(textOf(await copy({ object_key: "dir/" }))).toMatch(/^InvalidArgument/);
  });
});

describe("create_bucket and delete_bucket", () => {
  it("make and delete an empty bucket without asking, as the seed does", async () => {
    const { call, service } = await start();
    expect(textOf(await call("create_bucket", { bucket_name: "fresh" }))).toMatch(
      /^created bucket local\/fresh\nat: local\nundo: /,
    );
    expect(textOf(await call("delete_bucket", { bucket_name: "fresh" }))).toMatch(
      /^deleted bucket local\/fresh\n/,
    );
    expect(await service.exists("fresh")).toBe(false);
  });

  it("do not touch a bucket that is there, is not empty, or is not a name", async () => {
    const { call, service } = await start();
    expect(textOf(await call("create_bucket", { bucket_name: "bucket" }))).toMatch(
      /^BucketAlreadyOwnedByYou/,
    );
    expect(textOf(await call("delete_bucket", { bucket_name: "bucket" }))).toMatch(
      /^BucketNotEmpty/,
    );
    expect(textOf(await call("delete_bucket", { bucket_name: "nothing" }))).toMatch(
      /^NoSuchBucket/,
    );
    for (const bucket_name of ["../x", "a/b", "UPPER", "x"]) {
      expect(textOf(await call("create_bucket", { bucket_name }))).toMatch(/^InvalidBucketName/);
    }
    expect(await service.exists("bucket")).toBe(true);
  });
});
