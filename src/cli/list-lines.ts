/** Lines of a listing, in the columns of `mc ls`. */
import type { BucketEntry, UploadEntry } from "../core/storage/s3-types.js";
import type { Entry, ObjectEntry } from "../core/storage/storage.js";
import { createTimeFormat, formatSize } from "../text/format.js";

/**
 * Makes the line of an entry: `[time]    13B name`, relative to `base`. The storage class follows
 * the size when it is not the standard one. A prefix has neither time nor size; as in mc its
 * line shows the time of the listing and 0B, so that columns stay where scripts expect them.
 */
export function entryLines(now = Date.now()): (entry: Entry, base: string) => string {
  const time = createTimeFormat();
  return (entry, base) => {
    if (entry.type === "prefix") return `${time(now)}     0B ${relative(entry.key, base)}`;
    return `${head(time, entry, now)} ${relative(entry.key, base)}`;
  };
}

/** The same for a version: `[time]    13B <id> v3 PUT name`. The oldest version of a key is v1. */
export function versionLines(
  now = Date.now(),
): (entry: ObjectEntry, ordinal: number, base: string) => string {
  const time = createTimeFormat();
  return (entry, ordinal, base) =>
    `${head(time, entry, now)} ${entry.versionId ?? "null"} v${ordinal} ${entry.isDeleteMarker ? "DEL" : "PUT"} ${relative(entry.key, base)}`;
}

/** `[time]     0B name/` for a bucket. */
export function bucketLines(now = Date.now()): (bucket: BucketEntry) => string {
  const time = createTimeFormat();
  return ({ name, created }) => `${time(created ?? now)}     0B ${name}/`;
}

/** `[time] <upload id> key` for an unfinished upload. */
export function uploadLines(now = Date.now()): (upload: UploadEntry) => string {
  const time = createTimeFormat();
  return ({ key, uploadId, initiated }) => `${time(initiated ?? now)} ${uploadId} ${key}`;
}

/** The same for `--json`; `label` is `alias/bucket`. */
export function uploadRecord(
  { key, uploadId, initiated, storageClass }: UploadEntry,
  label: string,
): object {
  return {
    type: "upload",
    location: `${label}/${key}`,
    key,
    uploadId,
    ...(initiated === undefined ? {} : { initiated: new Date(initiated).toISOString() }),
    ...(storageClass === undefined ? {} : { storageClass }),
  };
}

function head(time: (ms: number) => string, entry: ObjectEntry, now: number): string {
  const { lastModified = now, size, storageClass = "STANDARD" } = entry;
  const start = `${time(lastModified)}${formatSize(size).padStart(7)}`;
  return storageClass === "STANDARD" ? start : `${start} ${storageClass}`;
}

/** A key without the base; an object whose key is the base itself keeps its last segment. */
function relative(key: string, base: string): string {
  return key.length > base.length
    ? key.slice(base.length)
    : key.slice(key.lastIndexOf("/", key.length - 2) + 1);
}

/**
 * An entry of the bucket `label` (`alias/bucket`) as `--json` shows it: what other commands take as its
 * location, the exact key, bytes, an ISO time.
 */
export function entryRecord(entry: Entry, label: string): object {
  const location = `${label}/${entry.key}`;
  if (entry.type === "prefix") return { type: entry.type, location, key: entry.key };
  const { type, lastModified, ...rest } = entry;
  return {
    type,
    location,
    ...rest,
    ...(lastModified === undefined ? {} : { lastModified: new Date(lastModified).toISOString() }),
  };
}

/**
 * Numbers the versions of each key, the oldest 1. Listings come newest first, so a key's versions
 * are held back until its last one is known; no more than one key's are held.
 */
export async function* numbered(
  pages: AsyncIterable<{ readonly base: string; readonly entries: readonly Entry[] }>,
): AsyncGenerator<{ base: string; entry: Entry; ordinal: number }[]> {
  let held: { base: string; entry: Entry; ordinal: number }[] = [];
  const release = () => {
    const total = held.length;
    const ready = held.map((item, index) => ({ ...item, ordinal: total - index }));
    held = [];
    return ready;
  };
  for await (const { base, entries } of pages) {
    const ready = [];
    for (const entry of entries) {
      if (held[0] !== undefined && held[0].entry.key !== entry.key) ready.push(...release());
      held.push({ base, entry, ordinal: 0 });
    }
    yield ready;
  }
  yield release();
}
