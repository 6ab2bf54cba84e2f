/** A local directory as Storage: keys are relative paths with `/`. */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, stat as statFile, unlink } from "node:fs/promises";

import { bodyChunks } from "../../protocol/message.js";
import { toAppError } from "../failures/map.js";
import { AppError, isAppError } from "../failures/errors.js";
import { type DiskProblem, listTree, toEntry } from "../local/list.js";
import { writeFile } from "./disk-write.js";
import { keyPath, safePath } from "../local/safe-path.js";
import type { ByteRange, ObjectInfo, RemoveResult, Storage } from "./storage.js";

export interface DirectoryOptions {
  /**
   * Told of what a listing leaves out because it is no readable file: the listing goes on.
   * Default: such a thing ends the listing with its error.
   */
  readonly onProblem?: ((problem: DiskProblem) => void) | undefined;
  /** Which directories, by their key with the closing `/`, a listing leaves out unread. */
  readonly skips?: ((directory: string) => boolean) | undefined;
  /** Makes a write durable before it is reported. Default false, as for any copied file. */
  readonly fsync?: boolean | undefined;
}

/** Bytes read at a time. */
const CHUNK = 256 * 1024;

/**
 * A directory as Storage. It keeps bytes and times: headers, metadata and tags of a write are not
 * stored, and there are no versions. An ETag is made of inode, size and time. A key that would be
 * outside the root is refused as UnsafeKey; reading follows links, writing and removing do not
 * follow one that leads outside.
 */
export function openDirectory(root: string, options: DirectoryOptions = {}): Storage {
  const { onProblem = fail, skips } = options;

  const noVersions = (versionId: unknown): void => {
    if (versionId === undefined || versionId === false) return;
    throw new AppError({
      kind: "usage",
      code: "NotImplemented",
      message: `${root} is a directory, and has no versions`,
    });
  };

  return {
    kind: "disk",

    list: (options = {}) => {
      noVersions(options.versions);
      return listTree(root, options, onProblem, skips);
    },

    stat: async (key, { versionId } = {}) => {
      noVersions(versionId);
      const path = keyPath(root, key);
      return infoOf(key, path, await statFile(path).catch(missing(path)));
    },

    read: async (key, { versionId, range, ifMatch, signal } = {}) => {
      noVersions(versionId);
      const path = keyPath(root, key);
      // Not to wait for a writer when the path is a FIFO; without meaning for a regular file.
      const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
      const handle = await open(path, flags).catch(missing(path));
      try {
        const info = infoOf(key, path, await handle.stat());
        if (ifMatch !== undefined && ifMatch !== "*" && ifMatch !== info.etag) {
          throw new AppError({
            kind: "conflict",
            code: "PreconditionFailed",
            message: `${path} is not what it was`,
          });
        }
        return { info, body: chunks(handle, path, resolveRange(range, info.size, path), signal) };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },

    write: async (key, body, writeOptions = {}) => {
      const path = safePath(root, key);
      const etag = await writeFile(path, bodyChunks(body), { ...options, ...writeOptions });
      return { etag };
    },

    remove: async (targets) => {
      const results: RemoveResult[] = [];
      for (const target of targets) {
        try {
          noVersions(target.versionId);
          await removeFile(safePath(root, target.key));
          results.push(target);
        } catch (error) {
          const { code, message } = toAppError(error);
          results.push({ ...target, error: { code, message } });
        }
      }
      return results;
    },
  };
}

function fail({ error }: DiskProblem): never {
  throw error;
}

function infoOf(key: string, path: string, stats: Parameters<typeof toEntry>[2]): ObjectInfo {
  if (stats.isDirectory()) throw noSuchKey(path);
  return { ...toEntry(key, path, stats), metadata: {}, checksums: {} };
}

/** For `catch`: a missing file is NoSuchKey, as it is anywhere else. */
function missing(path: string): (error: unknown) => never {
  return (error) => {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "ENOENT" || code === "ENOTDIR" ? noSuchKey(path) : toAppError(error);
  };
}

function noSuchKey(path: string): AppError {
  return new AppError({ kind: "not-found", code: "NoSuchKey", message: `${path}: no such file` });
}

interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

function resolveRange(range: ByteRange | undefined, size: number, path: string): Span {
  if (range === undefined) return { start: 0, end: size };
  if (range.start >= size) {
    const message = `${path} has only ${size} bytes`;
    throw new AppError({ kind: "usage", code: "InvalidRange", message });
  }
  return { start: range.start, end: Math.min((range.end ?? Infinity) + 1, size) };
}

async function* chunks(
  handle: FileHandle,
  path: string,
  { start, end }: Span,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(end - start, 1)));
    for (let position = start; position < end;) {
      if (signal?.aborted) throw toAppError(signal.reason);
      const wanted = Math.min(buffer.length, end - position);
      const { bytesRead } = await handle.read(buffer, 0, wanted, position);
      if (bytesRead === 0) {
        const message = `${path} became shorter while it was read`;
        throw new AppError({ kind: "unavailable", code: "IncompleteBody", message });
      }
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw isAppError(error) ? error : toAppError(error, `reading ${path}`);
  } finally {
    await handle.close();
  }
}

/** A directory is no object, so there is nothing to remove under its name. */
async function removeFile(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isDirectory()) return;
    await unlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw toAppError(error, `removing ${path}`);
  }
}
