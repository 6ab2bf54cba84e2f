/**
 * Local files as targets. A download is written to a temporary file beside its target and takes
 * the target's name in one step, once it is whole and verified.
 *
 * The data is not forced to the disk (fsync): like cp and every peer, pail leaves that to the
 * system, and the source is still at the service.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import * as fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";

import { AppError } from "../errors.js";
import { keyPath, safePath } from "../storage/safe-path.js";
import { ownerMark, removeLeftovers } from "./leftovers.js";
import { codeOf, localError } from "./local-error.js";

/** What no other process has, and no guess hits: random numbers for each name cost more than this. */
const unique = randomBytes(9).toString("hex");
let counter = 0;

/**
 * A fresh name in the target's directory, absolute: a later run may find it from elsewhere. It is
 * opened exclusively all the same. `resumable` files outlive their process; others are anybody's
 * to remove once it is gone (see leftovers.ts).
 */
export function temporaryName(target: string, resumable = false): string {
  counter += 1;
  const mark = resumable ? "" : ownerMark();
  return join(dirname(resolve(target)), `.pail-${mark}${unique}-${counter}.partial`);
}

/**
 * The permissions to open a temporary file with: those of the file it will replace, so that what
 * was private stays private.
 */
export function modeFor(target: string): number {
  const there = fs.lstatSync(target, { throwIfNoEntry: false });
  return there?.isFile() === true ? there.mode & 0o777 : 0o666;
}

/** Directories known to be there, so that ten thousand files in one cost one look. */
export interface Directories {
  /**
   * Makes a directory and those above it; rids one that is there of what killed downloads left.
   * Throws KeyCollision when a file is in the way.
   */
  make(path: string): void;
  /**
   * The file a key is to be below a root, in a directory that is there. Throws UnsafeKey (see
   * safePath) and KeyCollision.
   */
  place(root: string, key: string): string;
}

/** Starts a memory of made directories. */
export function createDirectories(): Directories {
  const known = new Set<string>();
  const make = (path: string) => {
    try {
      if (fs.mkdirSync(path, { recursive: true }) === undefined) removeLeftovers(path);
    } catch (error) {
      if (["EEXIST", "ENOTDIR"].includes(codeOf(error))) throw collision(path, error);
      throw localError(error, "create", path);
    }
  };
  return {
    make,
    place: (root, key) => {
      const parent = `${root}\0${key.slice(0, key.lastIndexOf("/") + 1)}`;
      // A link in the file's own place is looked at whatever is known of the directory.
      if (known.has(parent) && !isLink(keyPath(root, key))) return keyPath(root, key);
      const path = safePath(root, key);
      make(dirname(path));
      // A bound, not a cache policy: a tree of a million directories must not be kept in memory.
      if (known.size >= 10_000) known.clear();
      known.add(parent);
      return path;
    },
  };
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function collision(path: string, cause?: unknown): AppError {
  return new AppError({
    kind: "conflict",
    code: "KeyCollision",
    message: `${path} is needed both as a file and as a directory`,
    hint: "copy the colliding keys to other names, one by one",
    cause,
  });
}

/**
 * Where writing to `target` really goes: a symbolic link is followed, as cp does, and what is
 * there and is neither a file nor a directory is refused, since the rename would replace it.
 */
export function resolveTarget(target: string): string {
  let stats: fs.Stats;
  try {
    stats = fs.lstatSync(target);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return target;
    throw localError(error, "write", target);
  }
  if (stats.isFile()) return target;
  if (stats.isDirectory()) throw collision(target);
  if (stats.isSymbolicLink()) {
    try {
      const real = fs.realpathSync(target);
      if (fs.statSync(real).isFile()) return real;
      if (fs.statSync(real).isDirectory()) throw collision(target);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw localError(error, "write", target);
      // A link to nothing: replaced by the file.
      return target;
    }
  }
  throw new AppError({
    kind: "usage",
    code: "NotRegularFile",
    message: `${target} is not a regular file`,
    hint: `to write to it, redirect: pail cp SOURCE - > ${target}`,
  });
}

/** Whether something has this name already. */
export function existsLocally(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Gives a finished temporary file its name. With `exclusive` only if nothing has it: resolves to
 * false, and removes the temporary file, when something does.
 */
export function commit(
  temporary: string,
  target: string,
  exclusive: boolean,
  root = dirname(target),
): boolean {
  try {
    if (!exclusive) {
      const there = fs.lstatSync(target, { throwIfNoEntry: false });
      // As cp leaves them: a file that is replaced keeps its permissions.
      if (there?.isFile() === true) {
        requireOwnName(root, target);
        fs.chmodSync(temporary, there.mode & 0o777);
      }
      fs.renameSync(temporary, target);
      return true;
    }
    try {
      fs.linkSync(temporary, target);
    } catch (error) {
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
      // A file system without hard links: exclusive all the same, though not in one step.
      fs.copyFileSync(temporary, target, constants.COPYFILE_EXCL);
    }
    discard(temporary);
    return true;
  } catch (error) {
    discard(temporary);
    if (error instanceof AppError) throw error;
    if (exclusive && codeOf(error) === "EEXIST") return false;
    if (["EISDIR", "ENOTEMPTY", "EEXIST"].includes(codeOf(error))) throw collision(target, error);
    throw localError(error, "write", target);
  }
}

/**
 * Throws KeyCollision when the file at the target is there under another spelling below `root`:
 * where file systems hold `a` and `A` for one, the second key would replace the first.
 */
function requireOwnName(root: string, target: string): void {
  const real = fs.realpathSync.native;
  const found = relative(real(root), real(target)).normalize();
  const wanted = relative(resolve(root), resolve(target)).normalize();
  if (found === wanted || found.toLowerCase() !== wanted.toLowerCase()) return;
  throw new AppError({
    kind: "conflict",
    code: "KeyCollision",
    message: `${target} is on this file system the same as ${found}, which is there already`,
    hint: "copy one of the two to another name",
  });
}

/** Removes a temporary file; one that is gone already is fine. */
export function discard(temporary: string): void {
  fs.rmSync(temporary, { force: true });
}

/**
 * Writes a small file whole: temporary file, then its name. Resolves as `commit` does. The calls
 * are synchronous because for a small file they are cheaper than asking the thread pool for them.
 */
export function writeSmallFile(
  target: string,
  bytes: Uint8Array,
  exclusive: boolean,
  root?: string,
): boolean {
  const temporary = temporaryName(target);
  try {
    const descriptor = fs.openSync(temporary, "wx", modeFor(target));
    try {
      let written = 0;
      while (written < bytes.length) {
        written += fs.writeSync(descriptor, bytes, written, bytes.length - written, written);
      }
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    discard(temporary);
    throw localError(error, "write", target);
  }
  return commit(temporary, target, exclusive, root);
}

/** Writes all of the bytes at a position: a disk that is nearly full takes a part of them first. */
export async function writeAll(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let from = 0; from < bytes.length;) {
    from += (await file.write(bytes, from, bytes.length - from, position + from)).bytesWritten;
  }
}

/** The directory a file is to be in. */
export function resolveParent(path: string): string {
  return dirname(path);
}
