/**
 * The promises that every bucket makes about objects, as one set of cases. Each case gets an empty
 * place of its own. Uploads in parts, copies on the service and tags are in bucket.ts.
 */
import { createHash, randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import type { Entry, ListOptions } from "../../src/core/storage/storage.js";
import { createChecksum } from "../../src/protocol/checksum.js";
import type { StreamBody } from "../../src/protocol/message.js";
import { HOSTILE, NOT_FILES, NOT_XML, ORDERED } from "./keys.js";

export interface Place {
  readonly storage: BucketStorage;
  /** Removes the place and what is in it. */
  close(): Promise<void>;
}

/** A feature that a service under test is known to lack. */
export type Lack =
  /** Verifies no checksum. */
  | "checksums"
  | "conditional writes"
  | "conditional copies"
  /** Keys with control characters. */
  | "control characters"
  /** Keys with `.` and `..` segments. */
  | "dot segments"
  /** Keys with `//`, and those that begin or end with `/`. */
  | "empty segments"
  /** A key beside others that continue it with `/`. */
  | "nested keys"
  /** Keys with a newline. */
  | "newlines"
  /** Verifies no signature. */
  | "signatures"
  | "tags"
  /** Listings of unfinished uploads below a prefix. */
  | "upload listings"
  /** Version listings whose pages join without a gap. */
  | "version pages"
  | "versions";

export interface ContractOptions {
  readonly lacks?: readonly Lack[] | undefined;
  /** Leaves out cases of more than a thousand requests. */
  readonly quick?: boolean | undefined;
}

/** Declares the cases. */
export function contract(
  name: string,
  open: () => Promise<Place>,
  { lacks = [], quick = false }: ContractOptions = {},
): void {
  const unless = (lack: Lack) => it.skipIf(lacks.includes(lack));

  describe(`${name} as storage of objects`, () => {
    let place: Place;
    let storage: BucketStorage;
    beforeEach(async () => {
      place = await open();
      storage = place.storage;
    });
    afterEach(() => place.close());

    describe("objects", () => {
      it.each([0, 1, 255, 70_000, 2_500_000])("gives back %i bytes as they were", async (size) => {
        const bytes = randomBytes(size);
        await storage.write("some/key.bin", bytes);
        expect(sha(await bytesOf(storage, "some/key.bin"))).toBe(sha(bytes));
      });

      it("gives the same size, time and ETag in stat, read and list", async () => {
        const before = Date.now();
        const { etag } = await storage.write("key", Buffer.from("hello"));
        const info = await storage.stat("key");
        const { info: read, body } = await storage.read("key");
        for await (const _ of body);
        const [entry] = await listed(storage);
        expect(info).toMatchObject({ type: "object", key: "key", size: 5, etag });
        expect(read).toMatchObject({ key: "key", size: 5, etag });
        expect(entry).toMatchObject({ type: "object", key: "key", size: 5, etag });
        expect(etag).toMatch(/^[^"]+$/);
        expect(info.lastModified).toBeGreaterThan(before - 60_000);
        expect(info.lastModified).toBeLessThan(Date.now() + 60_000);
      });

      it("stores a stream of known length", async () => {
        const bytes = randomBytes(300_000);
        const result = await storage.write("stream", streamOf(bytes, 7_001));
        expect(result.etag).toBe((await storage.stat("stream")).etag);
        expect(sha(await bytesOf(storage, "stream"))).toBe(sha(bytes));
      });

      it("replaces an object as a whole", async () => {
        await storage.write("key", Buffer.from("a longer first body"));
        const first = await storage.stat("key");
        await storage.write("key", Buffer.from("second"));
        const second = await storage.stat("key");
        expect((await bytesOf(storage, "key")).toString()).toBe("second");
        expect(second.etag).not.toBe(first.etag);
        expect(await keys(storage)).toEqual(["key"]);
      });

      it.each([
        [{ start: 0, end: 0 }, "0"],
        [{ start: 2, end: 5 }, "2345"],
        [{ start: 7 }, "789"],
        [{ start: 0 }, "0123456789"],
        [{ start: 8, end: 99 }, "89"],
      ])("reads the range %o", async (range, expected) => {
        await storage.write("digits", Buffer.from("0123456789"));
        const { info, body } = await storage.read("digits", { range });
        expect((await collect(body)).toString()).toBe(expected);
        expect(info.size).toBe(10);
      });

      it("refuses a range that begins behind the end", async () => {
        await storage.write("digits", Buffer.from("0123456789"));
        const reading = storage.read("digits", { range: { start: 10 } });
        await expect(reading).rejects.toMatchObject({ code: "InvalidRange" });
      });

      it("gives NoSuchKey for a missing key", async () => {
        await storage.write("there/below", Buffer.from("x"));
        for (const key of ["missing", "there", "there/below/further", "mis/sing"]) {
          const expected = { kind: "not-found", code: "NoSuchKey" };
          await expect(storage.stat(key), key).rejects.toMatchObject(expected);
          await expect(storage.read(key), key).rejects.toMatchObject(expected);
        }
      });

      it("continues reading only while the object has not changed", async () => {
        const { etag } = await storage.write("key", Buffer.from("one"));
        expect((await bytesOf(storage, "key", etag)).toString()).toBe("one");
        await storage.write("key", Buffer.from("other"));
        const reading = storage.read("key", { ifMatch: etag });
        await expect(reading).rejects.toMatchObject({
          kind: "conflict",
          code: "PreconditionFailed",
        });
      });

      it("can be abandoned in the middle of reading", async () => {
        await storage.write("key", randomBytes(2_000_000));
        for (let round = 0; round < 5; round++) {
          const { body } = await storage.read("key");
          for await (const chunk of body) {
            expect(chunk.length).toBeGreaterThan(0);
            break;
          }
        }
        expect((await bytesOf(storage, "key")).length).toBe(2_000_000);
      });
    });

    describe("conditions and checks", () => {
      unless("conditional writes")("writes with If-None-Match only what is new", async () => {
        await storage.write("key", Buffer.from("first"), { ifNoneMatch: "*" });
        const again = storage.write("key", Buffer.from("second"), { ifNoneMatch: "*" });
        await expect(again).rejects.toMatchObject({ kind: "conflict", code: "PreconditionFailed" });
        expect((await bytesOf(storage, "key")).toString()).toBe("first");
        expect(await keys(storage)).toEqual(["key"]);
      });

      unless("conditional writes")("lets exactly one of many writers win", async () => {
        const tries = Array.from({ length: 8 }, (_, i) =>
          storage.write("key", Buffer.from(`writer ${i}`), { ifNoneMatch: "*" }).then(
            () => i,
            () => undefined,
          ),
        );
        const winners = (await Promise.all(tries)).filter((i) => i !== undefined);
        expect(winners).toHaveLength(1);
        expect((await bytesOf(storage, "key")).toString()).toBe(`writer ${winners[0]}`);
      });

      unless("conditional writes")("writes with If-Match only over what it names", async () => {
        const { etag } = await storage.write("key", Buffer.from("first"));
        await storage.write("key", Buffer.from("second"), { ifMatch: etag });
        const stale = storage.write("key", Buffer.from("third"), { ifMatch: etag });
        await expect(stale).rejects.toMatchObject({ kind: "conflict", code: "PreconditionFailed" });
        expect((await bytesOf(storage, "key")).toString()).toBe("second");
      });

      unless("checksums").each(["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const)(
        "verifies %s before anything is there",
        async (algorithm) => {
          const bytes = randomBytes(1000);
          const computed = createChecksum(algorithm);
          computed.update(bytes);
          const checksum = { algorithm, value: computed.digest().toString("base64") };
          await storage.write("good", bytes, { checksum });
          const bad = storage.write("bad", Buffer.from("other bytes"), { checksum });
          await expect(bad).rejects.toMatchObject({ name: "AppError" });
          expect(await keys(storage)).toEqual(["good"]);
        },
      );

      it("leaves nothing of a write whose source failed", async () => {
        const broken: StreamBody = {
          length: 200_000,
          async *open() {
            yield Buffer.alloc(100_000);
            throw new Error("the source failed");
          },
        };
        await expect(storage.write("key", broken)).rejects.toThrow();
        expect(await keys(storage)).toEqual([]);
      });

      it("leaves nothing of a write that was aborted", async () => {
        const abort = new AbortController();
        const slow: StreamBody = {
          length: 400_000,
          async *open() {
            yield Buffer.alloc(100_000);
            abort.abort();
            yield Buffer.alloc(100_000);
            yield Buffer.alloc(200_000);
          },
        };
        const writing = storage.write("key", slow, { signal: abort.signal });
        await expect(writing).rejects.toMatchObject({ kind: "interrupted" });
        expect(await keys(storage)).toEqual([]);
      });
    });

    describe("keys", () => {
      const roundTrip = async (key: string): Promise<void> => {
        const bytes = Buffer.from(`bytes of ${JSON.stringify(key)}`);
        await storage.write(key, bytes);
        expect((await storage.stat(key)).key).toBe(key);
        expect((await bytesOf(storage, key)).equals(bytes)).toBe(true);
        expect(await keys(storage)).toEqual([key]);
        expect(await keys(storage, { prefix: key })).toEqual([key]);
        expect(await storage.remove([{ key }])).toEqual([{ key }]);
        expect(await keys(storage)).toEqual([]);
      };

      const hostile = HOSTILE.filter((key) => !isLacked(key, lacks));
      it.each(hostile)("keeps %j exactly", roundTrip);

      it.skipIf(lacks.includes("control characters")).each(NOT_XML)("keeps %j exactly", roundTrip);

      const notFiles = NOT_FILES.filter((key) => !isLacked(key, lacks));
      it.each(notFiles)("keeps %j exactly", roundTrip);

      it("tells keys apart that look alike", async () => {
        const alike = ["\u00e9", "e\u0301", "E", "e", "e ", "%C3%A9", "e+", "e%20"];
        for (const key of alike) await storage.write(key, Buffer.from(`is ${key}`));
        expect((await keys(storage)).toSorted()).toEqual(alike.toSorted());
        for (const key of alike) {
          expect((await bytesOf(storage, key)).toString()).toBe(`is ${key}`);
        }
      });
    });

    describe("listing", () => {
      const fill = async (names: readonly string[]): Promise<void> => {
        await Promise.all(names.map((key) => storage.write(key, Buffer.from(key))));
      };
      const ordered = () =>
        lacks.includes("nested keys") ? ORDERED.filter((key) => key !== "a") : ORDERED;

      it("is empty for an empty bucket", async () => {
        expect(await listed(storage)).toEqual([]);
        expect(await listed(storage, { prefix: "x/" })).toEqual([]);
        expect(await listed(storage, { prefix: "x/", delimiter: "/" })).toEqual([]);
      });

      it("is in the order of the keys' bytes", async () => {
        await fill(ordered());
        expect(await keys(storage)).toEqual([...new Set(ordered())]);
      });

      it("is the same whatever the size of its pages", async () => {
        await fill(ordered());
        for (const pageSize of [1, 2, 5, 1000]) {
          const sizes: number[] = [];
          for await (const page of storage.list({ pageSize })) sizes.push(page.length);
          expect(Math.max(...sizes)).toBeLessThanOrEqual(pageSize);
          expect(await keys(storage, { pageSize })).toEqual([...new Set(ordered())]);
        }
      });

      it("treats a prefix as letters, not as a directory", async () => {
        await fill(["photo", "photos/1", "photos/2", "photos2/3", "phot"]);
        expect(await keys(storage, { prefix: "photos" })).toEqual([
          "photos/1",
          "photos/2",
          "photos2/3",
        ]);
        expect(await keys(storage, { prefix: "photos/" })).toEqual(["photos/1", "photos/2"]);
        expect(await keys(storage, { prefix: "photos/2" })).toEqual(["photos/2"]);
        if (!lacks.includes("dot segments")) {
          expect(await keys(storage, { prefix: "../" })).toEqual([]);
        }
      });

      it("groups by a delimiter, in order with the objects", async () => {
        await fill(["a.txt", "a/1", "a/2", "a/b/3", "a0", "z/y/x"]);
        expect(await named(storage, { delimiter: "/" })).toEqual([
          "object a.txt",
          "prefix a/",
          "object a0",
          "prefix z/",
        ]);
        expect(await named(storage, { delimiter: "/", prefix: "a/" })).toEqual([
          "object a/1",
          "object a/2",
          "prefix a/b/",
        ]);
        expect(await named(storage, { delimiter: "/", prefix: "a" })).toEqual([
          "object a.txt",
          "prefix a/",
          "object a0",
        ]);
        for (const pageSize of [1, 3]) {
          expect(await named(storage, { delimiter: "/", pageSize })).toEqual([
            "object a.txt",
            "prefix a/",
            "object a0",
            "prefix z/",
          ]);
        }
      });

      it("starts after a key, exclusive", async () => {
        await fill(["a", "b/1", "b/2", "c", "d"]);
        expect(await keys(storage, { startAfter: "b/1" })).toEqual(["b/2", "c", "d"]);
        expect(await keys(storage, { startAfter: "b/15" })).toEqual(["b/2", "c", "d"]);
        expect(await keys(storage, { startAfter: "b" })).toEqual(["b/1", "b/2", "c", "d"]);
        expect(await keys(storage, { startAfter: "c", prefix: "b" })).toEqual([]);
        expect(await keys(storage, { startAfter: "b/1", prefix: "b/" })).toEqual(["b/2"]);
        expect(await keys(storage, { startAfter: "zzz" })).toEqual([]);
      });

      it("continues after a prefix without listing it again", async () => {
        await fill(["a", "b/1", "b/2", "c"]);
        const after = (startAfter: string) => named(storage, { delimiter: "/", startAfter });
        expect(await after("a")).toEqual(["prefix b/", "object c"]);
        expect(await after("b/")).toEqual(["object c"]);
        expect(await after("b/1")).toEqual(["object c"]);
      });

      const long = it.skipIf(quick);
      long("goes through more keys than a page holds", { timeout: 120_000 }, async () => {
        const many = Array.from({ length: 1050 }, (_, i) => `n/${String(i).padStart(5, "0")}`);
        for (let i = 0; i < many.length; i += 50) await fill(many.slice(i, i + 50));
        expect(await keys(storage)).toEqual(many);
        const first: Entry[] = [];
        for await (const page of storage.list()) {
          first.push(...page);
          break;
        }
        expect(first).toHaveLength(1000);
        const batch = many.slice(0, 1000).map((key) => ({ key }));
        const results = await storage.remove(batch);
        expect(results.map(({ key }) => key)).toEqual(many.slice(0, 1000));
        expect(results.every(({ error }) => error === undefined)).toBe(true);
        expect(await keys(storage)).toEqual(many.slice(1000));
      });

      it("stops when it is aborted", async () => {
        await fill(["a", "b", "c"]);
        const abort = new AbortController();
        const listing = (async () => {
          for await (const _ of storage.list({ pageSize: 1, signal: abort.signal })) abort.abort();
        })();
        await expect(listing).rejects.toMatchObject({ kind: "interrupted" });
      });
    });

    describe("removal", () => {
      it("removes the given keys and nothing else", async () => {
        const all = ["a", "b/1", "b/2", "b2"];
        await Promise.all(all.map((key) => storage.write(key, Buffer.from(key))));
        const results = await storage.remove([{ key: "b/2" }, { key: "missing" }, { key: "a" }]);
        expect(results.map(({ key, error }) => [key, error])).toEqual([
          ["b/2", undefined],
          ["missing", undefined],
          ["a", undefined],
        ]);
        expect(await keys(storage)).toEqual(["b/1", "b2"]);
      });

      it("removes nothing for an empty list", async () => {
        await storage.write("a", Buffer.from("x"));
        expect(await storage.remove([])).toEqual([]);
        expect(await keys(storage)).toEqual(["a"]);
      });

      it("treats the name of a group of keys as a key", async () => {
        await storage.write("b/1", Buffer.from("x"));
        const targets = [{ key: "b" }, { key: "b/1/2" }];
        expect(await storage.remove(targets)).toEqual(targets);
        expect(await keys(storage)).toEqual(["b/1"]);
      });

      it("removes hostile keys in one batch", async () => {
        const hostile = HOSTILE.filter((key) => !isLacked(key, lacks));
        const batch = lacks.includes("control characters") ? hostile : [...hostile, ...NOT_XML];
        await Promise.all(batch.map((key) => storage.write(key, Buffer.from("x"))));
        const results = await storage.remove(batch.map((key) => ({ key })));
        expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
        expect(results.map(({ key }) => key)).toEqual(batch);
        expect(await keys(storage)).toEqual([]);
      });
    });
  });
}

/** Whether a key is of a kind that the service is known not to keep. */
export function isLacked(key: string, lacks: readonly Lack[]): boolean {
  const segments = key.split("/");
  if (lacks.includes("newlines") && key.includes("\n")) return true;
  if (lacks.includes("dot segments") && segments.some((one) => /^\.{1,2}$/.test(one))) return true;
  return lacks.includes("empty segments") && segments.includes("");
}

/** All entries of a listing. */
export async function listed(storage: BucketStorage, options?: ListOptions): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const page of storage.list(options)) all.push(...page);
  return all;
}

/** All keys of a listing. */
export async function keys(storage: BucketStorage, options?: ListOptions): Promise<string[]> {
  return (await listed(storage, options)).map(({ key }) => key);
}

async function named(storage: BucketStorage, options: ListOptions): Promise<string[]> {
  return (await listed(storage, options)).map(({ type, key }) => `${type} ${key}`);
}

/** An object's bytes. */
export async function bytesOf(
  storage: BucketStorage,
  key: string,
  ifMatch?: string,
): Promise<Buffer> {
  const { body } = await storage.read(key, { ifMatch });
  return collect(body);
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function sha(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function streamOf(bytes: Buffer, size: number): StreamBody {
  return {
    length: bytes.length,
    async *open() {
      for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
    },
  };
}
