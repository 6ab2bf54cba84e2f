/** An object in a person's own editor and pager: written back only over just what was read. */
import { chmodSync, existsSync, readFileSync } from "node:fs";

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import { editOutside, showOutside } from "../../../../src/tui/controller/outside.js";
import type { Action } from "../../../../src/tui/state/actions.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";

let bucket: TestBucket;
beforeAll(async () => {
  bucket = await startBucket();
});
afterAll(() => bucket.close());
beforeEach(async () => {
  await bucket.storage.write("k.txt", Buffer.from("before\n"), {
    contentType: "text/x-own",
    metadata: { owner: "me" },
    tags: { a: "1" },
  });
});

const { signal } = new AbortController();
const object = { type: "object", alias: "local", bucket: "bucket", key: "k.txt" } as const;

/** A program of a few lines of shell. */
function program(name: string, script: string): string {
  const path = bucket.file(name, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function deps(
  env: NodeJS.ProcessEnv,
  meanwhile: () => Promise<void> = async () => undefined,
  storage = bucket.storage,
) {
  const told: Action[] = [];
  const made = {
    context: { env, bucket: async () => storage },
    dispatch: (action: Action) => told.push(action),
    lend: async (work: () => Promise<number>) => {
      const code = await work();
      await meanwhile();
      return code;
    },
  } as unknown as Deps;
  return { deps: made, told };
}
async function edit(editor: string, meanwhile?: () => Promise<void>, storage = bucket.storage) {
  const { deps: made, told } = deps({ EDITOR: editor }, meanwhile, storage);
  await editOutside(made, { type: "edit-outside", object }, signal);
  return told;
}

it("writes back what was edited, with headers, metadata and tags as they were", async () => {
  const told = await edit(program("append", 'echo after >> "$1"'));
  expect(told.map(({ type }) => type)).toEqual(["keys-here", "edited", "notice"]);
  expect((await bucket.get("k.txt")).toString()).toBe("before\nafter\n");
  expect(await bucket.storage.stat("k.txt")).toMatchObject({
    contentType: "text/x-own",
    metadata: { owner: "me" },
  });
  expect(await bucket.storage.getTags("k.txt")).toEqual({ a: "1" });
});

it("writes nothing when nothing was changed, or when the editor failed", async () => {
  const { lastModified, etag } = await bucket.storage.stat("k.txt");
  expect(await edit("true")).toMatchObject([{ type: "notice", text: "Nothing was changed" }]);
  const failed = await edit(program("fails", 'echo after >> "$1"; exit 3'));
  expect(failed).toMatchObject([{ type: "edit-kept", lines: [expect.stringContaining("3")] }]);
  expect(await bucket.storage.stat("k.txt")).toMatchObject({ lastModified, etag });
});

it("leaves what was changed meanwhile, and keeps the text in a file", async () => {
  const change = () => bucket.put("k.txt", "theirs");
  const told = await edit(program("append", 'echo after >> "$1"'), change);
  expect((await bucket.get("k.txt")).toString()).toBe("theirs");
  const [{ path }] = told as [Extract<Action, { type: "edit-kept" }>];
  expect(readFileSync(path, "utf8")).toBe("before\nafter\n");
  expect(path).toMatch(/\.txt$/);
});

it("leaves it too where the service takes no notice of If-Match", async () => {
  const write: BucketStorage["write"] = (key, body, { ifMatch: _unheeded, ...options } = {}) =>
    bucket.storage.write(key, body, options);
  const change = () => bucket.put("k.txt", "theirs");
  const editor = program("append", 'echo after >> "$1"');
  const told = await edit(editor, change, { ...bucket.storage, write });
  expect(told).toMatchObject([{ type: "edit-kept" }]);
  expect((await bucket.get("k.txt")).toString()).toBe("theirs");
});

it("refuses what cannot be edited here, before the editor starts", async () => {
  await bucket.storage.write("k.txt", Buffer.from("x"), { contentEncoding: "gzip" });
  const mark = `${bucket.directory}/ran`;
  await expect(edit(program("marks", `touch ${mark}`))).rejects.toMatchObject({
    code: "NotEditable",
  });
  expect(existsSync(mark)).toBe(false);
});

it("streams into the pager, which may be left early, and names one that is missing", async () => {
  const into = `${bucket.directory}/paged`;
  const page = async (pager: string) =>
    showOutside(deps({ PAGER: pager }).deps, { type: "show-outside", object }, signal);
  await page(program("pager", `cat > ${into}`));
  expect(readFileSync(into, "utf8")).toBe("before\n");
  await bucket.put("k.txt", "x".repeat(1024 * 1024));
  await page("true");
  await expect(page("no-such-pager")).rejects.toMatchObject({ code: "NoSuchProgram" });
});
