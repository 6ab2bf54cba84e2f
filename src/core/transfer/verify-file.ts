/** Verification after the fact: of bytes in memory, or of a file read back from the page cache. */
import { nameOf } from "../ref.js";
import type { FileHandle } from "node:fs/promises";

import type { ObjectInfo } from "../storage/storage.js";
import { objectParts } from "./object-parts.js";
import type { RemoteObject } from "./remote.js";
import type { Run } from "../engine/run.js";
import {
  type Expected,
  expectedOf,
  requireCompositeMatch,
  requireMatch,
  startDigest,
  startVerification,
} from "./verify.js";

const READ_SIZE = 1024 * 1024;

/**
 * Throws ChecksumMismatch unless the bytes are the ones stored. A composite checksum is recomputed
 * part by part; when the service does not tell where the parts begin there is nothing to compare.
 */
export async function requireStoredMatch(
  { object, run }: { readonly object: RemoteObject; readonly run: Run },
  info: ObjectInfo,
  expected: Expected,
  bytes: Uint8Array | FileHandle,
): Promise<void> {
  if (!expected.composite) {
    const digest = await digestRange(expected, bytes, 0, info.size, run.signal);
    return requireMatch(expected, digest, nameOf(object.ref));
  }
  const sizes = await objectParts(object, info, expected, run.signal);
  if (sizes === undefined) return;
  const digests: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    digests.push(await digestRange(expected, bytes, start, start + size, run.signal));
    start += size;
  }
  requireCompositeMatch(expected, digests, nameOf(object.ref));
}

/**
 * Verification of an object's bytes as they pass, from the first to the last; undefined when the
 * service tells nothing that they could be held against.
 */
export async function startStoredVerification(
  { object, run }: { readonly object: RemoteObject; readonly run: Run },
  info: ObjectInfo,
) {
  const expected = expectedOf(info);
  if (expected?.composite !== true) return expected && startVerification(expected);
  const sizes = await objectParts(object, info, expected, run.signal);
  return sizes && startVerification(expected, sizes);
}

async function digestRange(
  expected: Expected,
  bytes: Uint8Array | FileHandle,
  start: number,
  end: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const digest = startDigest(expected);
  if (bytes instanceof Uint8Array) {
    digest.update(bytes.subarray(start, end));
    return digest.digest();
  }
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_SIZE, Math.max(1, end - start)));
  for (let position = start; position < end;) {
    signal.throwIfAborted();
    const length = Math.min(buffer.length, end - position);
    const { bytesRead } = await bytes.read(buffer, 0, length, position);
    if (bytesRead === 0) break;
    digest.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return digest.digest();
}
