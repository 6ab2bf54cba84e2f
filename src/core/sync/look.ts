/** Looking closer at two things of one size that the listings do not tell apart. */
import { hash } from "node:crypto";
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";

import { isAppError } from "../failures/errors.js";
import { fileState, storedTime } from "../local/attributes.js";
import { openLocalSource, readAtOnce } from "../local/source.js";
import type { ObjectRef } from "../ref.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { Reason } from "../engine/events.js";
import type { Run } from "../engine/run.js";
import type { BucketPlace } from "../operations/types.js";
import type { RemoteObject } from "../transfer/remote.js";
import { SMALL_OBJECT } from "../transfer/sizes.js";
import { expectedOf } from "../transfer/verify.js";
import { startStoredVerification } from "../transfer/verify-file.js";
import { type Compare, decideSeen, type Seen } from "./decide.js";
import { isMd5, partSizesFor, partsOf, startETags } from "./etags.js";
import type { Listed } from "./pairs.js";
import { refAt, type Side } from "./sides.js";

/** A file's state means the same, too: its bytes were read in that state just now. */
export type Found = "same" | Stats | Reason;

/**
 * Compares by the strongest evidence there is: first by what only takes reading a file, which a
 * small one is at once, then by what the service tells when asked. At most a HEAD of each object and
 * two readings of a file.
 */
export function look(
  run: Run,
  source: Side,
  target: Side,
  pair: { readonly source: Listed; readonly target: Listed },
  compare: Compare,
): Found | Promise<Found> {
  if (source.type === "path" && target.type !== "path") {
    return lookAtFile(run, source, pair.source, target, pair.target, compare, false);
  }
  if (source.type !== "path" && target.type === "path") {
    return lookAtFile(run, target, pair.target, source, pair.source, compare, true);
  }
  if (source.type === "path" || target.type === "path") return "checksum";
  return lookAtObjects(run, objectAt(source, pair.source), objectAt(target, pair.target), compare);
}

function objectAt(side: BucketPlace, listed: Listed): RemoteObject {
  return { storage: side.storage, ref: refAt(side, listed) as ObjectRef };
}

async function lookAtObjects(
  run: Run,
  one: RemoteObject,
  other: RemoteObject,
  compare: Compare,
): Promise<Found> {
  const [from, to] = await Promise.all([statOf(run, one), statOf(run, other)]);
  return compare === "time"
    ? decideSeen(seen(from), seen(to), compare)
    : (sameChecksum(from, to) ?? decideSeen(seen(from), seen(to), compare));
}

function statOf(run: Run, { storage, ref }: RemoteObject): Promise<ObjectInfo> {
  const { key, versionId } = ref;
  const { signal } = run;
  return storage.stat(key, { signal, ...(versionId !== undefined && { versionId }) });
}

function seen(info: ObjectInfo): Seen {
  const { encryption, etag } = info;
  return {
    mtime: storedTime(info),
    etag,
    plain: encryption === undefined || encryption === "AES256",
  };
}

/** The verdict of a checksum that both have; undefined when they have none in common. */
function sameChecksum(one: ObjectInfo, other: ObjectInfo): "same" | "checksum" | undefined {
  const whole = (info: ObjectInfo) => info.checksumType !== "COMPOSITE";
  for (const [algorithm, value] of Object.entries(one.checksums)) {
    const there = other.checksums[algorithm as keyof typeof other.checksums];
    if (there === undefined) continue;
    if (value === there) return "same";
    if (whole(one) && whole(other) && !`${value}${there}`.includes("-")) return "checksum";
  }
  return undefined;
}

function lookAtFile(
  run: Run,
  side: Extract<Side, { type: "path" }>,
  listed: Listed,
  place: BucketPlace,
  there: Listed,
  compare: Compare,
  downloads: boolean,
): Found | Promise<Found> {
  const path = join(side.path, listed.name);
  const { etag, size } = there;
  if (compare !== "time" && size > 0 && size <= SMALL_OBJECT && isMd5(etag)) {
    const file = readAtOnce(path, size);
    if (file !== undefined) {
      if (fileState(file.stats) !== listed.etag) return "checksum";
      if (hash("md5", file.bytes) === etag) return file.stats;
      return askAbout(run, path, listed, objectAt(place, there), compare, downloads);
    }
  }
  return lookLonger(run, path, listed, objectAt(place, there), there, compare, downloads);
}

async function lookLonger(
  run: Run,
  path: string,
  listed: Listed,
  object: RemoteObject,
  { etag, size }: Listed,
  compare: Compare,
  downloads: boolean,
): Promise<Found> {
  if (compare !== "time" && size > 0) {
    const parts = partsOf(etag);
    if (isMd5(etag) || parts !== undefined) {
      const partSizes = parts === undefined ? [] : partSizesFor(size, parts);
      const started = startETags(partSizes);
      if (parts === undefined || partSizes.length > 0) {
        if (!(await passes(run, path, listed, started.update))) return "checksum";
        if (started.end().includes(etag!)) return "same";
      }
    }
  }
  return await askAbout(run, path, listed, object, compare, downloads);
}

/** Compares by what the service tells, where the ETag did not prove that they are the same. */
async function askAbout(
  run: Run,
  path: string,
  listed: Listed,
  object: RemoteObject,
  compare: Compare,
  downloads: boolean,
): Promise<Found> {
  const info = await statOf(run, object);
  if (compare !== "time") {
    const expected = expectedOf(info);
    // An MD5 was compared already, and did not match.
    if (expected?.algorithm === "MD5") return "checksum";
    const verification = await startStoredVerification({ run, object }, info);
    if (verification !== undefined) {
      if (!(await passes(run, path, listed, verification.update))) return "checksum";
      return matches(() => verification.check(path)) ? "same" : "checksum";
    }
  }
  const mtime = (await stat(path)).mtimeMs;
  // If no time was stored, a downloaded file got the time of the upload, to the millisecond.
  if (downloads && compare !== "checksum" && storedTime(info) === undefined) {
    return Math.abs(mtime - (info.lastModified ?? Number.NaN)) < 1 ? "same" : "time";
  }
  const ofFile: Seen = { mtime, etag: undefined, plain: false };
  return decideSeen(ofFile, seen(info), compare);
}

function matches(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (isAppError(error) && error.code === "ChecksumMismatch") return false;
    throw error;
  }
}

const READ_SIZE = 1024 * 1024;

/** Reads a file from its first byte to its last; false when it has changed since it was listed. */
async function passes(
  run: Run,
  path: string,
  listed: Listed,
  update: (bytes: Uint8Array) => void,
): Promise<boolean> {
  const small = listed.size <= SMALL_OBJECT ? readAtOnce(path, listed.size) : undefined;
  if (small !== undefined) {
    update(small.bytes);
    return fileState(small.stats) === listed.etag;
  }
  const source = await openLocalSource(path);
  const lease = await run.memory.borrow(READ_SIZE, run.signal);
  try {
    for (let position = 0; position < listed.size; position += READ_SIZE) {
      run.signal.throwIfAborted();
      const piece = lease.bytes.subarray(0, Math.min(READ_SIZE, listed.size - position));
      await source.read(piece, position);
      update(piece);
    }
    await source.checkUnchanged();
    return fileState(source.stats) === listed.etag;
  } finally {
    lease.release();
    await source.close();
  }
}
