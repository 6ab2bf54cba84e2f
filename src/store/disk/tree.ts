/**
 * The tree of directories that a bucket's records are in. Writers make the directories they need
 * and a process that removes the last record prunes them, without a lock between the two: a writer
 * that finds its directory gone makes it again.
 */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { unlink } from "../../system/calls.js";
import { StoreError } from "../errors.js";
import type { Directory, KeyRef } from "./directory.js";
import { objectsOf, recordOf, takeAway } from "./directory.js";
import { noSuchBucket } from "./failures.js";
import { ifThere, isErrno, makeDirectory, replace } from "../../system/files.js";
import { bucketStands } from "./buckets.js";
import { addName, removeName, stillNamed } from "./catalog/catalog.js";

/** How often a writer makes its directory again while others delete beside it. */
const TRIES = 1000;

/**
 * Moves a written record to where its key's record is, durably. `catalog` is the one that has the
 * key's name already (addName).
 */
export async function placeRecord(
  directory: Directory,
  place: KeyRef,
  fresh: string,
  catalog: string,
): Promise<void> {
  const root = objectsOf(directory, place.bucket);
  const target = recordOf(directory, place);
  const parent = dirname(target);
  for (let attempt = 0; ; attempt += 1) {
    try {
      await ensureDirectory(directory, root, parent);
      await replace(fresh, target);
      break;
    } catch (error) {
      if (!isErrno(error, "ENOENT") || attempt === TRIES) throw error;
      if ((await ifThere(stat(fresh))) === undefined) throw sweptAway();
      forget(directory, root, parent);
      if (!(await bucketStands(directory, place.bucket))) throw noSuchBucket(place.bucket);
    }
  }
  await directory.sync(parent);
  // The bucket was removed and made again in between, or its catalog was lost.
  if (!stillNamed(directory, place.bucket, catalog)) await addName(directory, place, false);
}

/**
 * Removes a key's record and the directories that it leaves empty, durably. The record is moved away
 * and its blocks are freed later, which takes some disks longer than all the rest.
 */
export async function removeRecord(directory: Directory, place: KeyRef): Promise<void> {
  const target = recordOf(directory, place);
  const parent = dirname(target);
  const doomed = await takeAway(directory, target).catch(async (error: unknown) => {
    // A full disk may have no room for another name, but it has to let go of this one.
    if (!isErrno(error, "ENOSPC", "EDQUOT")) throw error;
    await ifThere(unlink(target));
  });
  try {
    removeName(directory, place);
    await directory.sync(parent);
    await directory.prune(parent);
  } finally {
    if (doomed !== undefined) await directory.remove(doomed);
  }
}

/** Makes the directories from below the root down to this one, each durable before the next. */
export async function ensureDirectory(
  directory: Directory,
  root: string,
  path: string,
): Promise<void> {
  if (path === root || directory.known.has(path)) return;
  const parent = dirname(path);
  await ensureDirectory(directory, root, parent);
  await makeDirectory(path);
  // Also when it was there: the process that made it may not have synced it yet.
  await directory.sync(parent);
  directory.know(path);
}

/** A process that was suspended too long, on another host, finds its files gone and may not go on. */
function sweptAway(): StoreError {
  return new StoreError("SlowDown", 503, "The store took this process for dead; try again.");
}

function forget(directory: Directory, root: string, path: string): void {
  for (let lost = path; lost !== root; lost = dirname(lost)) directory.known.delete(lost);
}
