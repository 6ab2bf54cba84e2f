/** A bucket of a million keys and an object of a GiB: every tool answers in bounded size and memory. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import type { Entry, ObjectInfo } from "../../src/core/storage/storage.js";
import { type RunningMcp, factsOf, startMcp } from "../support/mcp.js";

const KEYS = 1_000_000;
const PAGE = 1000;
const HUGE = 1024 ** 3;
/** An answer in characters at most, however much there is. */
const MOST = 8 * 1024 * 1024;

let mcp: RunningMcp;
let read = 0;

const keyOf = (at: number) => `logs/${String(at).padStart(7, "0")}-${"x".repeat(200)}`;
const entryOf = (at: number): Entry => ({
  type: "object",
  key: keyOf(at),
  size: 10,
  etag: "e".repeat(32),
  lastModified: 1_700_000_000_000,
});

async function* listing(prefix: string, startAfter: string | undefined, delimiter?: string) {
  if (delimiter === "/" && prefix === "") {
    yield [{ type: "prefix" as const, key: "logs/" } as unknown as Entry];
    return;
  }
  for (let at = 0; at < KEYS; at += PAGE) {
    const page = Array.from({ length: PAGE }, (_, n) => entryOf(at + n));
    yield page.filter(({ key }) => startAfter === undefined || key > startAfter);
  }
}

const huge: ObjectInfo = {
  type: "object",
  key: "huge",
  size: HUGE,
  etag: "f".repeat(32),
  contentType: "text/plain",
} as ObjectInfo;

async function* zeros(length: number) {
  const chunk = Buffer.alloc(65_536, "line of text\n");
  for (let left = length; left > 0; left -= chunk.length) {
    const piece = chunk.subarray(0, Math.min(left, chunk.length));
    read += piece.length;
    yield piece;
  }
}

const fake = (storage: BucketStorage): BucketStorage => ({
  ...storage,
  list: ({ prefix = "", startAfter, delimiter } = {}) => listing(prefix, startAfter, delimiter),
  stat: async (key) => (key === "huge" ? huge : storage.stat(key)),
  read: async (key, options = {}) => {
    if (key !== "huge") return { info: { ...huge, key, size: 10 }, body: zeros(10) };
    const { start = 0, end = HUGE - 1 } = options.range ?? {};
    return { info: huge, body: zeros(end - start + 1) };
  },
});

beforeAll(async () => {
  mcp = await startMcp({ storage: fake, answer: () => ({ action: "decline" }) });
  await mcp.service.make("bucket");
});
afterAll(() => mcp.close());

const sizeOf = (result: CallToolResult) => JSON.stringify(result).length;

it.each<[string, Record<string, unknown>]>([
  ["list_objects", {}],
  ["list_objects", { prefix: "logs/", max_keys: 1_000_000 }],
  ["search_objects", { glob: "*9" }],
  ["list_objects", { max_keys: 1000, cursor: "nonsense" }],
  ["search_objects", { sort: "newest", max_keys: 1000 }],
  ["delete_objects", { prefix: "logs/" }],
  ["copy_objects", { source_bucket: "bucket", to_prefix: "to/", dry_run: true }],
  ["get_object", { object_key: "huge" }],
  ["get_object", { object_key: "huge", lines: "-20" }],
  ["get_object", { object_key: "huge", max_content_size: HUGE }],
  ["edit_object", { object_key: "huge", find: "line", replace: "x" }],
])("%s %j", { timeout: 120_000 }, async (name, args) => {
  read = 0;
  const result = await mcp.call(name, { bucket_name: "bucket", ...args });
  expect(sizeOf(result)).toBeLessThan(MOST);
  expect(read).toBeLessThan(64 * 1024 * 1024);
  expect(factsOf(result)["error"] ?? {}).not.toMatchObject({ code: "InternalError" });
});
