/** The contents of a zip archive, by its directory alone: the archive itself is not read. */
import { AppError } from "../failures/errors.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo } from "../storage/storage.js";

export interface ZipEntry {
  /** As it is written there: a stranger's text, and no path. */
  readonly name: string;
  /** Bytes; expanded, and as they are stored. */
  readonly size: number;
  readonly stored: number;
}

export interface ZipDirectory {
  /** How many there are; `entries` are the first of them. */
  readonly count: number;
  readonly entries: readonly ZipEntry[];
}

/** The end of the directory: 22 bytes and a comment of up to 64 KiB. */
const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const UNKNOWN = 0xffffffff;
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
  const count = tail.readUInt16LE(at + 10);
  const length = tail.readUInt32LE(at + 12);
  const start = tail.readUInt32LE(at + 16);
  if (start === UNKNOWN || count === 0xffff || start + length > size) throw bad(key);
  const directory =
    length === 0 ? Buffer.alloc(0) : await read(start, start + Math.min(length, MOST));
  return { count, entries: [...entriesOf(directory)] };
}

function* entriesOf(directory: Buffer): Generator<ZipEntry> {
  for (let at = 0; at + ENTRY_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== ENTRY) return;
    const name = directory.readUInt16LE(at + 28);
    const rest = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    const end = at + ENTRY_BYTES + name;
    if (end > directory.length) return;
    yield {
      name: directory.toString("utf8", at + ENTRY_BYTES, end),
      size: directory.readUInt32LE(at + 24),
      stored: directory.readUInt32LE(at + 20),
    };
    at = end + rest;
  }
}

function bad(key: string): AppError {
  return new AppError({
    kind: "conflict",
    code: "BadArchive",
    message: `${key} is no zip archive, or one of more than 4 GiB or 65,535 files`,
    hint: "download it",
  });
}
