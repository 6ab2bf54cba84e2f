/** The contents of a zip archive, by its directory alone: the archive itself is not read. */
import { type AppError, conflictError } from "../failures/errors.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo } from "../storage/storage.js";

export interface ZipEntry {
  /** As it is written there: a stranger's text, and no path. */
  readonly name: string;
  /** Bytes, expanded. */
  readonly size: number;
}

export interface ZipDirectory {
  /** How many there are; `entries` are the first of them. */
  readonly count: number;
  readonly entries: readonly ZipEntry[];
}

/** The end of the directory: 22 bytes and a comment of up to 64 KiB. */
const END = 0x06054b50;
const END_BYTES = 22;
/** In a large archive a locator before the end says where the wide form of the end is. */
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const WIDE_END = 0x06064b50;
const WIDE_END_BYTES = 56;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
/** A size that stands in the entry's wide field instead. */
const WIDE = 0xffffffff;
const WIDE_FIELD = 1;
/** Bytes of the directory that are read. */
const MOST = 1024 * 1024;

/** Reads an archive's directory, by ranges of one state of the object. Throws BadArchive. */
export async function zipDirectory(
  storage: BucketStorage,
  { key, size, etag, versionId }: ObjectInfo,
  signal: AbortSignal,
): Promise<ZipDirectory> {
  const read = async (start: number, end: number): Promise<Buffer> => {
    const range = { start, end: end - 1 };
    const { body } = await storage.read(key, { versionId, ifMatch: etag, range, signal });
    const bytes = Buffer.alloc(end - start);
    let length = 0;
    for await (const chunk of body) {
      bytes.set(chunk.subarray(0, bytes.length - length), length);
      length = Math.min(bytes.length, length + chunk.length);
      if (length === bytes.length) break;
    }
    return bytes.subarray(0, length);
  };
  if (size < END_BYTES) throw bad(key);
  const tail = await read(Math.max(0, size - END_BYTES - 0xffff), size);
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at -= 1;
  if (at < 0) throw bad(key);
  let count = tail.readUInt16LE(at + 10);
  let length = tail.readUInt32LE(at + 12);
  let start = tail.readUInt32LE(at + 16);
  if (at >= LOCATOR_BYTES && tail.readUInt32LE(at - LOCATOR_BYTES) === LOCATOR) {
    const from = Number(tail.readBigUInt64LE(at - LOCATOR_BYTES + 8));
    if (from + WIDE_END_BYTES > size) throw bad(key);
    const end = await read(from, from + WIDE_END_BYTES);
    if (end.length < WIDE_END_BYTES || end.readUInt32LE(0) !== WIDE_END) throw bad(key);
    const wide = (field: number) => Number(end.readBigUInt64LE(field));
    [count, length, start] = [wide(32), wide(40), wide(48)];
  }
  if (start + length > size) throw bad(key);
  const directory =
    length === 0 ? Buffer.alloc(0) : await read(start, start + Math.min(length, MOST));
  return { count, entries: [...entriesOf(directory)] };
}

function* entriesOf(directory: Buffer): Generator<ZipEntry> {
  for (let at = 0; at + ENTRY_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY) return;
    const named = at + ENTRY_BYTES + directory.readUInt16LE(at + 28);
    const extra = named + directory.readUInt16LE(at + 30);
    if (extra > directory.length) return;
    const size = directory.readUInt32LE(at + 24);
    yield {
      name: directory.toString("utf8", at + ENTRY_BYTES, named),
      size: size === WIDE ? wideSize(directory.subarray(named, extra)) : size,
    };
    at = extra + directory.readUInt16LE(at + 32);
  }
}

/** The size in an entry's wide field, of which it is the first number. */
function wideSize(extra: Buffer): number {
  for (let at = 0; at + 12 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === WIDE_FIELD) return Number(extra.readBigUInt64LE(at + 4));
  }
  return WIDE;
}

function bad(key: string): AppError {
  return conflictError("BadArchive", `${key} is no zip archive, or a damaged one`, "download it");
}
