/**
 * Paths that cannot be changed under us between the check and the use.
 *
 * Linux names an open file by its descriptor (`/proc/self/fd/7`, proc_pid_fd(5)), and a name below
 * an open directory is looked up in that very directory, whatever has been renamed since. There
 * the guard judges what it holds open. Elsewhere the path is judged once more after opening.
 */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

// Not on Windows, where the flags are absent.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;
const NON_BLOCK = constants.O_NONBLOCK ?? 0;

export interface Pinned {
  /** A path to what is held open, good while it is. */
  readonly path: string;
  readonly handle: FileHandle | undefined;
  /** The place where the thing that is held open is now. */
  real(): Promise<string>;
  close(): Promise<void>;
}

/** Opens a file for reading without following a final symlink or waiting for a FIFO's writer. */
export async function pinFile(path: string): Promise<Pinned> {
  return pinned(path, await open(path, constants.O_RDONLY | NO_FOLLOW | NON_BLOCK));
}

/** Holds a directory open. Fails when its last segment is a symlink. */
export async function pinDirectory(path: string): Promise<Pinned> {
  if (process.platform === "win32") return pinned(path, undefined);
  return pinned(path, await open(path, constants.O_RDONLY | NO_FOLLOW | DIRECTORY));
}

/** Makes `name` in a held directory when it is not there, and holds that instead. */
export async function pinChild(parent: Pinned, name: string): Promise<Pinned> {
  const path = join(parent.path, name);
  try {
    await mkdir(path).catch(ignoreExisting);
    return await pinDirectory(path);
  } finally {
    await parent.close();
  }
}

function pinned(path: string, handle: FileHandle | undefined): Pinned {
  const held = handle !== undefined && process.platform === "linux";
  const link = held ? `/proc/self/fd/${handle.fd}` : path;
  return {
    path: link,
    handle,
    real: () => (held ? readlink(link) : realpath(path)),
    close: async () => handle?.close(),
  };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
