/** Lists a directory tree as keys, in the order of their UTF-8 bytes. */
import { isUtf8 } from "node:buffer";
import { type Dirent, type Stats, lstatSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";

import { toAppError } from "../failures/map.js";
import { type AppError, notFoundError, usageError } from "../failures/errors.js";
import { concerns, type Filter, isWithin, matches, prunes } from "../filter.js";
import { holds } from "../key-range.js";
import { compareKeys } from "../storage/key-order.js";
import { keyPath } from "./safe-path.js";
import { requireRegularFile } from "./regular-file.js";

/** A regular file, by its key below the root. */
export interface LocalEntry {
  readonly key: string;
  readonly path: string;
  readonly stats: Stats;
}

/** The names that are not listed, because they are no readable file or directory. */
export interface DiskProblem {
  readonly key: string;
  readonly error: AppError;
}

interface Directory {
  /** Its key, with the closing `/`; empty for the root. */
  readonly base: string;
  /** Put before a name, it makes the path. */
  readonly path: string;
  /** Device and inode, to find loops of links. */
  readonly identity: string;
  /** Names in key order, a directory's with `/`; taken from the end. */
  readonly names: string[];
}

/** The parts of a tree that are passed over without a word. */
export interface Skipped {
  /** Links, to files and to directories. */
  readonly links?: boolean | undefined;
  /** Named pipes, sockets and devices. */
  readonly special?: boolean | undefined;
}

export interface TreeOptions {
  /** Entries and problems a page at most. Default 1000. */
  readonly pageSize?: number | undefined;
  /** Whether a link to a directory is gone into; otherwise it is a problem. Default true. */
  readonly followsDirectories?: boolean | undefined;
  readonly filter?: Filter | undefined;
  /** Sizes and times do not decide, names alone. */
  readonly byName?: boolean | undefined;
  readonly skipped?: Skipped | undefined;
  /** It is told the key of each entry that is passed over; the key of a directory ends with `/`. */
  readonly onSkipped?: ((key: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Files looked at between two turns of the event loop: enough to be fast, too few to be felt. */
const SLICE = 128;

/**
 * Yields the files below a directory. The names of one directory for each level of depth are held
 * at a time, however many files the tree has. A root that is missing or no directory is an error.
 *
 * Links are followed, but not into a directory that the walk is inside of. Such loops, dangling
 * links, FIFOs, sockets, devices, unreadable directories and names that are not UTF-8 are told to
 * `onProblem`, which may throw to end the listing. They count towards a page, so that a caller that
 * keeps them can let go of them with the page. Entries that the filter leaves out are not told, and
 * a directory of which it takes nothing is not looked into. The names of a filter are looked up one
 * by one; those that are not there are problems.
 */
export async function* listTree(
  root: string,
  options: TreeOptions,
  onProblem: (problem: DiskProblem) => void,
): AsyncGenerator<LocalEntry[]> {
  const { pageSize = 1000, followsDirectories = true, filter, byName, skipped, signal } = options;
  const { onSkipped = () => undefined } = options;
  const stack: Directory[] = [];
  let page: LocalEntry[] = [];
  let told = 0;

  const tell = (key: string, error: AppError): void => {
    if (!concerns(filter, key)) return;
    told += 1;
    onProblem({ key, error });
  };
  const named = filter?.names !== undefined;
  const look = (key: string, known: string): void => {
    if (!concerns(filter, key)) return;
    try {
      // Only a list can name a path that is not below the root.
      const path = named ? keyPath(root, key) : known;
      if (skipped !== undefined && isSkipped(root, key, named, skipped)) return onSkipped(key);
      const stats = fileStats(path);
      if (stats === undefined) {
        if (named) tell(key, notThere(path));
      } else if (
        (filter?.shard === undefined || holds(filter.shard, key)) &&
        (byName === true || isWithin(filter ?? {}, stats.size, stats.mtimeMs))
      ) {
        page.push({ key, path, stats });
      }
    } catch (error) {
      tell(key, toAppError(error, `reading ${join(root, key)}`));
    }
  };
  const enter = async (base: string): Promise<void> => {
    try {
      if (skipped?.links === true && base !== "" && isLink(join(root, base))) {
        return onSkipped(base);
      }
      if (!followsDirectories && base !== "" && isLink(join(root, base)))
        throw linkedDirectory(base);
      const directory = await readDirectory(root, base, tell);
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
  // Taken from the end, as the names of a directory are.
  if (named) {
    const names = filter.names.filter((name) => matches(filter, name));
    stack.push({ base: "", path: "", identity: "", names: names.reverse() });
  } else await enter("");

  for (let seen = 1; stack.length > 0; seen++) {
    if (page.length + told >= pageSize) {
      yield page;
      page = [];
      told = 0;
    }
    const { base, path, names } = stack.at(-1)!;
    const name = names.pop();
    if (name === undefined) {
      stack.pop();
      continue;
    }
    const key = base + name;
    if (name.endsWith("/") && !named) {
      if (!prunes(filter, key)) await enter(key);
      continue;
    }
    if (seen % SLICE === 0) await setImmediate();
    if (signal?.aborted) throw toAppError(signal.reason);
    look(key, path + name);
  }
  if (page.length > 0) yield page;
}

/**
 * Whether a file is passed over: it is a link, may be reached `through` one, or is not a regular
 * file.
 */
function isSkipped(
  root: string,
  key: string,
  through: boolean,
  { links, special }: Skipped,
): boolean {
  const path = join(root, key);
  if (links === true) {
    for (let at = path; at !== root; at = dirname(at)) {
      if (isLink(at)) return true;
      if (!through || at.length <= root.length) break;
    }
  }
  const stats = special === true ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

async function readDirectory(
  root: string,
  base: string,
  tell: (key: string, error: AppError) => void,
): Promise<Directory> {
  const path = join(root, base);
  let found = await readdir(path, { withFileTypes: true });
  // A name that is not UTF-8 is read as other characters: the bytes tell which names are real.
  if (found.some(({ name }) => name.includes("\ufffd"))) {
    const names = await readdir(path, "buffer");
    for (const name of names.filter((bytes) => !isUtf8(bytes))) {
      const shown = escaped(name);
      const error = problem("InvalidName", `the name of ${join(path, shown)} is not UTF-8`);
      tell(base + shown, error);
    }
    const real = new Set(names.filter(isUtf8).map(String));
    found = found.filter(({ name }) => real.delete(name));
  }
  const { dev, ino } = statSync(path, { bigint: true });
  const names = found.map((entry) =>
    leadsToDirectory(path, entry) ? `${entry.name}/` : entry.name,
  );
  names.sort((a, b) => compareKeys(b, a));
  // The text before a name in the joined path.
  const before = join(path, "x").slice(0, -1);
  return { base, path: before, identity: `${dev}:${ino}`, names };
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

const QUIET = { throwIfNoEntry: false } as const;

/** Throws an AppError for anything but a regular file; undefined when it is gone by now. */
function fileStats(path: string): Stats | undefined {
  const stats = statSync(path, QUIET);
  if (stats !== undefined) {
    requireRegularFile(stats, path);
    return stats;
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw problem("DanglingLink", `${path} is a link to nothing`);
  }
  return undefined;
}

/** Bytes as the shell writes them in `$'…'`. */
function escaped(name: Buffer): string {
  const hex = (character: string) => `\\x${character.charCodeAt(0).toString(16)}`;
  return name.toString("latin1").replace(/[\x80-\xff]/g, hex);
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

function notThere(path: string): AppError {
  const message = `there is no file ${path}`;
  return notFoundError("ENOENT", message);
}

function linkLoop(base: string): AppError {
  return problem("LinkLoop", `${base} is a link to a directory that it is in`);
}

function problem(code: string, message: string): AppError {
  return usageError(code, message);
}
