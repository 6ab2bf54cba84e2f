/** The two sides of a sync: directories and prefixes, listed in key order by one shape. */
import { statSync } from "node:fs";
import { join } from "node:path";

import type { Filter } from "../filter.js";
import { fileState } from "../local/attributes.js";
import { listKey } from "../listing.js";
import { type DiskProblem, listTree, type TreeOptions } from "../local/list.js";
import { codeOf } from "../failures/local.js";
import type { Source } from "../operations/sources.js";
import type { BucketPlace } from "../operations/types.js";
import type { FileRef, ObjectRef } from "../ref.js";
import type { Listed } from "./pairs.js";

/** A directory, or a bucket from a prefix on: empty, or with its closing `/`. */
export type Side = { readonly type: "path"; readonly path: string } | BucketPlace;

/** The side a place means: its root is a directory whether or not a slash ends it. */
export function sideOf<T extends Side>(place: T): T {
  if (place.type === "path" || place.key === "" || place.key.endsWith("/")) return place;
  return { ...place, key: `${place.key}/` };
}

/** The reference to the thing of this name on a side. */
export function refAt(
  side: Side,
  { name, etag, versionId }: Omit<Listed, "size">,
): FileRef | ObjectRef {
  if (side.type === "path") return { type: "file", path: join(side.path, name) };
  const { alias, storage, key } = side;
  return { type: "object", alias, bucket: storage.bucket, key: key + name, etag, versionId };
}

/** A thing listed on a side, as a source to copy from. */
export function sourceAt(
  side: Side,
  listed: Listed,
): Exclude<Source, { type: "broken" | "stream" }> {
  const { name, size } = listed;
  const ref = refAt(side, listed);
  if (ref.type === "file") return { type: "file", name, size, ref };
  return { type: "object", name, size, ref, storage: (side as BucketPlace).storage };
}

export interface SideOptions extends Pick<TreeOptions, "skipped" | "onSkipped"> {
  /** Names that take part; sizes and times are not judged by one side alone. */
  readonly filter: Filter | undefined;
  /** Leaves out objects that stand for a directory: the other side has real ones. */
  readonly withoutMarkers: boolean;
  /** A directory that is not there is empty. */
  readonly mayBeMissing: boolean;
  /** It is told of every entry that cannot be listed; the listing goes on. */
  readonly onProblem: (problem: DiskProblem) => void;
  readonly signal: AbortSignal;
}

const LOCAL_PAGE = 256;
/** Entries of a bucket that may wait: comparing them, not listing them, is what takes the time. */
const AHEAD = 8_000;
/** Downloads that are under way, or that the next run of one goes on with. */
const OWN_PARTIAL = /(?:^|\/)\.pail-[^/]+\.partial$/;

/** Lists a side in key order, page by page. */
export async function* listSide(side: Side, options: SideOptions): AsyncGenerator<Listed[]> {
  const { onProblem, mayBeMissing, withoutMarkers, ...choice } = options;
  const chosen = { ...choice, byName: true };
  if (side.type === "path") {
    if (mayBeMissing && isMissing(side.path)) return;
    for await (const page of listTree(side.path, { ...chosen, pageSize: LOCAL_PAGE }, onProblem)) {
      const found: Listed[] = [];
      for (const { key: name, stats } of page) {
        if (OWN_PARTIAL.test(name)) continue;
        found.push({ name, size: stats.size, modified: stats.mtimeMs, etag: fileState(stats) });
      }
      yield found;
    }
    return;
  }
  const { storage, key: prefix } = side;
  const pages = listKey(storage, prefix, {
    ...chosen,
    recursive: true,
    ahead: AHEAD,
    onProblem: ({ key, error }) => onProblem({ key: key.slice(prefix.length), error }),
  });
  for await (const { entries } of pages) {
    const found: Listed[] = [];
    for (const entry of entries) {
      if (entry.type !== "object" || entry.isDeleteMarker === true) continue;
      const name = entry.key.slice(prefix.length);
      // The prefix itself, as consoles make it for an empty directory.
      if (name === "" || (withoutMarkers && entry.size === 0 && name.endsWith("/"))) continue;
      const { size, lastModified: modified, etag, versionId, storageClass } = entry;
      found.push({ name, size, modified, etag, versionId, storageClass });
    }
    yield found;
  }
}

function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(codeOf(error));
  }
}
