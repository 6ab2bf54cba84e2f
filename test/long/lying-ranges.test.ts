/** A large download from a service that lies about ranges: the file is the object's, or is not there. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { type HttpResponse, readAll } from "../../src/protocol/message.js";
import { pseudoRandom, startBucket, type TestBucket } from "../support/bucket.js";

const CONTENT = pseudoRandom(12 * MIB + 7);
const PART = 5 * MIB;

let bucket: TestBucket;
let target: string;
beforeAll(async () => {
  bucket = await startBucket();
  await bucket.put("k", CONTENT);
  target = join(bucket.directory, "files", "k");
});
afterAll(() => bucket.close());

type Lie = (answer: HttpResponse, bytes: Buffer) => HttpResponse;
const told = (answer: HttpResponse, bytes: Uint8Array, headers: object = {}): HttpResponse => ({
  ...answer,
  headers: { ...answer.headers, "content-length": String(bytes.length), ...headers },
  body: (async function* () {
    yield bytes;
  })(),
  bytes: undefined,
});
const range = ({ headers }: HttpResponse, change: (start: number, end: number) => string) => {
  const [, start, end] = /bytes (\d+)-(\d+)/.exec(headers["content-range"] ?? "") ?? [];
  return { "content-range": change(Number(start), Number(end)) };
};

const LIES: Readonly<Record<string, Lie>> = {
  "everything, with 200": (answer) => ({ ...told(answer, CONTENT), status: 200 }),
  "nothing, with 200": (answer) => ({ ...told(answer, Buffer.alloc(0)), status: 200 }),
  "another range, as it says": (answer, bytes) =>
    told(
      answer,
      bytes,
      range(answer, (start, end) => `bytes ${start + 1}-${end + 1}/9`),
    ),
  "another range, and does not say so": (answer, bytes) =>
    told(answer, Buffer.concat([bytes.subarray(1), Buffer.of(0)])),
  "no range": (answer, bytes) => told(answer, bytes, { "content-range": undefined }),
  "a shorter body, of the length it says": (answer, bytes) => told(answer, bytes.subarray(9)),
  "a longer body": (answer, bytes) => told(answer, Buffer.concat([bytes, bytes])),
  "an empty body": (answer) => told(answer, Buffer.alloc(0)),
  "another ETag": (answer, bytes) => told(answer, bytes, { etag: '"other"' }),
};

/** The bucket through a service that lies in every answer, or in the first ones, to a GET of a range. */
const lying = (lie: Lie, times = Infinity): Promise<BucketStorage> => {
  let left = times;
  return bucket.through((inner) => async (request) => {
    const answer = await inner(request);
    if (request.method !== "GET" || answer.status !== 206 || left <= 0) return answer;
    left -= 1;
    return lie(answer, await readAll(answer.body, 64 * MIB));
  });
};

async function download(storage: BucketStorage, signal?: AbortSignal) {
  const place = { ...bucket.at("k"), storage };
  return copy({
    sources: [place],
    target: { type: "path", path: target },
    partSize: PART,
    stateDir: bucket.stateDir,
    signal,
  }).then(
    ({ failures }) => failures[0]?.error,
    (error: unknown) => error,
  );
}

/** Leaves the half of a download, as a run that was killed does. */
async function begun(): Promise<void> {
  const ended = new AbortController();
  let count = 0;
  const slow = await bucket.through((inner) => async (request) => {
    if (request.method === "GET" && (count += 1) > 2) ended.abort();
    return inner(request);
  });
  expect(await download(slow, ended.signal)).toBeDefined();
}

describe.each(Object.entries(LIES))("a service that answers with %s", (_, lie) => {
  it.each([1, Infinity])("%d times gets no wrong byte into a file", async (times) => {
    for (const isResumed of [false, true]) {
      rmSync(join(target, ".."), { recursive: true, force: true, maxRetries: 5 });
      if (isResumed) await begun();
      const error = await download(await lying(lie, times));
      if (error === undefined) expect(readFileSync(target).equals(CONTENT)).toBe(true);
      else expect(existsSync(target)).toBe(false);
      expect(await download(bucket.storage)).toBeUndefined();
      expect(readFileSync(target).equals(CONTENT)).toBe(true);
      expect(readdirSync(join(target, ".."))).toEqual(["k"]);
    }
  });
});
