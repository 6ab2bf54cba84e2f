/** Buckets: a directory each, whose `bucket.json` says that it exists. */
import { opendir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { rename, unlink } from "../../system/calls.js";
import type { BucketChange, BucketRecord, BucketSettings } from "../records.js";
import { StoreError } from "../errors.js";
import type { Directory } from "./directory.js";
import { objectsOf, takeAway } from "./directory.js";
import { noSuchBucket } from "./failures.js";
import {
  ifThere,
  makeDirectory,
  readThere,
  removeIfEmpty,
  replaceFile,
} from "../../system/files.js";

type BucketFile = Omit<BucketRecord, "created" | "settings"> & {
  readonly created: number;
  readonly settings?: BucketSettings | undefined;
};

const FILE = "bucket.json";

/** The unfinished uploads of a bucket, a directory each. */
export function uploadsOf(directory: Directory, bucket: string): string {
  return join(directory.bucket(bucket), "uploads");
}

/** Throws NoSuchBucket. */
export function getBucket(directory: Directory, name: string): BucketRecord {
  const record = readBucket(directory.bucket(name));
  if (record === undefined) throw noSuchBucket(name);
  return record;
}

/** All buckets, in the order of their names. */
export async function listBuckets(directory: Directory): Promise<BucketRecord[]> {
  const root = join(directory.root, "buckets");
  const found = (await readdir(root)).map((name) => readBucket(join(root, name)));
  return found.filter((record) => record !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Throws BucketAlreadyOwnedByYou. */
export function createBucket(
  directory: Directory,
  name: string,
  region: string,
  settings: BucketSettings = {},
): Promise<void> {
  return withBucket(directory, name, async () => {
    const path = directory.bucket(name);
    if (readBucket(path) !== undefined) {
      throw new StoreError("BucketAlreadyOwnedByYou", 409, `The bucket ${name} is already yours.`, {
        BucketName: name,
      });
    }
    // Removes what is left of a deletion that was cut off after its decisive step.
    await discard(directory, path);
    const fresh = await directory.temporary();
    try {
      await makeDirectory(fresh);
      await makeDirectory(join(fresh, "objects"));
      await makeDirectory(join(fresh, "uploads"));
      await writeBucket(directory, fresh, {
        name,
        region,
        created: Date.now(),
        tags: {},
        settings,
      });
      await rename(fresh, path);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      throw error;
    }
    await directory.sync(join(directory.root, "buckets"));
  });
}

/** Changes what is said about a bucket. Throws NoSuchBucket. */
export function updateBucket(
  directory: Directory,
  name: string,
  change: BucketChange,
): Promise<void> {
  return withBucket(directory, name, async () => {
    const record = getBucket(directory, name);
    const { settings, ...rest } = change;
    const changed = {
      ...record,
      ...rest,
      settings: { ...record.settings, ...settings },
      created: record.created.getTime(),
    };
    await writeBucket(directory, directory.bucket(name), changed);
  });
}

/**
 * Throws BucketNotEmpty while there is an object or a version; unfinished uploads go with the
 * bucket. The directory of objects is removed first, which only succeeds while it is empty and
 * from then on keeps every writer out.
 */
export function deleteBucket(directory: Directory, name: string): Promise<void> {
  return withBucket(directory, name, async () => {
    getBucket(directory, name);
    const path = directory.bucket(name);
    if (!(await removeEmptyTree(objectsOf(directory, name)))) throw notEmpty(name);
    await unlink(join(path, FILE));
    await discard(directory, path);
    await directory.sync(join(directory.root, "buckets"));
  });
}

/**
 * Whether the bucket exists, asked by a writer that found its directories gone. They are made
 * again if a deletion was cut off between taking them away and taking the bucket.
 */
export function bucketStands(directory: Directory, name: string): Promise<boolean> {
  return withBucket(directory, name, async () => {
    const path = directory.bucket(name);
    if (readBucket(path) === undefined) return false;
    await makeDirectory(join(path, "objects"));
    await makeDirectory(join(path, "uploads"));
    await directory.sync(path);
    return true;
  });
}

function withBucket<T>(directory: Directory, name: string, work: () => Promise<T>): Promise<T> {
  return directory.locks.withLock(`\0${name}`, work);
}

/** At once, because every request reads one: from the page cache that takes microseconds. */
function readBucket(path: string): BucketRecord | undefined {
  const bytes = readThere(join(path, FILE));
  if (bytes === undefined) return undefined;
  const record = JSON.parse(bytes.toString("utf8")) as BucketFile;
  return { ...record, settings: record.settings ?? {}, created: new Date(record.created) };
}

async function writeBucket(directory: Directory, path: string, record: BucketFile): Promise<void> {
  await replaceFile(join(path, FILE), JSON.stringify(record), await directory.temporary());
}

/** Takes what is left of a bucket out of sight at once, then removes it. */
async function discard(directory: Directory, path: string): Promise<void> {
  const doomed = await takeAway(directory, path);
  if (doomed !== undefined) await rm(doomed, { recursive: true, force: true });
}

/** Removes a directory if nothing but empty directories is in it; true when it is gone. */
async function removeEmptyTree(path: string): Promise<boolean> {
  const entries = await ifThere(opendir(path));
  if (entries === undefined) return true;
  for await (const entry of entries) {
    if (!entry.isDirectory() || !(await removeEmptyTree(join(path, entry.name)))) return false;
  }
  return removeIfEmpty(path);
}

function notEmpty(name: string): StoreError {
  return new StoreError("BucketNotEmpty", 409, `The bucket ${name} is not empty.`, {
    BucketName: name,
  });
}
