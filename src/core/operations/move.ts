/**
 * Moving: a copy that, item by item, proves what it has written and then removes exactly the source
 * it has copied. At every moment the bytes are at the source, at the target, or at both; what has
 * changed, appeared or cannot be proven stays where it is and is named.
 */
import { closeSync, fsyncSync, openSync, rmdirSync, statSync } from "node:fs";
import { dirname, normalize, sep } from "node:path";

import type { Run } from "../engine/run.js";
import type { TransferReport } from "../engine/report.js";
import { AppError, conflictError, drifted, partialError, usageError } from "../failures/errors.js";
import { localError } from "../failures/local.js";
import { type Ref, nameOf } from "../ref.js";
import type { ObjectInfo } from "../storage/storage.js";
import { requireRegularFile } from "../local/regular-file.js";
import { type Found, type Mover, type Pinned, type Released, carryOut } from "./copy.js";
import { statOrNothing, statOrUndefined } from "./exists.js";
import type { Expected } from "./if-exists.js";
import { tagsToKeep } from "../transfer/remote.js";
import { lostOnTheWay } from "./kept.js";
import { keptPrefix } from "./names.js";
import { removeFile, removeObject, settledObject, settledState } from "./removal.js";
import type { CopyRequest } from "./types.js";

/**
 * Moves the sources to the target, under the names that a copy would give them. A source that is
 * not what was copied any more fails with Drifted and stays. Throws, before anything is done, when
 * a source is its own target (SameObject), or when that cannot be found out (IdentityUnknown).
 *
 * Headers, metadata, tags and the storage class come along where the target takes them; the event
 * `finished` names what did not. Directories that the move has emptied are removed, but for one
 * named with a `/` at its end.
 */
export function move(request: CopyRequest): Promise<TransferReport> {
  const streams = [...request.sources, request.target].some(({ type }) => type === "stdio");
  if (streams) {
    const message = "stdin and stdout cannot be moved: nothing of them could be removed";
    throw usageError("StreamMove", message, "pail cp copies them");
  }
  return carryOut(request, createMover(request));
}

function createMover(request: CopyRequest): Mover {
  const emptied = new Set<string>();
  return {
    pin: async (run, source, target) => {
      const expected = await expectedAt(request, run, target);
      if (source.type === "object") return pinObject(request, run, source, expected);
      if (source.type === "file") return pinFile(request, run, source, expected, emptied);
      throw new AppError({ kind: "bug", code: "StreamMove", message: "a stream cannot be moved" });
    },
    end: () => removeEmptied(request, emptied),
  };
}

/**
 * The state of the target before the source is looked at. The copy is written only over that state,
 * so that a slow copy never replaces what another move has brought there meanwhile from the same
 * source.
 */
async function expectedAt(
  { target, ifExists = "replace" }: CopyRequest,
  run: Run,
  ref: Ref,
): Promise<Expected | undefined> {
  if (ifExists !== "replace" || target.type !== "bucket" || ref.type !== "object") return undefined;
  const there = await statOrNothing(target.storage, ref.key, run.signal);
  if (there === undefined) return "nothing";
  return there.etag === undefined ? undefined : { etag: there.etag };
}

async function pinFile(
  request: CopyRequest,
  run: Run,
  source: Extract<Found, { type: "file" }>,
  expected: Expected | undefined,
  emptied: Set<string>,
): Promise<Pinned> {
  const { ref } = source;
  const state = await settledState(ref.path, run.signal);
  requireRegularFile(state.file, ref.path);
  const size = Number(state.file.size);
  return {
    source: { ...source, size },
    expected,
    release: async (copied) => {
      await provenAt(request, run, copied, size);
      removeFile(ref, state);
      emptied.add(dirname(ref.path));
      return [];
    },
  };
}

async function pinObject(
  request: CopyRequest,
  run: Run,
  source: Extract<Found, { type: "object" }>,
  expected: Expected | undefined,
): Promise<Pinned> {
  const { storage, ref } = source;
  const { target } = request;
  const info = await settledObject(source, run.signal);
  // A listing may be a moment old: then the object moves as it is now.
  const asked = request.recursive !== true && ref.etag !== undefined;
  if (asked && info.etag !== ref.etag) throw drifted(nameOf(ref));
  const relayed = target.type === "bucket" && target.storage.client !== storage.client;
  const tags = relayed ? await tagsToKeep(source) : undefined;
  return {
    expected,
    source: { ...source, size: info.size, ref: { ...ref, etag: info.etag }, kept: { info, tags } },
    release: async (copied) => {
      // The answer to a download says what was read; a write has its own ETag.
      if (target.type !== "bucket" && copied.etag !== undefined && copied.etag !== info.etag) {
        throw drifted(nameOf(ref));
      }
      const written = await provenAt(request, run, copied, info.size);
      const same = info.versionId !== undefined && info.versionId !== "null";
      if (same && written?.versionId === info.versionId) throw oneObject(source, copied);
      const lost = await lostOnTheWay(request, { info, tags }, written, copied.target);
      await removeObject(source, info, run.signal);
      return lost;
    },
  };
}

/**
 * Throws unless what was written is at the target, whole; resolves with what the service tells of
 * it. A file is on the disk, not only on its way there, when this resolves.
 */
async function provenAt(
  { target }: CopyRequest,
  run: Run,
  copied: Released,
  size: number,
): Promise<ObjectInfo | undefined> {
  const { target: ref } = copied;
  if (ref.type === "file") {
    requireSize(statSync(ref.path), size, ref.path);
    forceToDisk(ref.path);
    return undefined;
  }
  if (ref.type !== "object" || target.type !== "bucket") return undefined;
  const there = await statOrUndefined(target.storage, ref.key, run.signal);
  const other = copied.etag !== undefined && there?.etag !== copied.etag;
  if (there?.size !== size || other) throw unproven(nameOf(ref));
  return there;
}

function requireSize(
  stats: { readonly size: number; isDirectory(): boolean },
  size: number,
  path: string,
): void {
  // A key that ends with / and has no bytes has become a directory.
  if (stats.isDirectory() ? size !== 0 : stats.size !== size) throw unproven(path);
}

function forceToDisk(path: string): void {
  for (const each of [path, dirname(path)]) {
    try {
      const descriptor = openSync(each, "r");
      try {
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      // Windows has no sync of a directory, nor one of a file opened for reading.
      if (sep !== "\\") throw localError(error, "write", each);
    }
  }
}

/** Removes directories that held nothing but what was moved, from the inside out. */
function removeEmptied({ sources }: CopyRequest, emptied: ReadonlySet<string>): void {
  for (const place of sources) {
    if (place.type !== "path") continue;
    const root = withoutSlash(normalize(place.path));
    const rootGoes = keptPrefix(place.path.replaceAll(sep, "/")) !== "";
    for (const directory of emptied) {
      let at = directory;
      while (at.startsWith(root === "." ? "" : root + sep) && at !== root && removeIfEmpty(at)) {
        at = dirname(at);
      }
      if (at === root && rootGoes) removeIfEmpty(root);
    }
  }
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;
}

function removeIfEmpty(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    // It holds something, is gone, or may not go: then it stays, and nothing is lost.
    return false;
  }
}

function unproven(name: string): AppError {
  return partialError(
    "Unproven",
    `${name} is not what was written there, so its source was not removed`,
    "run the command again",
  );
}

function oneObject({ ref }: Extract<Found, { type: "object" }>, { target }: Released): AppError {
  return conflictError(
    "SameObject",
    `${nameOf(ref)} and ${nameOf(target)} are the same object: it was not removed`,
  );
}
