/**
 * Local files as targets. A download is written to a temporary file beside its target and takes
 * the target's name in one step, once it is whole and verified.
 *
 * The data is not forced to the disk (fsync): like cp and every peer, pail leaves that to the
 * system, and the source is still at the service.
 */
import { shellWord } from "../failures/shell-word.js";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import * as fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

import { AppError, conflictError, drifted, usageError } from "../failures/errors.js";
import { fileState } from "./attributes.js";
import { keyPath, safePath } from "./safe-path.js";
import { ownerMark, removeLeftovers } from "./leftovers.js";
import { codeOf, localError } from "../failures/local.js";

/** A word that no other process has and no guess hits: random numbers for each name cost more. */
const unique = randomBytes(9).toString("hex");
let counter = 0;

/**
 * A fresh name in the target's directory, absolute: a later run may find it from elsewhere. It is
 * opened exclusively all the same. `resumable` files outlive their process; any process may remove
 * the others once it has ended (see leftovers.ts).
 */
export function temporaryName(target: string, resumable = false): string {
  counter += 1;
  const mark = resumable ? "" : ownerMark();
  const path = isAbsolute(target) ? target : resolve(target);
  return `${dirname(path)}${sep}.pail-${mark}${unique}-${counter}.partial`;
}

/**
 * The permissions to open a temporary file with: those of the file it will replace, so that what
 * was private stays private.
 */
export function modeFor(target: string): number {
  return modeOf(fs.lstatSync(target, NOT_THERE_IS_FINE));
}

const NOT_THERE_IS_FINE = { throwIfNoEntry: false } as const;

function modeOf(there: fs.Stats | undefined): number {
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
   * safePath) and KeyCollision; a link in the file's own place is left to `resolveTarget`.
   */
  place(root: string, key: string): string;
}

/** Starts a memory of made directories, at most so many: a tree may have a million. */
export function createDirectories(most = 10_000): Directories {
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
      if (known.has(parent)) return keyPath(root, key);
      const path = safePath(root, key);
      make(dirname(path));
      if (known.size >= most) known.clear();
      known.add(parent);
      return path;
    },
  };
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

/** Where writing to a target really goes, and the file that it replaces. */
export interface ResolvedTarget {
  readonly path: string;
  readonly there: fs.Stats | undefined;
}

/**
 * Where writing to `target` really goes: a symbolic link is followed, as cp does, but with a
 * `root` never out of it (UnsafeKey); what is there and is neither a file nor a directory is
 * refused, since the rename would replace it.
 */
export function resolveTarget(target: string, root: string | undefined): ResolvedTarget {
  try {
    const there = fs.lstatSync(target, NOT_THERE_IS_FINE);
    if (there === undefined || there.isFile()) return { path: target, there };
    if (there.isDirectory()) throw collision(target);
    if (there.isSymbolicLink()) {
      if (root !== undefined) safePath(root, relative(root, target).replaceAll(sep, "/"));
      const real = realPath(target);
      // A link to nothing: replaced by the file.
      if (real === undefined) return { path: target, there: undefined };
      const behind = fs.statSync(real);
      if (behind.isFile()) return { path: real, there: behind };
      if (behind.isDirectory()) throw collision(target);
    }
  } catch (error) {
    throw localError(error, "write", target);
  }
  throw usageError(
    "NotRegularFile",
    `${target} is not a regular file`,
    `to write to it, redirect: pail cp SOURCE - > ${shellWord(target)}`,
  );
}

function realPath(link: string): string | undefined {
  try {
    return fs.realpathSync(link);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The thing that has this name already; undefined when nothing has. */
export function lookLocally(path: string): { size: number; lastModified: number } | undefined {
  const there = fs.lstatSync(path, NOT_THERE_IS_FINE);
  return there && { size: there.size, lastModified: Math.floor(there.mtimeMs) };
}

/**
 * Gives a finished temporary file its name; a link that has it is replaced, not followed. With
 * `exclusive` only if nothing has it: returns false, and removes the temporary file, when something
 * does. With `replaces` only a file in that state is replaced; any other throws Drifted.
 */
export function commit(
  temporary: string,
  target: string,
  exclusive: boolean,
  root?: string,
  replaces?: string,
): boolean {
  try {
    if (exclusive) return link(temporary, target);
    const there = fs.lstatSync(target, NOT_THERE_IS_FINE);
    requireState(target, there, replaces);
    return replace(temporary, { path: target, there: there?.isFile() ? there : undefined }, root);
  } catch (error) {
    discard(temporary);
    throw refusal(error, target);
  }
}

/** False when something has the name already. */
function link(temporary: string, target: string): boolean {
  let free = true;
  try {
    linkOrCopy(temporary, target);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    free = false;
  }
  discard(temporary);
  return free;
}

function linkOrCopy(temporary: string, target: string): void {
  try {
    fs.linkSync(temporary, target);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(codeOf(error))) throw error;
    // The file system has no hard links: this is still exclusive, though not in one step.
    fs.copyFileSync(temporary, target, constants.COPYFILE_EXCL);
  }
}

/** The state is looked at just before the rename, which a file system cannot do in one step. */
function requireState(target: string, there: fs.Stats | undefined, replaces?: string): void {
  if (replaces === undefined) return;
  if (there === undefined || fileState(there) !== replaces) throw drifted(target);
}

function replace(
  temporary: string,
  { path, there }: ResolvedTarget,
  root: string | undefined,
): boolean {
  if (there !== undefined) {
    requireOwnName(root ?? dirname(path), path);
    // As cp leaves them: a file that is replaced keeps its permissions.
    fs.chmodSync(temporary, there.mode & 0o777);
  }
  fs.renameSync(temporary, path);
  return true;
}

function refusal(error: unknown, target: string): AppError {
  if (["EISDIR", "ENOTEMPTY", "EEXIST"].includes(codeOf(error))) return collision(target, error);
  return localError(error, "write", target);
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
  throw conflictError(
    "KeyCollision",
    `${target} is on this file system the same as ${found}, which is there already`,
    "copy one of the two to another name",
  );
}

/** Removes a temporary file; one that is gone already is fine. */
export function discard(temporary: string): void {
  fs.rmSync(temporary, { force: true });
}

interface SmallFileOptions {
  readonly exclusive: boolean;
  readonly root: string | undefined;
  /** See `commit`. */
  readonly replaces?: string | undefined;
  /** Called with the open file before it takes its name. */
  readonly finish: (descriptor: number) => void;
}

/**
 * Writes a small file whole: temporary file, then its name. Returns as `commit` does. The calls
 * are synchronous because for a small file they are cheaper than asking the thread pool for them.
 */
export function writeSmallFile(
  target: string,
  bytes: Uint8Array,
  { exclusive, root, replaces, finish }: SmallFileOptions,
): boolean {
  const found: ResolvedTarget = exclusive
    ? { path: target, there: undefined }
    : resolveTarget(target, root);
  const temporary = temporaryName(found.path);
  try {
    const descriptor = fs.openSync(temporary, CREATE, modeOf(found.there));
    try {
      writeAllSync(descriptor, bytes, 0);
      finish(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
    requireState(target, found.there, replaces);
    return exclusive ? link(temporary, target) : replace(temporary, found, root);
  } catch (error) {
    discard(temporary);
    throw refusal(error, target);
  }
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

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

/** The same at once. */
export function writeAllSync(file: number, bytes: Uint8Array, position: number): void {
  for (let from = 0; from < bytes.length;) {
    from += fs.writeSync(file, bytes, from, bytes.length - from, position + from);
  }
}
