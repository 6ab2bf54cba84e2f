/** Lists a directory tree as keys, in the order of their UTF-8 bytes. */
import { type Dirent, type Stats, lstatSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

import { toAppError } from "../failures/map.js";
import { AppError } from "../failures/errors.js";
import { compareKeys } from "../storage/key-order.js";
import { requireRegularFile } from "./regular-file.js";

/** A regular file, by its key below the root. */
export interface LocalEntry {
  readonly key: string;
  readonly path: string;
  readonly stats: Stats;
}

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

export interface TreeOptions {
  /** Entries and problems a page at most. Default 1000. */
  readonly pageSize?: number | undefined;
  /** Whether a link to a directory is gone into; otherwise it is a problem. Default true. */
  readonly followsDirectories?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Files looked at between two turns of the event loop: enough to be fast, too few to be felt. */
const SLICE = 32;

/**
 * Yields the files below a directory. The names of one directory for each level of depth are held
 * at a time, however many files the tree has. A root that is missing or no directory is an error.
 *
 * Links are followed, but not into a directory that the walk is inside of. Such loops, dangling
 * links, FIFOs, sockets, devices, unreadable directories and names that are not UTF-8 are told to
 * `onProblem`, which may throw to end the listing. They count towards a page, so that whoever keeps
 * them can get rid of them with it. A directory that `skips` says is not looked into, nor looked at:
 * what would be told of it is not.
 */
export async function* listTree(
  root: string,
  { pageSize = 1000, followsDirectories = true, signal }: TreeOptions,
  onProblem: (problem: DiskProblem) => void,
  skips: (directory: string) => boolean = () => false,
): AsyncGenerator<LocalEntry[]> {
  const stack: Directory[] = [];
  let page: LocalEntry[] = [];
  let told = 0;

  const tell = (key: string, error: AppError): void => {
    told += 1;
    onProblem({ key, error });
  };
  const enter = async (base: string): Promise<void> => {
    try {
      if (!followsDirectories && base !== "" && isLink(join(root, base)))
        throw linkedDirectory(base);
      const directory = await readDirectory(root, base);
      if (stack.some(({ identity }) => identity === directory.identity)) throw linkLoop(base);
      stack.push(directory);
    } catch (error) {
      tell(base, toAppError(error, `listing ${join(root, base)}`));
    }
  };

  try {
    statSync(root);
  } catch (error) {
    throw toAppError(error, `listing ${root}`);
  }
  await enter("");

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
    if (name.endsWith("/")) {
      if (!skips(key)) await enter(key);
      continue;
    }
    if (seen % SLICE === 0) await setImmediate();
    if (signal?.aborted) throw toAppError(signal.reason);
    const path = join(root, key);
    try {
      const stats = fileStats(path);
      if (stats !== undefined) page.push({ key, path, stats });
    } catch (error) {
      tell(key, toAppError(error, `reading ${path}`));
    }
  }
  if (page.length > 0) yield page;
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
function fileStats(path: string): Stats | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) {
    requireRegularFile(stats, path);
    return stats;
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw problem("DanglingLink", `${path} is a link to nothing`);
  }
  if (path.includes("\ufffd")) throw problem("InvalidName", `the name of ${path} is not UTF-8`);
  return undefined;
}

/** The base of a directory ends with `/`, which would lead through the link. */
function isLink(path: string): boolean {
  return (
    lstatSync(path.replace(/[\\/]+$/, ""), { throwIfNoEntry: false })?.isSymbolicLink() === true
  );
}

function linkedDirectory(base: string): AppError {
  const message = `${base} is a link to a directory: what is in it belongs elsewhere, and is not moved`;
  return problem("LinkedDirectory", message);
}

function linkLoop(base: string): AppError {
  return problem("LinkLoop", `${base} is a link to a directory that it is in`);
}

function problem(code: string, message: string): AppError {
  return new AppError({ kind: "usage", code, message });
}
