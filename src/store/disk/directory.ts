/**
 * The store's directory:
 *
 *   pail-store.json               format version
 *   buckets/<name>+/bucket.json   what is said about a bucket
 *   buckets/<name>+/objects/      one record a key, in a tree that follows the keys (names.ts)
 *   buckets/<name>+/uploads/<id>/ unfinished multipart uploads
 *   blobs/<xx>/<id>               bytes of objects too large for their record
 *   tmp/                          what is being written
 *   intents/                      which blobs a commit is adding and removing (blobs.ts)
 *   locks/, owners/               who is writing (locks.ts, owner.ts)
 *   damaged/                      records that could not be read and were replaced or removed
 */
import { randomBytes } from "node:crypto";
import { readFile, rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { StoreError } from "../errors.js";
import { createDirectorySync, ifThere, makeDirectory, writeSynced } from "./files.js";
import { createLocks } from "./locks.js";
import type { Locks } from "./locks.js";
import { nameOf, recordNames, toBytes } from "./names.js";
import type { Owner } from "./owner.js";
import { createOwner } from "./owner.js";

/** Raised when an older pail could misread what this one writes. */
const FORMAT = 1;

/** An opened store directory: its places, its locks, and where to write what is not yet there. */
export interface Directory {
  readonly root: string;
  readonly locks: Locks;
  readonly owner: Owner;
  /** Makes a directory's entries durable. */
  readonly sync: (directory: string) => Promise<void>;
  /** Directories of keys that this process knows to be there durably; may be out of date. */
  readonly known: Set<string>;
  /** A fresh path under `tmp/` (or `intents/`) that names this process as its user. */
  temporary(place?: "tmp" | "intents"): Promise<string>;
  bucket(name: string): string;
  blob(id: string): string;
}

/** A key of a bucket. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/** The directory in which a bucket's keys begin. */
export function objectsOf(directory: Directory, bucket: string): string {
  return join(directory.bucket(bucket), "objects");
}

/** The record of a key. */
export function recordOf(directory: Directory, { bucket, key }: Place): string {
  return join(objectsOf(directory, bucket), ...recordNames(toBytes(key)));
}

/** Runs work while nobody else changes the key. */
export function withKey<T>(
  directory: Directory,
  { bucket, key }: Place,
  work: () => Promise<T>,
): Promise<T> {
  return directory.locks.withLock(`${bucket}\0${key}`, work);
}

/**
 * Makes the directory a store, or finds that it is one.
 * Throws a StoreError for a store of a newer format.
 */
export async function openDirectory(path: string): Promise<Directory> {
  const root = resolve(path);
  const sync = createDirectorySync();
  await makePath(root, sync);
  let made = false;
  for (const name of ["buckets", "blobs", "tmp", "intents", "locks", "owners"]) {
    made = (await makeDirectory(join(root, name))) || made;
  }
  const owner = createOwner(join(root, "owners"));
  const temporary = async (place: "tmp" | "intents" = "tmp"): Promise<string> => {
    await owner.register();
    return join(root, place, `${owner.token}-${randomBytes(12).toString("hex")}`);
  };
  made = (await checkFormat(root, temporary)) || made;
  if (made) await sync(root);
  return {
    root,
    sync,
    temporary,
    known: new Set(),
    owner,
    locks: createLocks(join(root, "locks"), owner),
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

/** True when the directory had no format yet and was given ours. */
async function checkFormat(root: string, temporary: () => Promise<string>): Promise<boolean> {
  const file = join(root, "pail-store.json");
  const text = await ifThere(readFile(file, "utf8"));
  if (text === undefined) {
    const fresh = await temporary();
    await writeSynced(fresh, [Buffer.from(`${JSON.stringify({ format: FORMAT })}\n`)]);
    await rename(fresh, file);
    return true;
  }
  let format: unknown;
  try {
    format = (JSON.parse(text) as { format?: unknown }).format;
  } catch {
    format = undefined;
  }
  if (format === FORMAT) return false;
  throw new StoreError(
    "InternalError",
    500,
    typeof format === "number" && format > FORMAT
      ? `The store in ${root} was written by a newer pail (format ${format}; this one knows ${FORMAT}).`
      : `${file} does not say which format the store has.`,
  );
}
