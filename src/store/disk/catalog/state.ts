/**
 * The list of the files of a bucket's catalog: `names/state.json`, replaced by a rename whenever
 * they change. A file that it does not name is left over, or not yet published.
 */
import { randomBytes } from "node:crypto";
import { opendirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { bucketStands } from "../buckets.js";
import type { Directory } from "../directory.js";
import { objectsOf } from "../directory.js";
import { noSuchBucket } from "../failures.js";
import { isErrno, makeDirectory, replaceFile, writeSynced } from "../../../system/files.js";
import type { Run } from "./run.js";

export interface State {
  /** Different for each catalog that is begun. */
  readonly id: string;
  /** The inode of its `objects` directory; a copy of the store has another one. */
  readonly objects: string;
  /** False while keys that were there before the catalog are not in it. */
  readonly complete: boolean;
  /** The newest first. */
  readonly runs: readonly Run[];
  /** The oldest first; names are appended to the last. */
  readonly journals: readonly [string, ...string[]];
}

/** The directory of a bucket's catalog. */
export function catalogOf(directory: Directory, bucket: string): string {
  return join(directory.bucket(bucket), "names");
}

/** The journal that names are appended to. */
export function current(state: State): string {
  return state.journals.at(-1)!;
}

/** The state that stands now; undefined where there is none that can be relied on. */
export function readState(directory: Directory, bucket: string): State | undefined {
  try {
    const text = readFileSync(join(catalogOf(directory, bucket), "state.json"), "utf8");
    const state = JSON.parse(text) as State | null;
    return state?.objects === inodeOf(objectsOf(directory, bucket)) ? state : undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR") || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Like readState; begins a catalog where there is none. Throws NoSuchBucket. */
export async function requireState(directory: Directory, bucket: string): Promise<State> {
  return readState(directory, bucket) ?? renew(directory, bucket, undefined);
}

/** Begins a catalog anew, unless another has already taken the place of the lost one. */
export function renew(
  directory: Directory,
  bucket: string,
  lost: State | undefined,
): Promise<State> {
  return withCatalog(directory, bucket, async () => {
    const found = readState(directory, bucket);
    if (found !== undefined && !isDeepStrictEqual(found, lost)) return found;
    if (!(await bucketStands(directory, bucket))) throw noSuchBucket(bucket);
    const path = catalogOf(directory, bucket);
    await makeDirectory(path);
    await directory.sync(directory.bucket(bucket));
    const objects = objectsOf(directory, bucket);
    const state: State = {
      id: randomBytes(12).toString("hex"),
      objects: inodeOf(objects),
      // No writer gets further than this without a catalog, so an empty bucket has no keys to add.
      complete: lost === undefined && isEmpty(objects),
      runs: [],
      journals: [await newJournal(directory, bucket)],
    };
    await publish(directory, bucket, state);
    return state;
  });
}

/** Runs work while no other process changes the state. */
export function withCatalog<T>(
  directory: Directory,
  bucket: string,
  work: () => Promise<T>,
): Promise<T> {
  return directory.locks.withLock(`\0names\0${bucket}`, work);
}

/** Makes this the state, durably; the caller holds the catalog. */
export async function publish(directory: Directory, bucket: string, state: State): Promise<void> {
  const file = join(catalogOf(directory, bucket), "state.json");
  await replaceFile(file, JSON.stringify(state), await directory.temporary());
}

/** Makes an empty journal, durably; the caller holds the catalog and publishes it. */
export async function newJournal(directory: Directory, bucket: string): Promise<string> {
  const name = `journal-${randomBytes(12).toString("hex")}`;
  const path = catalogOf(directory, bucket);
  await writeSynced(join(path, name), []);
  await directory.sync(path);
  return name;
}

function inodeOf(path: string): string {
  return String(statSync(path, { bigint: true }).ino);
}

function isEmpty(path: string): boolean {
  const entries = opendirSync(path);
  try {
    return entries.readSync() === null;
  } finally {
    entries.closeSync();
  }
}
