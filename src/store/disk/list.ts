/** Pages of objects and of versions (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html). */
import type { ListPage, ListQuery, ObjectRecord } from "../backend.js";
import { openNames } from "./catalog/catalog.js";
import type { Directory } from "./directory.js";
import { recordAt } from "./directory.js";
import { fromBytes, toBytes } from "./names.js";
import { createPauses } from "./pauses.js";
import type { Version } from "./record.js";
import { readVersions, toObject } from "./record.js";
import { after } from "./versions.js";

type Item =
  | { readonly key: string; readonly object: ObjectRecord }
  | { readonly key: string; readonly object?: undefined };

/** What a listing shows of a key: one object, several versions, or nothing. */
type Show = (versions: readonly Version[]) => readonly Version[];

/** The latest versions that are not delete markers. */
export function listObjects(
  directory: Directory,
  bucket: string,
  query: ListQuery,
): Promise<ListPage<ObjectRecord>> {
  return list(directory, bucket, query, "latest", (versions) =>
    versions.slice(0, 1).filter((version) => version.deleteMarker !== true),
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
  const prefix = toBytes(query.prefix);
  const delimiter = toBytes(query.delimiter);
  const groupOf = (key: string): string | undefined => {
    const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    return at < 0 ? undefined : key.slice(0, at + delimiter.length);
  };
  const marker = query.after && { ...query.after, key: toBytes(query.after.key) };
  const from = startAfter(marker, prefix, groupOf);
  const items: Item[] = [];

  const objectsAt = (key: string, versions: readonly Version[]): Item[] => {
    const shown = show(versions);
    const left =
      marker?.versionId !== undefined && key === marker.key
        ? after(shown, marker.versionId)
        : shown;
    return left.map((version) => ({
      key,
      object: toObject(fromBytes(key), version, version === versions[0]),
    }));
  };

  // One more than asked for tells whether there is a next page.
  const wanted = query.limit === 0 ? 0 : query.limit + 1;
  const pause = createPauses();
  const names = await openNames(directory, bucket);
  try {
    names.seek(from > prefix ? from : prefix);
    while (items.length < wanted && names.current?.key.startsWith(prefix) === true) {
      const { key, there } = names.current;
      names.advance();
      const versions = there ? readVersions(recordAt(directory, bucket, key), which) : [];
      const group = groupOf(key);
      if (group === undefined) {
        items.push(...objectsAt(key, versions));
      } else if (show(versions).length > 0) {
        items.push({ key: group });
        names.seek(beyond(group));
      }
      await pause();
    }
  } finally {
    names.close();
  }
  return toPage(items, query.limit);
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

/** The least byte string above all that begin so; the last byte of a text is never 0xff. */
function beyond(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

function toPage(items: readonly Item[], limit: number): ListPage<ObjectRecord> {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const next =
    last === undefined || items.length <= limit
      ? undefined
      : { key: fromBytes(last.key), versionId: last.object?.versionId };
  return {
    entries: page.flatMap((item) => item.object ?? []),
    commonPrefixes: page.flatMap((item) => (item.object === undefined ? fromBytes(item.key) : [])),
    next,
  };
}
