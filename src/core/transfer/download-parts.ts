/**
 * One large object in ranges, several at once, into one file of its full size. Every range is
 * pinned to the ETag the download began with. Finished work is recorded with a checksum of its own,
 * so that a later run takes over only bytes that are really on the disk.
 */
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";

import { type CrcAlgorithm, combineCrc, createChecksum, isCrc } from "../../protocol/checksum.js";
import { isAppError } from "../failures/errors.js";
import { nameOf } from "../ref.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { DownloadResult, DownloadTask } from "./tasks.js";
import { localError } from "../failures/local.js";
import { applyAttributes } from "../local/attributes.js";
import { commit, discard, modeFor, temporaryName, writeAll } from "../local/target.js";
import { workOnParts } from "./parts-at-once.js";
import { readRange } from "./remote.js";
import { claimRecord, type ResumeRecord } from "./resume.js";
import { partCount, partRange, type PartRange, rangeSizeFor } from "./sizes.js";
import { downloaded, type Expected, expectedOf, requireMatch } from "./verify.js";
import { requireStoredMatch } from "./verify-file.js";

/** Smaller chunks are gathered to writes of this size: copying to shared memory, as larger is, is slow. */
const WRITE_SIZE = 256 * 1024;
/** Every so many bytes of a range are noted: what is interrupted loses no more than that. */
const NOTED_BYTES = 4 * 1024 * 1024;
/** A chunk this large is written as it is. */
const DIRECT_WRITE = 256 * 1024;

interface Head {
  readonly etag: string;
  readonly size: number;
  readonly partSize: number;
  readonly temporary: string;
}

interface PartsDownload {
  readonly task: DownloadTask;
  readonly info: ObjectInfo;
  readonly file: FileHandle;
  readonly partSize: number;
  /** The whole's CRC follows from the ranges'; other checksums are computed at the end. */
  readonly crc: CrcAlgorithm | undefined;
  readonly record: ResumeRecord | undefined;
  /** The checksum that each range is noted with: the whole's CRC, or one for the record alone. */
  readonly rangeCrc: CrcAlgorithm | undefined;
  /** The ranges that are there, with their raw `rangeCrc`; empty without one. */
  readonly done: Map<number, Buffer>;
  /** The starts of ranges that are there. */
  readonly begun: Map<number, Begun>;
}

/** The first `length` bytes of a range, with their raw `rangeCrc`. */
interface Begun {
  readonly length: number;
  readonly crc: Buffer;
}

/** Downloads an object in ranges; resolves as `downloadFile` does. */
export async function downloadInParts(
  task: DownloadTask,
  target: string,
  info: ObjectInfo,
): Promise<DownloadResult> {
  const { run } = task;
  const expected = task.verify ? expectedOf(info) : undefined;
  const partSize = rangeSizeFor(info.size, task.partSize);
  const record = await claim(task, target);
  const left = await takeOver(task, record, info, partSize);
  const temporary = left ?? temporaryName(target, record !== undefined);
  try {
    const file = await open(temporary, left === undefined ? "wx+" : "r+", modeFor(target));
    try {
      const crc = crcOf(expected);
      const rangeCrc = crc ?? (record && "CRC32");
      const kept = { done: new Map<number, Buffer>(), begun: new Map<number, Begun>() };
      const job: PartsDownload = { task, info, file, partSize, crc, rangeCrc, record, ...kept };
      if (left === undefined) {
        await file.truncate(info.size);
        const head: Head = { etag: info.etag ?? "", size: info.size, partSize, temporary };
        record?.begin(head);
      } else {
        await checkLeft(job);
      }
      await fetchAll(job);
      if (expected !== undefined) await check(job, expected);
      applyAttributes(file.fd, info, task.preserve);
    } finally {
      await file.close();
    }
  } catch (error) {
    const failure = localError(error, "write", target);
    // A full disk is not helped by keeping the half, and bad bytes are of no use to anybody; what a
    // service out of reach or credentials that ended cut short is.
    const cutShort = isAppError(error) && ["unavailable", "denied"].includes(error.kind);
    if (record !== undefined && (run.signal.aborted || cutShort) && !USELESS.has(failure.code)) {
      record.keep();
      run.leave({ type: "file", path: temporary });
    } else {
      discard(temporary);
      await record?.remove();
      // All of it had come.
      if (failure.code === "ChecksumMismatch") {
        run.emit({ type: "bytes", id: task.item.id, count: -info.size });
      }
    }
    throw failure;
  }
  const committed = commit(temporary, target, task.noClobber, task.root, task.replaces);
  await record?.remove();
  return committed ? downloaded(task, info) : "exists";
}

const USELESS = new Set(["ENOSPC", "EDQUOT", "EFBIG", "ChecksumMismatch"]);

function claim({ stateDir, object }: DownloadTask, target: string) {
  const { storage, ref } = object;
  const { key, versionId } = ref;
  const source = [storage.client.endpoint.href, storage.bucket, key, versionId ?? ""];
  return claimRecord(stateDir, ["download", ...source, resolve(target)]);
}

function crcOf(expected: Expected | undefined): CrcAlgorithm | undefined {
  if (expected === undefined || expected.composite || expected.algorithm === "MD5")
    return undefined;
  return isCrc(expected.algorithm) ? expected.algorithm : undefined;
}

/** The temporary file of an earlier run when it is of the same object; else it is removed. */
async function takeOver(
  { run, item }: DownloadTask,
  record: ResumeRecord | undefined,
  info: ObjectInfo,
  partSize: number,
): Promise<string | undefined> {
  const head = record?.left?.head;
  if (!isHead(head)) return undefined;
  const same = head.etag === info.etag && head.size === info.size;
  if (same && head.partSize === partSize) {
    const stats = statSync(head.temporary, { throwIfNoEntry: false });
    if (stats?.isFile() === true && stats.size === info.size) return head.temporary;
    run.emit({ type: "restarted", item, reason: "the partial file is gone" });
  } else {
    const reason = same ? "the part size differs from last time" : "the source has changed";
    run.emit({ type: "restarted", item, reason });
  }
  discard(head.temporary);
  return undefined;
}

function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const head = value as Partial<Record<keyof Head, unknown>>;
  return (
    typeof head.etag === "string" &&
    typeof head.size === "number" &&
    typeof head.partSize === "number" &&
    typeof head.temporary === "string"
  );
}

/**
 * Reads back what the record says is there, and keeps what has the checksum noted for it. A line is
 * a range's number, the checksum's name and value, and the bytes it is of when it is not all.
 */
async function checkLeft(job: PartsDownload): Promise<void> {
  const { task, info, record, done, begun, partSize } = job;
  let skipped = 0;
  // The last line of a range says most.
  for (const line of (record?.left?.lines ?? []).toReversed()) {
    const [first, algorithm, noted, bytes] = line.split(" ");
    const number = Number(first);
    if (!(number >= 1 && number <= partCount(info.size, partSize))) continue;
    if (done.has(number) || begun.has(number) || !isCrc(algorithm)) continue;
    const range = partRange(number, partSize, info.size);
    const length = bytes === undefined ? range.end - range.start : Number(bytes);
    if (!(length > 0 && range.start + length <= range.end)) continue;
    const there = { ...range, end: range.start + length };
    const digest = await readBack(job, there, algorithm);
    if (digest.toString("hex") !== noted) continue;
    // It may have been noted for a run that verified by another checksum.
    const wanted = job.rangeCrc ?? algorithm;
    const crc = wanted === algorithm ? digest : await readBack(job, there, wanted);
    if (there.end === range.end) done.set(number, crc);
    else begun.set(number, { length, crc });
    skipped += length;
  }
  task.run.emit({ type: "resumed", item: task.item, skipped });
}

async function readBack(
  { task, file }: PartsDownload,
  range: PartRange,
  algorithm: CrcAlgorithm,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(WRITE_SIZE);
  const digest = createChecksum(algorithm);
  for (let position = range.start; position < range.end;) {
    task.run.signal.throwIfAborted();
    const length = Math.min(buffer.length, range.end - position);
    const { bytesRead } = await file.read(buffer, 0, length, position);
    if (bytesRead === 0) break;
    digest.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return digest.digest();
}

async function fetchAll(job: PartsDownload): Promise<void> {
  const { task, info, partSize, done } = job;
  const count = partCount(info.size, partSize);
  let number = 0;
  await workOnParts(task.run, count - done.size, async () => {
    do number += 1;
    while (done.has(number));
    if (number > count) return undefined;
    const range = partRange(number, partSize, info.size);
    await fetchRange(job, range);
    return range.end - range.start;
  });
}

async function fetchRange(job: PartsDownload, range: PartRange): Promise<void> {
  const { task, info, file, rangeCrc, record, done, begun } = job;
  const { run, item, object, limiter } = task;
  const digest = rangeCrc && createChecksum(rangeCrc);
  const before = begun.get(range.number);
  const first = range.start + (before?.length ?? 0);
  const lease = await run.memory.borrow(WRITE_SIZE, run.signal);
  const buffer = lease.bytes;
  let held = 0;
  let start = first;
  let noted = first;
  /** The checksum of the range as far as it is there. */
  const crcSoFar = () => {
    const rest = digest?.digest() ?? Buffer.alloc(0);
    if (before === undefined || rangeCrc === undefined) return rest;
    return combineCrc(rangeCrc, before.crc, rest, start - first);
  };
  const write = async (bytes: Uint8Array) => {
    digest?.update(bytes);
    await writeAll(file, bytes, start);
    start += bytes.length;
    run.emit({ type: "bytes", id: item.id, count: bytes.length });
    if (record === undefined || start - noted < NOTED_BYTES || start === range.end) return;
    record.add(`${range.number} ${rangeCrc} ${crcSoFar().toString("hex")} ${start - range.start}`);
    noted = start;
  };
  const flush = async () => {
    if (held > 0) await write(buffer.subarray(0, held));
    held = 0;
  };
  const take = async (chunk: Uint8Array) => {
    if (held + chunk.length > buffer.length) await flush();
    if (chunk.length >= DIRECT_WRITE) {
      await flush();
      await write(chunk);
    } else {
      buffer.set(chunk, held);
      held += chunk.length;
    }
    await limiter?.take(chunk.length, run.signal);
  };
  try {
    await readRange(run, item, object, info, { start: first, end: range.end }, take);
    await flush();
  } catch (error) {
    // Bytes that came in after the last note are fetched again: they are not progress.
    run.emit({ type: "bytes", id: item.id, count: noted - start });
    throw error;
  } finally {
    lease.release();
  }
  const crc = crcSoFar();
  done.set(range.number, crc);
  record?.add(`${range.number} ${rangeCrc} ${crc.toString("hex")}`);
}

async function check(job: PartsDownload, expected: Expected): Promise<void> {
  const { task, info, file, crc, done, partSize } = job;
  if (crc === undefined) return requireStoredMatch(task, info, expected, file);
  let whole: Buffer | undefined;
  for (let number = 1; number <= partCount(info.size, partSize); number += 1) {
    const range = partRange(number, partSize, info.size);
    const part = done.get(number)!;
    whole = whole === undefined ? part : combineCrc(crc, whole, part, range.end - range.start);
  }
  requireMatch(expected, whole!, nameOf(task.object.ref));
}
