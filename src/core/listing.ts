/** The meaning of listing `bucket/key`: an object, everything below it, or both. */
import { AppError, isAppError } from "./failures/errors.js";
import { type Filter, isChoosing, isWithin, matches, prunes } from "./filter.js";
import type { BucketStorage } from "./storage/s3-types.js";
import type { Entry, ListOptions, ObjectEntry } from "./storage/storage.js";

export interface ListingOptions {
  /** Everything below, flat; otherwise one level, with prefixes. */
  readonly recursive?: boolean | undefined;
  readonly versions?: boolean | undefined;
  /**
   * The part of it that is wanted, by names below what is listed. Prefixes that it leaves out are not
   * listed where that saves pages.
   */
  readonly filter?: Filter | undefined;
  /** Sizes and times do not decide, names alone. */
  readonly byName?: boolean | undefined;
  /** Told of names of a filter that are not there (NoSuchKey) or cannot be looked at. Default: throw. */
  readonly onProblem?: ((problem: ListingProblem) => void) | undefined;
  /** `any`: pages as they come, where that is sooner and no prefix is left out. Default `key`. */
  readonly order?: "key" | "any" | undefined;
  readonly ahead?: ListOptions["ahead"];
  readonly signal?: AbortSignal | undefined;
}

export interface ListingProblem {
  readonly key: string;
  readonly error: AppError;
}

export interface ListingPage {
  /** The part of every key that is left out when names are shown relative to what was listed. */
  readonly base: string;
  readonly entries: readonly Entry[];
}

/**
 * Lists what a person means by a key. Empty or ending in `/` it is a prefix. Otherwise it is an
 * object of exactly that key and what is below `key/`, never a neighbour that only begins with the
 * same letters. An exact object is named with its last segment, and so is what is below it.
 *
 * Throws NoSuchKey when there is neither.
 */
export async function* listKey(
  storage: BucketStorage,
  key: string,
  options: ListingOptions = {},
): AsyncGenerator<ListingPage> {
  const { filter, byName = false } = options;
  if (filter === undefined || !isChoosing(filter)) {
    yield* allOf(storage, key, options, undefined);
    return;
  }
  const base = key.slice(0, key.lastIndexOf("/") + 1);
  const below = key === base ? base : `${key}/`;
  const nameOf = (key: string) => key.slice(key.startsWith(below) ? below.length : base.length);
  const chooses = (entry: Entry): boolean => {
    const name = nameOf(entry.key);
    // A prefix stays as long as a chosen object may lie below it.
    if (entry.type === "prefix") return !prunes(filter, name);
    if (!matches(filter, name)) return false;
    return byName || isWithin(filter, entry.size, entry.lastModified);
  };
  const { names, exclude = [], maxDepth } = filter;
  const skips =
    exclude.length === 0 && maxDepth === undefined
      ? undefined
      : (prefix: string) => prefix.length > below.length && prunes(filter, nameOf(prefix));
  const pages =
    names === undefined
      ? allOf(storage, key, options, skips)
      : named(
          storage,
          below,
          names.filter((name) => matches(filter, name)),
          options,
        );
  for await (const page of pages) yield { ...page, entries: page.entries.filter(chooses) };
}

/** Names looked up at once. */
const LOOKS = 32;

/** The objects, or the versions, of just these names below a prefix. */
async function* named(
  storage: BucketStorage,
  base: string,
  names: readonly string[],
  { versions, signal, onProblem }: ListingOptions,
): AsyncGenerator<ListingPage> {
  const lookUp = async (name: string): Promise<ObjectEntry[]> => {
    const key = base + name;
    try {
      if (versions !== true) {
        const { size, lastModified, etag, storageClass, versionId } = await storage.stat(key, {
          ...(signal && { signal }),
        });
        // As a listing has it: only of a bucket as it was, the version is what is meant.
        const version = storage.at === undefined ? undefined : versionId;
        return [
          { type: "object", key, size, lastModified, etag, storageClass, versionId: version },
        ];
      }
      const found: ObjectEntry[] = [];
      for await (const page of versionsOf(storage, key, signal)) found.push(...page);
      if (found.length === 0) throw missing(key);
      return found;
    } catch (error) {
      const fails = !isAppError(error) || error.kind === "interrupted";
      if (fails || error.code === "NoSuchBucket" || onProblem === undefined) throw error;
      onProblem({ key, error });
      return [];
    }
  };
  for (let at = 0; at < names.length; at += LOOKS) {
    const entries = await Promise.all(names.slice(at, at + LOOKS).map(lookUp));
    yield { base, entries: entries.flat() };
  }
}

function missing(key: string): AppError {
  return new AppError({
    kind: "not-found",
    code: "NoSuchKey",
    message: `there is no object "${key}"`,
    details: { key },
  });
}

type Skips = (prefix: string) => boolean;

async function* allOf(
  storage: BucketStorage,
  key: string,
  { recursive = false, versions = false, order, ahead, filter, signal }: ListingOptions,
  skips: Skips | undefined,
): AsyncGenerator<ListingPage> {
  const common: ListOptions = { versions, ahead, signal };
  const shard = filter?.shard;
  const list = (prefix: string) => {
    const startAfter = shard?.after === undefined ? undefined : prefix + shard.after;
    const upTo = shard?.to === undefined ? undefined : prefix + shard.to;
    const options = { ...common, prefix, startAfter, upTo };
    return recursive
      ? withoutSkipped(storage, { ...options, order: skips === undefined ? order : "key" }, skips)
      : storage.list({ ...options, delimiter: "/" });
  };
  if (key === "" || key.endsWith("/")) {
    for await (const entries of list(key)) {
      yield { base: key, entries };
    }
    return;
  }

  const parent = key.slice(0, key.lastIndexOf("/") + 1);
  let exact = false;
  for await (const entries of exactly(storage, key, common)) {
    exact = true;
    yield { base: parent, entries };
  }
  const below = `${key}/`;
  let found = exact;
  for await (const entries of list(below)) {
    if (entries.length === 0) continue;
    found = true;
    if (exact && !recursive) {
      yield { base: parent, entries: [{ type: "prefix", key: below }] };
      return;
    }
    yield { base: exact ? parent : below, entries };
  }
  if (!found && (shard === undefined || (await isEmpty(storage, below, common)))) {
    throw new AppError({
      kind: "not-found",
      code: "NoSuchKey",
      message: `there is no object "${key}" and nothing below it`,
      details: { key },
    });
  }
}

/** Whether nothing is below a prefix. */
export async function isEmpty(
  storage: BucketStorage,
  prefix: string,
  { versions, signal }: Pick<ListOptions, "versions" | "signal">,
): Promise<boolean> {
  for await (const _ of storage.list({ prefix, versions, pageSize: 1, signal })) return false;
  return true;
}

/** Put behind a prefix, it sorts after every key that begins with that prefix. */
const LAST = "\u{10ffff}";

/**
 * A listing in key order, which goes on behind a skipped prefix when a whole page lay inside of one.
 * In any other order, that would skip what is in front of it, too.
 */
export async function* withoutSkipped(
  storage: BucketStorage,
  options: ListOptions,
  skips: Skips | undefined,
): AsyncGenerator<Entry[]> {
  let { startAfter } = options;
  for (let done = false; !done;) {
    done = true;
    for await (const entries of storage.list({ ...options, startAfter })) {
      yield entries;
      const [first, last] = [entries[0], entries.at(-1)];
      if (skips === undefined || first === undefined || last === undefined) continue;
      const skipped = outermost(first.key, options.prefix ?? "", skips);
      if (skipped === undefined || !last.key.startsWith(skipped)) continue;
      startAfter = skipped + LAST;
      done = false;
      break;
    }
  }
}

/** The shortest prefix of a key, longer than `base`, that is skipped. */
function outermost(key: string, base: string, skips: Skips): string | undefined {
  for (let end = key.indexOf("/", base.length); end >= 0; end = key.indexOf("/", end + 1)) {
    const prefix = key.slice(0, end + 1);
    if (skips(prefix)) return prefix;
  }
  return undefined;
}

/**
 * The object of exactly this key, or its versions. The exact key sorts before every longer one,
 * so it is at the head of the listing.
 */
async function* exactly(
  storage: BucketStorage,
  key: string,
  options: ListOptions,
): AsyncGenerator<ObjectEntry[]> {
  const pageSize = options.versions ? undefined : 1;
  for await (const entries of storage.list({ ...options, prefix: key, pageSize })) {
    const same = entries.filter(
      (entry): entry is ObjectEntry => entry.type === "object" && entry.key === key,
    );
    if (same.length > 0) yield same;
    if (same.length < entries.length || !options.versions) return;
  }
}

/** Every version and delete marker of exactly this key, newest first, page by page. */
export function versionsOf(
  storage: BucketStorage,
  key: string,
  signal?: AbortSignal,
): AsyncGenerator<ObjectEntry[]> {
  return exactly(storage, key, { versions: true, signal });
}
