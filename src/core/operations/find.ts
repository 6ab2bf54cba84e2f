/** Finding: a listing and a predicate. */
import type { Filter } from "../filter.js";
import { matchesGlob } from "../glob.js";
import { listKey } from "../listing.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectEntry } from "../storage/storage.js";
import { recursiveScope } from "./names.js";

export interface FindQuery extends Omit<Filter, "include" | "exclude" | "names"> {
  /** Globs (glob.ts); one of them must match the key's last segment. Default: any. */
  readonly names?: readonly string[] | undefined;
  /** Globs; one of them must match the whole key below the place that is searched. */
  readonly paths?: readonly string[] | undefined;
  /** Tested against the whole key. */
  readonly regex?: RegExp | undefined;
  /** One of these; an object without a class is STANDARD. */
  readonly storageClasses?: readonly string[] | undefined;
  /** Tags that the object must have, besides others; costs a request an object. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface FindOptions {
  /** Looks at every version and delete marker. */
  readonly versions?: boolean | undefined;
  /** Only objects that were removed: what is found is their delete marker. */
  readonly deleted?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Requests for tags at once. */
const AT_ONCE = 32;

/**
 * The objects at or below a key that answer the query, page by page; pages may be empty. Versions come
 * in the order of their keys, objects page by page as pages come. Throws as `listKey`.
 */
export async function* find(
  storage: BucketStorage,
  key: string,
  query: FindQuery,
  { versions = false, deleted = false, signal }: FindOptions = {},
): AsyncGenerator<ObjectEntry[]> {
  const { minSize, maxSize, newerThan, olderThan, maxDepth, shard, tags } = query;
  const { below } = recursiveScope(key);
  const filter = { minSize, maxSize, newerThan, olderThan, maxDepth, shard };
  const options = {
    recursive: true,
    versions: versions || deleted,
    filter,
    order: "any",
    signal,
  } as const;
  for await (const { entries } of listKey(storage, key, options)) {
    const found = entries
      .filter((entry) => entry.type === "object")
      .filter((entry) => !deleted || (entry.isDeleteMarker === true && entry.isLatest === true))
      .filter((entry) => suits(query, below, entry));
    yield tags === undefined ? found : await withTags(storage, found, tags);
  }
}

function suits(query: FindQuery, below: string, entry: ObjectEntry): boolean {
  const { names, paths, regex, storageClasses } = query;
  const { key, storageClass = "STANDARD" } = entry;
  // An object of exactly the key searched has only its last segment for a name.
  const path = key.startsWith(below) ? key.slice(below.length) : lastSegment(key);
  if (names !== undefined && !names.some((glob) => matchesGlob(glob, lastSegment(key)))) {
    return false;
  }
  if (paths !== undefined && !paths.some((glob) => matchesGlob(anchored(glob), path))) return false;
  if (regex !== undefined && !regex.test(key)) return false;
  return storageClasses === undefined || storageClasses.includes(storageClass);
}

/** Without a `/`, a glob would look at the last segment alone. */
function anchored(glob: string): string {
  return glob.startsWith("/") ? glob : `/${glob}`;
}

/** The last segment, with the trailing `/` of a key that has one. */
function lastSegment(key: string): string {
  return key.slice(key.lastIndexOf("/", key.length - 2) + 1);
}

async function withTags(
  storage: BucketStorage,
  entries: readonly ObjectEntry[],
  wanted: Readonly<Record<string, string>>,
): Promise<ObjectEntry[]> {
  const kept: ObjectEntry[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE).filter((entry) => !entry.isDeleteMarker);
    const tagged = await Promise.all(
      some.map(async ({ key, versionId }) => storage.getTags(key, { versionId })),
    );
    const has = (tags: Readonly<Record<string, string>>) =>
      Object.entries(wanted).every(([name, value]) => tags[name] === value);
    kept.push(...some.filter((_entry, index) => has(tagged[index]!)));
  }
  return kept;
}
