/**
 * The store's directory:
 *
 *   pail-store.json               format version
 *   buckets/<name>+/bucket.json   what is said about a bucket
 *   buckets/<name>+/objects/      one record a key, in a tree that follows the keys (names.ts)
 *   buckets/<name>+/names/        the names of its keys in order (catalog/)
 *   buckets/<name>+/uploads/<id>/ unfinished multipart uploads
 *   blobs/<xx>/<id>               bytes of objects too large for their record
 *   tmp/                          what is being written
 *   intents/                      which blobs a commit is adding and removing (blobs.ts)
 *   held/, owners/                who is writing (system/locks.ts, system/owner.ts)
 *   damaged/                      records that could not be read and were replaced or removed
 */
import { createHash, randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { StoreError, StoreFailure } from "../errors.js";
import {
  createRemover,
  createShared,
  ifThere,
  makeDirectory,
  removeIfEmpty,
  replace,
  syncDirectory,
  syncFile,
} from "../../system/files.js";
import type { Read } from "./catalog/journal.js";
import { FORMAT, requireFormat } from "./format.js";
import { createLocks } from "../../system/locks.js";
import type { Locks } from "../../system/locks.js";
import { nameOf, recordPath, toBytes } from "./names.js";
import type { Owner } from "../../system/owner.js";
import { createOwner } from "../../system/owner.js";

/** Remembered paths; beyond this the memory starts afresh. */
const KNOWN = 10_000;

/** An opened store directory: its places, its locks, and where to write what is not yet there. */
export interface Directory {
  readonly root: string;
  readonly locks: Locks;
  readonly owner: Owner;
  /** Makes a directory's entries durable. */
  readonly sync: (directory: string) => Promise<void>;
  /** Removes a file that nobody can reach any more, soon. */
  readonly remove: (file: string) => Promise<void>;
  /** Removes a directory of keys, and those above it, as far as they are empty. */
  readonly prune: (directory: string) => Promise<void>;
  /** Makes a file's bytes durable. */
  readonly syncData: (file: string) => Promise<void>;
  /** Directories of keys, and journals, known to be there durably; may be out of date. */
  readonly known: Set<string>;
  /** Adds to `known`. */
  know(path: string): void;
  /** Journals as far as they were read last; files that only grow, so this cannot be wrong. */
  readonly journals: Map<string, Read>;
  /** Buckets whose catalog this process is tidying. */
  readonly tidying: Set<string>;
  /** A fresh path under `tmp/` (or `intents/`) that names this process as its user. */
  temporary(place?: "tmp" | "intents"): Promise<string>;
  bucket(name: string): string;
  blob(id: string): string;
}

/** A key of a bucket. */
export interface KeyRef {
  readonly bucket: string;
  readonly key: string;
}

/** The directory in which a bucket's keys begin. */
export function objectsOf(directory: Directory, bucket: string): string {
  return join(directory.bucket(bucket), "objects");
}

/** The record of a key. */
export function recordOf(directory: Directory, { bucket, key }: KeyRef): string {
  return `${objectsOf(directory, bucket)}/${recordPath(toBytes(key))}`;
}

/**
 * Moves what is at a path out of sight, to a name under `tmp/` from where it is to be removed: by a
 * sweep if not by this process. Undefined where there is nothing.
 */
export async function takeAway(directory: Directory, path: string): Promise<string | undefined> {
  const doomed = await directory.temporary();
  return ifThere(replace(path, doomed).then(() => doomed));
}

/** Runs work while nobody else changes the key. */
export function withKey<T>(
  directory: Directory,
  { bucket, key }: KeyRef,
  work: () => Promise<T>,
): Promise<T> {
  return directory.locks.withLock(`${bucket}\0${key}`, work);
}

/**
 * Makes the directory a store, or finds that it is one.
 * Throws a StoreError for a store of a newer format, or of an older one that is in use.
 */
export async function openDirectory(path: string): Promise<Directory> {
  const root = resolve(path);
  const sync = createShared(syncDirectory);
  await makePath(root, sync);
  let made = false;
  for (const name of ["buckets", "blobs", "tmp", "intents", "held", "owners"]) {
    made = (await makeDirectory(join(root, name))) || made;
  }
  const owner = createOwner(join(root, "owners"), { format: FORMAT });
  const temporary = async (place: "tmp" | "intents" = "tmp"): Promise<string> => {
    await owner.register();
    return join(root, place, `${owner.token}-${randomBytes(12).toString("hex")}`);
  };
  made = (await requireFormat(root, temporary, sync)) || made;
  if (made) await sync(root);
  const known = new Set<string>();
  return {
    root,
    sync,
    temporary,
    remove: createRemover(),
    prune: createShared(async (path) => {
      // Directories of keys end in another character than the one that they are all in (names.ts).
      for (let empty = path; !empty.endsWith("objects"); empty = dirname(empty)) {
        if (!(await removeIfEmpty(empty))) return;
        known.delete(empty);
      }
    }),
    syncData: createShared(syncFile),
    known,
    know(path) {
      if (known.size >= KNOWN) known.clear();
      known.add(path);
    },
    journals: new Map(),
    tidying: new Set(),
    owner,
    // Locks are links to the owner file: one system call each.
    locks: createLocks({
      fileOf: (name) =>
        join(root, "held", createHash("sha256").update(name).digest("hex").slice(0, 40)),
      mark: owner.mark,
      failure: (why, file) =>
        why === "held"
          ? new StoreError("SlowDown", 503, "Another process holds this key; try again.")
          : new StoreFailure(`The store has lost ${dirname(file)}.`),
    }),
    bucket: (name) => join(root, "buckets", nameOf(`${toBytes(name)}/`)),
    blob: (id) => join(root, "blobs", id.slice(0, 2), id),
  };
}

async function makePath(path: string, sync: (directory: string) => Promise<void>): Promise<void> {
  const made = await ifThere(makeDirectory(path));
  if (made === false) return;
  if (made === undefined) {
    await makePath(dirname(path), sync);
    await makeDirectory(path);
  }
  await sync(dirname(path));
}
