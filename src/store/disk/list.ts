/** Pages of objects and of versions (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html). */
import type { ListPage, ListQuery, ObjectRecord } from "../records.js";
import { getBucket } from "./buckets.js";
import { openNames } from "./catalog/catalog.js";
import type { Directory } from "./directory.js";
import { objectsOf } from "./directory.js";
import type { Older } from "./history.js";
import { olderThan } from "./history.js";
import { fromBytes, recordPath, toBytes } from "./names.js";
import { createPauses } from "./pauses.js";
import type { Version } from "./record.js";
import { readVersions, toObject } from "./record.js";
import { after } from "./versions.js";

/** One row of a page: an object or version, or a group by its prefix. */
type Item = ObjectRecord | string;

/** The versions of a key that a listing shows: one object, several versions, or nothing. */
type Show = (versions: readonly Version[]) => readonly Version[];

/** The latest versions that are not delete markers. */
export function listObjects(
  directory: Directory,
  bucket: string,
  query: ListQuery,
): Promise<ListPage<ObjectRecord>> {
  return list(directory, bucket, query, "latest", (versions) =>
    versions[0]?.deleteMarker === true ? [] : versions,
  );
}

/** All versions and delete markers. */
export function listVersions(
  directory: Directory,
  bucket: string,
  query: ListQuery,
): Promise<ListPage<ObjectRecord>> {
  return list(directory, bucket, query, "all", (versions) => versions);
}

async function list(
  directory: Directory,
  bucket: string,
  query: ListQuery,
  which: "latest" | "all",
  show: Show,
): Promise<ListPage<ObjectRecord>> {
  getBucket(directory, bucket);
  const prefix = toBytes(query.prefix);
  const delimiter = toBytes(query.delimiter);
  const groupOf = (key: string): string | undefined => {
    const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  };
  // A page of objects goes on after a key, whichever of its versions the marker names.
  const versionId = which === "all" ? query.after?.versionId : undefined;
  const marker = query.after && { versionId, key: toBytes(query.after.key) };
  const from = startAfter(marker, prefix, groupOf);
  const items: Item[] = [];

  // One more than asked for tells whether there is a next page.
  const wanted = query.limit === 0 ? 0 : query.limit + 1;
  const pause = createPauses();
  const objects = objectsOf(directory, bucket);
  const names = await openNames(directory, bucket);
  try {
    names.seek(from > prefix ? from : prefix);
    while (items.length < wanted && names.current?.key.startsWith(prefix) === true) {
      const { key, there } = names.current;
      names.advance();
      const path = `${objects}/${recordPath(key)}`;
      const versions = there ? readVersions(path, which) : [];
      const group = groupOf(key);
      if (group !== undefined) {
        if (show(versions).length > 0) {
          items.push(fromBytes(group));
          names.seek(beyond(group));
        }
      } else if (which === "latest") {
        for (const version of show(versions)) items.push(toObject(fromBytes(key), version, true));
      } else {
        const marked = key === marker?.key ? marker.versionId : undefined;
        for (const { version, isLatest } of allVersions(path, versions, marked)) {
          items.push(toObject(fromBytes(key), version, isLatest));
          if (items.length >= wanted) break;
          await pause();
        }
      }
      const held = pause();
      if (held !== undefined) await held;
    }
  } finally {
    names.close();
  }
  return toPage(items, query.limit);
}

/** All versions of a key from a marker on, read one at a time. */
function* allVersions(
  path: string,
  lines: readonly Version[],
  marker: string | undefined,
): Generator<{ readonly version: Version; readonly isLatest: boolean }> {
  let versions = lines;
  let older = olderThan(path, versions);
  for (let now = readVersions(path, "all"); now[0]?.order !== versions[0]?.order;) {
    // An older version may have become the latest again in between.
    versions = now;
    older = olderThan(path, versions);
    now = readVersions(path, "all");
  }
  const all: readonly (Version | Older)[] = [...versions, ...older];
  for (const each of marker === undefined ? all : after(all, marker)) {
    // A version that has gone away since then is not shown.
    const found = "path" in each ? readVersions(each.path, "latest") : [each];
    for (const version of found) yield { version, isLatest: each === versions[0] };
  }
}

/** The least key of the page that follows a marker. */
function startAfter(
  marker: { readonly key: string; readonly versionId?: string | undefined } | undefined,
  prefix: string,
  groupOf: (key: string) => string | undefined,
): string {
  if (marker === undefined) return "";
  const group = marker.key.startsWith(prefix) ? groupOf(marker.key) : undefined;
  if (group !== undefined) return beyond(group);
  return marker.versionId === undefined ? `${marker.key}\0` : marker.key;
}

/** The least byte string above all that begin with this; no text ends with the byte 0xff. */
function beyond(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

function toPage(items: readonly Item[], limit: number): ListPage<ObjectRecord> {
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1) : undefined;
  return {
    entries: page.filter((item) => typeof item !== "string"),
    commonPrefixes: page.filter((item) => typeof item === "string"),
    next:
      typeof last === "string"
        ? { key: last }
        : last && { key: last.key, versionId: last.versionId },
  };
}
