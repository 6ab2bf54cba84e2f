import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";

import { AppError } from "../../../../src/core/failures/errors.js";
import { toAppError } from "../../../../src/core/failures/map.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import {
  type McpOptions,
  type RunningMcp,
  factsOf,
  startMcp,
  textOf,
} from "../../../support/mcp.js";

let mcp: RunningMcp;

async function start(options: McpOptions = {}): Promise<void> {
  mcp = await startMcp({ answer: () => "yes", ...options });
  await mcp.service.make("bucket");
}
afterEach(() => mcp.close());

const call = (name: string, args: Record<string, unknown>) =>
  mcp.call(name, { bucket_name: "bucket", ...args });

/** Everything in a bucket that a person could miss: keys, bytes, types, metadata, tags. */
async function contents(storage: BucketStorage): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for await (const page of storage.list()) {
    for (const { key } of page) {
      const { info, body } = await storage.read(key);
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(Buffer.from(chunk));
      all[key] = {
        bytes: Buffer.concat(chunks).toString("latin1"),
        type: info.contentType,
        metadata: info.metadata,
        tags: await storage.getTags(key),
      };
    }
  }
  return all;
}

const etagOf = async (key: string) => (await mcp.bucket("bucket").stat(key)).etag;
const undoOf = (result: Awaited<ReturnType<typeof call>>) => String(factsOf(result)["undo"]);

describe("undo_changes", () => {
  it("puts back what was replaced, deleted and moved, with its headers and tags", async () => {
    await start();
    const bucket = mcp.bucket("bucket");
    await bucket.write("a", Buffer.from([0, 1, 255]), {
      contentType: "application/x-a",
      metadata: { owner: "ada" },
      tags: { kind: "note" },
    });
    await bucket.write("b", Buffer.from("b"));
    const before = await contents(bucket);
    const undo = [
      undoOf(
        await call("put_object", { object_key: "a", content: "x", if_match: await etagOf("a") }),
      ),
      undoOf(await call("put_object", { object_key: "new", content: "n" })),
      undoOf(await call("delete_objects", { keys: ["a", "b"] })),
      undoOf(await call("set_tags", { object_key: "new", tags: { x: "y" } })),
    ];
    expect(Object.keys(await contents(bucket))).toEqual(["new"]);
    const result = await mcp.call("undo_changes", { undo });
    expect(factsOf(result)).toMatchObject({ undone: 5, not_undone: 0 });
    expect(await contents(bucket)).toEqual(before);
    expect(textOf(await mcp.call("undo_changes", { undo }))).toBe("nothing left to undo");
    expect(textOf(await mcp.call("undo_changes"))).toContain("undone");
  });

  it("takes away what was written when the answer to the write was lost", async () => {
    let lost = 0;
    await start({
      storage: ({ client, bucket }) =>
        openBucket(
          {
            ...client,
            request: async (spec, accept) => {
              const answer = await client.request(spec, accept);
              if (spec.headers?.["if-none-match"] === undefined) return answer;
              lost += 1;
              throw toAppError(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
            },
          },
          bucket,
        ),
    });
    const undo = [undoOf(await call("put_object", { object_key: "a", content: "agent" }))];
    expect(lost).toBe(1);
    expect(Object.keys(await contents(mcp.bucket("bucket")))).toEqual(["a"]);
    expect(factsOf(await mcp.call("undo_changes", { undo }))).toMatchObject({ undone: 1 });
    expect(await contents(mcp.bucket("bucket"))).toEqual({});
  });

  it("finds out by what is there what came of a change that was only begun", async () => {
    const broken = () => new AppError({ kind: "unavailable", code: "Gone", message: "cut off" });
    let cut = false;
    await start({
      storage: (storage) => ({
        ...storage,
        write: async (...args) => {
          const written = await storage.write(...args);
          if (cut) throw broken();
          return written;
        },
        remove: async (...args) => {
          const removed = await storage.remove(...args);
          if (cut) throw broken();
          return removed;
        },
      }),
    });
    await mcp.bucket("bucket").write("old", Buffer.from("old"));
    cut = true;
    expect((await call("put_object", { object_key: "new", content: "n" })).isError).toBe(true);
    await call("delete_objects", { keys: ["old"] });
    expect(Object.keys(await contents(mcp.bucket("bucket")))).toEqual(["new"]);
    cut = false;
    const undo = [...new Set((await mcp.journal.changes()).map(({ call }) => call))];
    expect(factsOf(await mcp.call("undo_changes", { undo }))).toMatchObject({ undone: 2 });
    expect(Object.keys(await contents(mcp.bucket("bucket")))).toEqual(["old"]);
  });

  it("leaves alone what has been changed since", async () => {
    await start();
    const undo = [undoOf(await call("put_object", { object_key: "a", content: "agent" }))];
    await mcp.bucket("bucket").write("a", Buffer.from("person"));
    const result = await mcp.call("undo_changes", { undo });
    expect(factsOf(result)).toMatchObject({ undone: 0, failures: [{ code: "Drifted" }] });
    expect(await contents(mcp.bucket("bucket"))).toMatchObject({ a: { bytes: "person" } });
  });

  it("uses versions where the bucket keeps them, and leaves no trace", async () => {
    await start();
    await mcp.service.setVersioning("bucket", "Enabled");
    const bucket = mcp.bucket("bucket");
    await bucket.write("a", Buffer.from("old"));
    const versions = async () => {
      const all: unknown[] = [];
      for await (const page of bucket.list({ versions: true })) {
        for (const entry of page) if (entry.type === "object") all.push(entry.versionId);
      }
      return all;
    };
    const before = await versions();
    const undo = [
      undoOf(
        await call("put_object", { object_key: "a", content: "x", if_match: await etagOf("a") }),
      ),
      undoOf(await call("delete_objects", { prefix: "a" })),
    ];
    expect(await versions()).toHaveLength(3);
    expect(factsOf(await mcp.call("undo_changes", { undo }))).toMatchObject({ undone: 2 });
    expect(await versions()).toEqual(before);
  });

  it("says before a change beyond the budget that it cannot be undone", async () => {
    const questions: string[] = [];
    await start({
      undoBudget: 10,
      answer: (question) => {
        questions.push(question);
        return "yes";
      },
    });
    await mcp.bucket("bucket").write("big", Buffer.alloc(11));
    const result = await call("delete_objects", { keys: ["big"] });
    expect(questions[0]).toContain("It CANNOT be undone.");
    expect(factsOf(result)["undo"]).toMatch(/^not possible: /);
  });

  it("removes a download and puts back the file it replaced", async () => {
    await start();
    await mcp.bucket("bucket").write("a", Buffer.from("object"));
    const at = (name: string) => join(mcp.directory, name);
    writeFileSync(at("old.txt"), "mine");
    const get = (local_path: string) =>
      call("get_object", { object_key: "a", mode: "download", local_path, overwrite: true });
    const undo = [undoOf(await get("old.txt")), undoOf(await get("new.txt"))];
    expect(readFileSync(at("old.txt"), "utf8")).toBe("object");
    expect(factsOf(await mcp.call("undo_changes", { undo }))).toMatchObject({ undone: 2 });
    expect(readFileSync(at("old.txt"), "utf8")).toBe("mine");
    expect(existsSync(at("new.txt"))).toBe(false);
  });

  it("keeps the key that an object is encrypted with, and so does an edit", async () => {
    const [key, of] = ["k", { encryption: "aws:kms", kmsKey: "key/1" }] as const;
    const writes: unknown[] = [];
    await start({
      storage: (storage) => ({
        ...storage,
        stat: async (...args) => ({ ...(await storage.stat(...args)), ...of }),
        read: async (...args) => {
          const { info, ...opened } = await storage.read(...args);
          return { ...opened, info: { ...info, ...of } };
        },
        write: (name, body, { encryption, ...options } = {}) => {
          writes.push(encryption);
          return storage.write(name, body, options);
        },
      }),
    });
    await mcp.bucket("bucket").write(key, Buffer.from("old"));
    const undo = [
      undoOf(await call("edit_object", { object_key: key, find: "old", replace: "new" })),
      undoOf(await call("delete_objects", { keys: [key] })),
    ];
    expect(factsOf(await mcp.call("undo_changes", { undo }))).toMatchObject({ undone: 2 });
    expect(await contents(mcp.bucket("bucket"))).toMatchObject({ [key]: { bytes: "old" } });
    expect(writes).toEqual([0, 1, 2].map(() => ({ algorithm: "aws:kms", kmsKey: "key/1" })));
  });

  it("neither removes nor changes a bucket that was there before, or is there again", async () => {
    // As on Amazon in us-east-1, where making one's own bucket again succeeds.
    await start({
      service: (service) => ({
        ...service,
        make: async (name, options) => {
          const made = await service.make(name, { ...options, ignoreExisting: true });
          return options?.ignoreExisting === true ? made : true;
        },
      }),
    });
    expect(textOf(await call("create_bucket", {}))).toMatch(/^BucketAlreadyOwnedByYou/);
    const undo = [undoOf(await call("delete_bucket", {}))];
    await mcp.service.make("bucket");
    await mcp.service.setTags("bucket", { of: "person" });
    const result = await mcp.call("undo_changes", { undo });
    expect(factsOf(result)).toMatchObject({ undone: 0, failures: [{ code: "Drifted" }] });
    expect(await mcp.service.getTags("bucket")).toEqual({ of: "person" });
  });

  it("needs a yes itself", async () => {
    await start({ answer: () => ({ action: "decline" }) });
    const undo = [undoOf(await call("put_object", { object_key: "a", content: "x" }))];
    expect(textOf(await mcp.call("undo_changes", { undo }))).toMatch(/^Declined/);
    expect(textOf(await mcp.call("undo_changes", { undo: ["none"] }))).toMatch(/^NoSuchChange/);
  });

  const RUNS = Number(process.env["PAIL_TEST_CHANGES"] ?? 60);
  const suspended = RUNS > 60 ? ["Suspended" as const] : [];
  it.each([undefined, "Enabled" as const, ...suspended])(
    `brings back the beginning after ${RUNS} random changes, versioning %s`,
    async (versioning) => {
      await start({ undoBudget: 64 * 1024 * 1024 });
      if (versioning !== undefined) await mcp.service.setVersioning("bucket", "Enabled");
      const bucket = mcp.bucket("bucket");
      const keys = ["a", "b/1", "b/2", "c", "d"];
      for (const key of ["a", "b/1", "c"]) {
        await bucket.write(key, Buffer.from(`first ${key}`), { metadata: { of: "person" } });
      }
      if (versioning === "Suspended") await mcp.service.setVersioning("bucket", versioning);
      const before = await contents(bucket);
      const change = fc.record({
        do: fc.constantFrom(
          "put",
          "replace",
          "copy",
          "move",
          "rename",
          "edit",
          "delete",
          "prefix",
          "tags",
        ),
        key: fc.constantFrom(...keys),
        other: fc.constantFrom(...keys),
        text: fc.string({ maxLength: 20 }),
      });
      const changes = fc.sample(change, { numRuns: RUNS, seed: 42 });
      const undo: string[] = [];
      for (const { do: what, key, other, text } of changes) {
        const there = (await contents(bucket))[key] !== undefined;
        const etag = there ? await etagOf(key) : undefined;
        const copying = {
          source_bucket: "bucket",
          source_key: other,
          object_key: key,
          if_match: etag,
        };
        const result = await {
          put: () => call("put_object", { object_key: key, content: text }),
          replace: () => call("put_object", { object_key: key, content: text, if_match: etag }),
          copy: () => call("copy_object", copying),
          move: () => call("copy_object", { ...copying, move: true }),
          rename: () =>
            call("copy_objects", {
              source_bucket: "bucket",
              keys: [other],
              prefix: other,
              to_prefix: key,
              move: true,
              if_exists: "replace",
            }),
          edit: () => call("edit_object", { object_key: key, find: "first", replace: "1st" }),
          delete: () => call("delete_objects", { keys: [key] }),
          prefix: () => call("delete_objects", { prefix: "b/" }),
          tags: () => call("set_tags", { object_key: key, tags: { n: "1" } }),
        }[what]();
        const name = factsOf(result)["undo"];
        if (typeof name === "string") undo.push(name);
      }
      expect(undo.length).toBeGreaterThan(RUNS / 4);
      const result = await mcp.call("undo_changes", { undo });
      expect(textOf(result)).toMatch(/^undid \d+ changes?$/);
      expect(await contents(bucket)).toEqual(before);
    },
    600_000,
  );
});
