import { randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

import { createChecksum } from "../../protocol/checksum.js";
import { toAppError } from "../failures/map.js";
import { AppError } from "../failures/errors.js";
import { toEntry } from "../local/list.js";
import type { WriteOptions } from "./storage.js";

type Options = Pick<WriteOptions, "ifNoneMatch" | "ifMatch" | "checksum" | "signal" | "onBytes"> & {
  /** Syncs the bytes and the directory before the file is there. */
  readonly fsync?: boolean | undefined;
};

/**
 * Writes a file so that it appears whole or not at all: beside its place under another name, then
 * renamed. Directories on the way are made. Resolves with the file's ETag.
 *
 * `ifNoneMatch` is exclusive among processes; `ifMatch` is checked just before the rename, which a
 * file system cannot do in one step.
 */
export async function writeFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  options: Options,
): Promise<string | undefined> {
  const directory = dirname(path);
  const temporary = join(directory, `.pail-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await mkdir(directory, { recursive: true });
    const handle = await open(temporary, "wx");
    try {
      try {
        await fill(handle, chunks, options, path);
        if (options.fsync) await handle.sync();
      } finally {
        await handle.close();
      }
      await commit(temporary, path, options);
    } catch (error) {
      await unlink(temporary).catch(ignoreMissing);
      throw error;
    }
    if (options.fsync) await syncDirectory(directory);
    return toEntry("", path, await stat(path)).etag;
  } catch (error) {
    throw toAppError(error, `writing ${path}`);
  }
}

async function fill(
  handle: FileHandle,
  chunks: AsyncIterable<Uint8Array>,
  { checksum, signal, onBytes }: Options,
  path: string,
): Promise<void> {
  const computed = checksum && createChecksum(checksum.algorithm);
  let position = 0;
  for await (const chunk of chunks) {
    if (signal?.aborted) throw toAppError(signal.reason);
    computed?.update(chunk);
    for (let from = 0; from < chunk.length;) {
      const { bytesWritten } = await handle.write(chunk, from, chunk.length - from, position);
      from += bytesWritten;
      position += bytesWritten;
    }
    onBytes?.(chunk.length);
  }
  if (signal?.aborted) throw toAppError(signal.reason);
  if (computed && computed.digest().toString("base64") !== checksum.value) {
    const message = `writing ${path}: the bytes do not have the ${checksum.algorithm} announced`;
    throw new AppError({ kind: "unavailable", code: "BadDigest", message });
  }
}

async function commit(temporary: string, path: string, options: Options): Promise<void> {
  if (options.ifMatch !== undefined) {
    const now = await stat(path).then((stats) => toEntry("", path, stats).etag, ignoreMissing);
    const holds = now !== undefined && (options.ifMatch === "*" || options.ifMatch === now);
    if (!holds) throw preconditionFailed(`${path} is not what it was`);
  }
  if (options.ifNoneMatch === undefined) {
    await rename(temporary, path);
    return;
  }
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw preconditionFailed(`${path} exists already`);
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    await claim(path);
    await rename(temporary, path);
    return;
  }
  await unlink(temporary);
}

/** For file systems without hard links: takes the name exclusively, with an empty file. */
async function claim(path: string): Promise<void> {
  try {
    await (await open(path, "wx")).close();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === "EEXIST" ? preconditionFailed(`${path} exists already`) : error;
  }
}

function preconditionFailed(message: string): AppError {
  return new AppError({ kind: "conflict", code: "PreconditionFailed", message });
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return; // Windows opens no directory as a file.
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
