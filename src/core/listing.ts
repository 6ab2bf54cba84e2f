/** What is meant by listing `bucket/key`: an object, what is below it, or both. */
import { AppError } from "./failures/errors.js";
import type { Entry, ListOptions, ObjectEntry, Storage } from "./storage/storage.js";

export interface ListingOptions {
  /** Everything below, flat; otherwise one level, with prefixes. */
  readonly recursive?: boolean | undefined;
  readonly versions?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
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
  storage: Storage,
  key: string,
  { recursive = false, versions = false, signal }: ListingOptions = {},
): AsyncGenerator<ListingPage> {
  const common: ListOptions = { versions, signal };
  const level = recursive ? common : { ...common, delimiter: "/" };
  if (key === "" || key.endsWith("/")) {
    for await (const entries of storage.list({ ...level, prefix: key })) {
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
  for await (const entries of storage.list({ ...level, prefix: below })) {
    if (entries.length === 0) continue;
    found = true;
    if (exact && !recursive) {
      yield { base: parent, entries: [{ type: "prefix", key: below }] };
      return;
    }
    yield { base: exact ? parent : below, entries };
  }
  if (!found) {
    throw new AppError({
      kind: "not-found",
      code: "NoSuchKey",
      message: `there is no object "${key}" and nothing below it`,
      details: { key },
    });
  }
}

/**
 * The object of exactly this key, or its versions. The exact key sorts before every longer one,
 * so it is at the head of the listing.
 */
async function* exactly(
  storage: Storage,
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
  storage: Storage,
  key: string,
  signal?: AbortSignal,
): AsyncGenerator<ObjectEntry[]> {
  return exactly(storage, key, { versions: true, signal });
}
