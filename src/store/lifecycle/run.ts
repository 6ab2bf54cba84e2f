/**
 * Carrying lifecycle rules out. Every server of a directory does it for itself: what is removed
 * must still be all that was seen, so two at once, or a writer in between, lose nothing.
 */
import type { BucketRecord, LifecycleRule, ListPage, ObjectRecord } from "../records.js";
import type { Backend } from "../disk/index.js";
import { StoreError } from "../errors.js";
import { expiredVersions, isAbandoned, isExpired } from "./due.js";

export interface LifecycleDone {
  /** Objects, versions and delete markers removed, or hidden where there are versions. */
  readonly objects: number;
  readonly uploads: number;
}

/** Applies the rules of every bucket as of `now`; a failure in one bucket spares the others. */
export async function runLifecycle(
  backend: Backend,
  now: number,
  onError: (error: unknown) => void,
): Promise<LifecycleDone> {
  const done = { objects: 0, uploads: 0 };
  for (const bucket of await backend.listBuckets()) {
    const rules = bucket.settings.lifecycle?.filter(({ enabled }) => enabled) ?? [];
    if (rules.length === 0) continue;
    try {
      done.objects += await expireObjects(backend, bucket, rules, now);
      if (bucket.versioning !== undefined) {
        done.objects += await expireVersions(backend, bucket.name, rules, now);
      }
      done.uploads += await abortUploads(backend, bucket.name, rules, now);
    } catch (error) {
      onError(error);
    }
  }
  return done;
}

async function expireObjects(
  backend: Backend,
  { name }: BucketRecord,
  rules: readonly LifecycleRule[],
  now: number,
): Promise<number> {
  const list = (after: ListPage<ObjectRecord>["next"]) =>
    backend.listObjects(name, { prefix: "", delimiter: "", limit: 1000, after });
  let count = 0;
  for await (const object of pages(list)) {
    // The tags of a listed object are its record's; nothing has to be looked up.
    if (object.damaged === true || !isExpired(rules, object, now)) continue;
    count += await unlessChanged(
      backend.deleteObject(name, object.key, undefined, { ifStill: object }),
    );
  }
  return count;
}

async function expireVersions(
  backend: Backend,
  bucket: string,
  rules: readonly LifecycleRule[],
  now: number,
): Promise<number> {
  const list = (after: ListPage<ObjectRecord>["next"]) =>
    backend.listVersions(bucket, { prefix: "", delimiter: "", limit: 1000, after });
  let count = 0;
  let versions: ObjectRecord[] = [];
  const settle = async (): Promise<void> => {
    if (versions.some(({ damaged }) => damaged === true)) return;
    for (const version of expiredVersions(rules, versions, now)) {
      const { key, versionId } = version;
      // The rules no longer mean a version that became the latest again, or was given other tags.
      const pinned = { ifStill: version };
      count += await unlessChanged(backend.deleteObject(bucket, key, versionId, pinned));
    }
  };
  for await (const version of pages(list)) {
    if (version.key !== versions[0]?.key) {
      await settle();
      versions = [];
    }
    versions.push(version);
  }
  await settle();
  return count;
}

async function abortUploads(
  backend: Backend,
  bucket: string,
  rules: readonly LifecycleRule[],
  now: number,
): Promise<number> {
  if (rules.every(({ abortUploadsDays }) => abortUploadsDays === undefined)) return 0;
  let count = 0;
  for (const upload of await backend.listUploads(bucket, "")) {
    if (!isAbandoned(rules, upload, now)) continue;
    count += await unlessChanged(backend.abortUpload(bucket, upload.key, upload.uploadId));
  }
  return count;
}

async function* pages(
  list: (after: ListPage<ObjectRecord>["next"]) => Promise<ListPage<ObjectRecord>>,
): AsyncGenerator<ObjectRecord> {
  let after: ListPage<ObjectRecord>["next"];
  do {
    const page = await list(after);
    yield* page.entries;
    after = page.next;
  } while (after !== undefined);
}

/** 1 when it was done; 0 when it is no longer what was seen, or not there any more. */
async function unlessChanged(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 1;
  } catch (error) {
    if (error instanceof StoreError && error.status < 500) return 0;
    throw error;
  }
}
