/** Lists a directory tree as keys, in the order of their UTF-8 bytes. */
import { type Dirent, type Stats, lstatSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

import { toAppError } from "../failures/map.js";
import { AppError } from "../failures/errors.js";
import { compareKeys } from "../storage/key-order.js";
import { requireRegularFile } from "./regular-file.js";
import { unsafeReason } from "./safe-path.js";
import type { Entry, ListOptions, ObjectEntry } from "../storage/storage.js";

/** What is not listed because it is no readable file or directory. */
export interface DiskProblem {
  readonly key: string;
  readonly error: AppError;
}

interface Directory {
  /** Its key, with the closing `/`; empty for the root. */
  readonly base: string;
  /** Device and inode, to find loops of links. */
  readonly identity: string;
  /** Names in key order, a directory's with `/`; taken from the end. */
  readonly names: string[];
}

/** Files looked at between two turns of the event loop: enough to be fast, too few to be felt. */
const SLICE = 32;

/**
 * Yields files, and with the delimiter `/` directories as prefixes, empty ones too. The names of
 * one directory for each level of depth are held at a time, however many files the tree has.
 *
 * Links are followed, but not into a directory that the walk is inside of. Such loops, dangling
 * links, FIFOs, sockets, devices, unreadable directories and names that are not UTF-8 are told to
 * `onProblem`, which may throw to end the listing. They count towards a page, so that whoever keeps
 * them can get rid of them with it. A directory that `skips` says is not looked into, nor looked at:
 * what would be told of it is not.
 */
export async function* listTree(
  root: string,
  options: ListOptions,
  onProblem: (problem: DiskProblem) => void,
  skips: (directory: string) => boolean = () => false,
): AsyncGenerator<Entry[]> {
  const { prefix = "", delimiter = "", startAfter = "", pageSize = 1000, signal } = options;
  const wanted = (key: string): boolean => key.startsWith(prefix) && isAfter(key, startAfter);
  const stack: Directory[] = [];
  let page: Entry[] = [];
  let group: string | undefined;
  let told = 0;

  const tell = (key: string, error: AppError): void => {
    told += 1;
    onProblem({ key, error });
  };
  const enter = async (base: string): Promise<void> => {
    try {
      const directory = await readDirectory(root, base);
      if (stack.some(({ identity }) => identity === directory.identity)) throw linkLoop(base);
      stack.push(directory);
    } catch (error) {
      tell(base, toAppError(error, `listing ${join(root, base)}`));
    }
  };

  const start = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  if (!isDirectory(root, start)) return;
  await enter(start);

  for (let seen = 1; stack.length > 0; seen++) {
    if (page.length + told >= pageSize) {
      yield page;
      page = [];
      told = 0;
    }
    const { base, names } = stack.at(-1)!;
    const name = names.pop();
    if (name === undefined) {
      stack.pop();
      continue;
    }
    const key = base + name;
    let entry: Entry | undefined;
    if (name.endsWith("/")) {
      if (delimiter === "/") entry = { type: "prefix", key };
      else if (skips(key)) continue;
      else if (key.startsWith(prefix) && (isAfter(key, startAfter) || startAfter.startsWith(key))) {
        await enter(key);
      }
    } else if (wanted(key)) {
      if (seen % SLICE === 0) await setImmediate();
      if (signal?.aborted) throw toAppError(signal.reason);
      try {
        entry = grouped(fileEntry(join(root, key), key), prefix, delimiter);
      } catch (error) {
        tell(key, toAppError(error, `reading ${join(root, key)}`));
      }
    }
    if (entry === undefined || !wanted(entry.key)) continue;
    if (entry.type === "prefix") {
      if (entry.key === group) continue;
      group = entry.key;
    }
    page.push(entry);
  }
  if (page.length > 0) yield page;
}

function isAfter(key: string, start: string): boolean {
  return start === "" || compareKeys(key, start) > 0;
}

/**
 * Whether the walk's first directory is there. A missing root is an error; a prefix below which
 * there is nothing, or that no file can have, is an empty listing.
 */
function isDirectory(root: string, base: string): boolean {
  try {
    statSync(root);
  } catch (error) {
    throw toAppError(error, `listing ${root}`);
  }
  if (base === "") return true;
  if (unsafeReason(base.slice(0, -1), false) !== undefined) return false;
  try {
    return statSync(join(root, base), { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw toAppError(error, `listing ${join(root, base)}`);
  }
}

async function readDirectory(root: string, base: string): Promise<Directory> {
  const path = join(root, base);
  const found = await readdir(path, { withFileTypes: true });
  const { dev, ino } = statSync(path, { bigint: true });
  const names = found.map((entry) =>
    leadsToDirectory(path, entry) ? `${entry.name}/` : entry.name,
  );
  names.sort((a, b) => compareKeys(b, a));
  return { base, identity: `${dev}:${ino}`, names };
}

function leadsToDirectory(parent: string, entry: Dirent): boolean {
  if (entry.isDirectory() || entry.isFile()) return entry.isDirectory();
  try {
    // A link, or a file system that does not say.
    return statSync(join(parent, entry.name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // Looked at again, and reported, when its turn comes.
  }
}

/** Throws an AppError for what is no regular file; undefined when it is gone by now. */
function fileEntry(path: string, key: string): ObjectEntry | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return toEntry(key, path, stats);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw problem("DanglingLink", `${path} is a link to nothing`);
  }
  if (path.includes("\ufffd")) throw problem("InvalidName", `the name of ${path} is not UTF-8`);
  return undefined;
}

/** A regular file as an entry. Throws as `requireRegularFile` for anything else. */
export function toEntry(key: string, path: string, stats: Stats): ObjectEntry {
  requireRegularFile(stats, path);
  const { size, mtimeMs } = stats;
  return { type: "object", key, size, lastModified: Math.floor(mtimeMs), etag: fileETag(stats) };
}

/** Changes whenever the file is replaced or written to, as far as the file system's clock tells. */
function fileETag({ ino, size, mtimeMs }: Stats): string {
  return `${ino.toString(36)}-${size.toString(36)}-${mtimeMs.toString(36)}`;
}

/** The entry, or the prefix that a delimiter makes of it. */
function grouped(
  entry: ObjectEntry | undefined,
  prefix: string,
  delimiter: string,
): Entry | undefined {
  const at = delimiter === "" ? -1 : (entry?.key.indexOf(delimiter, prefix.length) ?? -1);
  return at < 0 ? entry : { type: "prefix", key: entry!.key.slice(0, at + delimiter.length) };
}

function linkLoop(base: string): AppError {
  return problem("LinkLoop", `${base} is a link to a directory that it is in`);
}

function problem(code: string, message: string): AppError {
  return new AppError({ kind: "usage", code, message });
}
