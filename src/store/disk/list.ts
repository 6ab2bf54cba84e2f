/** Pages of objects and of versions (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html). */
import { setImmediate } from "node:timers/promises";
import type { ListPage, ListQuery, ObjectRecord } from "../backend.js";
import type { Cursor } from "./cursor.js";
import { openCursor } from "./cursor.js";
import { fromBytes, toBytes } from "./names.js";
import type { Version } from "./record.js";
import { readVersions, toObject } from "./record.js";
import { after } from "./versions.js";

/** Milliseconds of reading records between two looks at the event loop. */
const SLICE = 2;

type Item =
  | { readonly key: string; readonly object: ObjectRecord }
  | { readonly key: string; readonly object?: undefined };

type Found = NonNullable<Awaited<ReturnType<Cursor["next"]>>>;

/** What a listing shows of a key: one object, several versions, or nothing. */
type Show = (versions: readonly Version[]) => readonly Version[];

/** The latest versions that are not delete markers. */
export function listObjects(
  root: string,
  readNames: (directory: string) => Promise<readonly string[]>,
  query: ListQuery,
): Promise<ListPage<ObjectRecord>> {
  return list(root, readNames, query, "latest", (versions) =>
    versions.slice(0, 1).filter((version) => version.deleteMarker !== true),
  );
}

/** All versions and delete markers. */
export function listVersions(
  root: string,
  readNames: (directory: string) => Promise<readonly string[]>,
  query: ListQuery,
): Promise<ListPage<ObjectRecord>> {
  return list(root, readNames, query, "all", (versions) => versions);
}

async function list(
  root: string,
  readNames: (directory: string) => Promise<readonly string[]>,
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
  const cursor = openCursor(root, readNames, prefix, startAfter(marker, prefix, groupOf));
  const items: Item[] = [];

  const objectsAt = ({ key, file }: Found): Item[] => {
    const versions = readVersions(file, which);
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
  const breathe = createPauses();
  while (items.length < wanted) {
    const found = await cursor.next();
    if (found === undefined) break;
    const group = groupOf(found.key);
    if (group === undefined) {
      items.push(...objectsAt(found));
    } else if (show(readVersions(found.file, which)).length > 0) {
      items.push({ key: group });
      cursor.skipTo(beyond(group));
    }
    await breathe();
  }
  return toPage(items, query.limit);
}

/** Lets others run whenever the event loop has been held for some milliseconds. */
function createPauses(): () => Promise<void> | undefined {
  let started = performance.now();
  return () => {
    if (performance.now() - started < SLICE) return undefined;
    return setImmediate().then(() => {
      started = performance.now();
    });
  };
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
