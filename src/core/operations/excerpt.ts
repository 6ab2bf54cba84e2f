/** The first or last lines of an object, by range and through its compression. */
import {
  createBrotliDecompress,
  createGunzip,
  type BrotliDecompress,
  type Gunzip,
} from "node:zlib";
import { pipeline, Readable } from "node:stream";

import { AppError, usageError } from "../failures/errors.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo, OpenObject } from "../storage/storage.js";

export interface ExcerptRequest {
  readonly storage: BucketStorage;
  readonly key: string;
  readonly versionId?: string | undefined;
  /** How much of it. */
  readonly count: { readonly lines: number } | { readonly bytes: number };
  /** Leaves a compressed object as it is. */
  readonly raw?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Chunks = AsyncIterable<Uint8Array>;

const NEWLINE = 0x0a;

/** The first lines or bytes; reading ends there. A chunk is valid until the next is asked for. */
export async function* head(request: ExcerptRequest): AsyncGenerator<Uint8Array> {
  const { storage, key, versionId, count, signal } = request;
  const opened = await storage.read(key, { versionId, signal });
  const content = expanded(opened, request);
  let left = "lines" in count ? count.lines : count.bytes;
  if (left === 0) return await release(content);
  for await (const chunk of content) {
    const end = "lines" in count ? endOfLines(chunk, left) : Math.min(left, chunk.length);
    left -= "lines" in count ? linesIn(chunk.subarray(0, end)) : end;
    yield chunk.subarray(0, end);
    if (left === 0) return;
  }
}

/**
 * The lines `first` to `last`, from 1; reading ends there. Throws InvalidRange when they begin further
 * on than `most` bytes.
 */
export async function* lineRange(
  request: Omit<ExcerptRequest, "count">,
  [first, last]: readonly [number, number],
  most: number,
): AsyncGenerator<Uint8Array> {
  const { storage, key, versionId, signal } = request;
  const opened = await storage.read(key, { versionId, signal });
  let skip = first - 1;
  let left = last - skip;
  let skipped = 0;
  for await (const chunk of expanded(opened, request)) {
    const start = skip === 0 ? 0 : endOfLines(chunk, skip);
    skip -= linesIn(chunk.subarray(0, start));
    skipped += start;
    if (skip > 0 && skipped > most) throw tooFar(first, most);
    if (skip > 0) continue;
    const end = start + endOfLines(chunk.subarray(start), left);
    left -= linesIn(chunk.subarray(start, end));
    yield chunk.subarray(start, end);
    if (left === 0) return;
  }
}

function tooFar(line: number, most: number): AppError {
  return usageError(
    "InvalidRange",
    `line ${line} is further on than ${most} bytes`,
    "read by byte offset, or from the end",
  );
}

/** Ends a body that is not wanted, so that its connection is free. */
async function release(content: Chunks): Promise<void> {
  await content[Symbol.asyncIterator]().return?.();
}

/** Where the first `lines` lines of a chunk end; its length when it has fewer. */
function endOfLines(chunk: Uint8Array, lines: number): number {
  let end = 0;
  for (let seen = 0; seen < lines; seen += 1) {
    const at = chunk.indexOf(NEWLINE, end);
    if (at < 0) return chunk.length;
    end = at + 1;
  }
  return end;
}

function linesIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Bytes looked at in one go, from the end backwards. */
const BLOCK = 256 * 1024;

/**
 * The last lines or bytes: by ranges from the end; of a compressed object, which has to be read whole,
 * only these are kept. All requests are for the same state of the object (PreconditionFailed).
 */
export async function* tail(request: ExcerptRequest): AsyncGenerator<Uint8Array> {
  const { storage, key, versionId, count, signal } = request;
  const info = await storage.stat(key, { versionId, signal });
  const pinned = { versionId, ifMatch: info.etag, signal };
  if (info.size === 0) return;
  if (!request.raw && compressionOf(info) !== undefined) {
    yield* lastOf(expanded(await storage.read(key, pinned), request), count);
    return;
  }
  const start =
    "bytes" in count
      ? Math.max(0, info.size - count.bytes)
      : await startOfLines(request, info, pinned.ifMatch);
  if (start >= info.size) return;
  yield* (await storage.read(key, { ...pinned, range: { start } })).body;
}

/** Where the last lines begin. A newline at the very end ends the last line and begins none. */
async function startOfLines(
  { storage, key, versionId, count, signal }: ExcerptRequest,
  { size }: ObjectInfo,
  ifMatch: string | undefined,
): Promise<number> {
  let wanted = "lines" in count ? count.lines : 0;
  if (wanted === 0) return size;
  for (let end = size; end > 0; end -= BLOCK) {
    const start = Math.max(0, end - BLOCK);
    const range = { start, end: end - 1 };
    const block = await gathered(
      (await storage.read(key, { versionId, ifMatch, range, signal })).body,
    );
    let at = block.length - (end === size && block.at(-1) === NEWLINE ? 1 : 0);
    while (at > 0) {
      at = block.lastIndexOf(NEWLINE, at - 1);
      if (at < 0) break;
      wanted -= 1;
      if (wanted === 0) return start + at + 1;
    }
  }
  return 0;
}

async function gathered(chunks: Chunks): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

/** The end of a stream; no more of it is held than that end and one chunk. */
async function* lastOf(
  content: Chunks,
  count: ExcerptRequest["count"],
): AsyncGenerator<Uint8Array> {
  let kept = Buffer.alloc(0);
  for await (const chunk of content) {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 4 * BLOCK) kept = Buffer.from(kept.subarray(endOffset(kept, count)));
  }
  yield kept.subarray(endOffset(kept, count));
}

function endOffset(kept: Buffer, count: ExcerptRequest["count"]): number {
  if ("bytes" in count) return Math.max(0, kept.length - count.bytes);
  let at = kept.length - (kept.at(-1) === NEWLINE ? 1 : 0);
  for (let lines = 0; lines < count.lines; lines += 1) {
    at = at > 0 ? kept.lastIndexOf(NEWLINE, at - 1) : -1;
    if (at < 0) return 0;
  }
  return count.lines === 0 ? kept.length : at + 1;
}

const ENCODINGS = ["gzip", "br"] as const;
type Compression = (typeof ENCODINGS)[number];
const SUFFIXES: Readonly<Record<string, Compression>> = { gz: "gzip", tgz: "gzip", br: "br" };

/** How an object is compressed: by its Content-Encoding, else by its name. */
export function compressionOf({
  contentEncoding,
  key,
}: Pick<ObjectInfo, "contentEncoding" | "key">): Compression | undefined {
  const named = contentEncoding
    ?.split(",")
    .at(-1)
    ?.trim()
    .toLowerCase()
    .replace(/^x-gzip$/, "gzip");
  const encoding = ENCODINGS.find((one) => one === named);
  return encoding ?? SUFFIXES[/\.(\w+)$/.exec(key)?.[1]?.toLowerCase() ?? ""];
}

/** The content, through its compression unless it is to stay `raw`. Throws BadCompression on the way. */
export function expanded(
  { info, body, bytes }: OpenObject,
  { key, raw }: Pick<ExcerptRequest, "key" | "raw">,
): Chunks {
  const compression = raw === true ? undefined : compressionOf({ ...info, key });
  const chunks = bytes === undefined ? body : once(bytes);
  if (compression === undefined) return chunks;
  // The expander keeps chunks while it works on them, and they are only lent.
  const copied = Readable.from(copies(chunks), { objectMode: false });
  const expander = expanderOf(compression);
  // A failure on either side is thrown to the reader; an early end of the reader is not a failure.
  pipeline(copied, expander, () => undefined);
  return failing(expander, key, compression);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* copies(chunks: Chunks): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function expanderOf(compression: Compression): Gunzip | BrotliDecompress {
  return compression === "gzip" ? createGunzip() : createBrotliDecompress();
}

async function* failing(
  stream: AsyncIterable<Buffer>,
  key: string,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (cause) {
    if (
      !(
        cause instanceof Error &&
        "code" in cause &&
        /^Z_|^ERR__?(?:ERROR|BROTLI)/.test(String(cause.code))
      )
    ) {
      throw cause;
    }
    throw new AppError({
      kind: "conflict",
      code: "BadCompression",
      message: `${key} is not ${compression}, although it is called that: ${cause.message}`,
      hint: "add --raw to take it as it is",
      cause,
    });
  }
}
