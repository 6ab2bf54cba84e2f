/**
 * The one place that decides what a person means by a key that could be a pattern, for every
 * command that takes locations.
 */
import { AppError, isAppError, notFoundError } from "../failures/errors.js";
import { compiled } from "../glob.js";
import { withoutSkipped } from "../listing.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { Entry, ListOptions } from "../storage/storage.js";

/**
 * `either`: a pattern when the key could be one, nothing of exactly that name is there, and looking
 * was allowed. The others are what somebody has said in so many words.
 */
export type Reading = "exact" | "either" | "pattern";

/** A bucket and a key to list or read in it, once it is decided what they mean. */
export interface Addressed {
  /** For a pattern, the bucket as if only what matches were in it. */
  readonly storage: BucketStorage;
  /** For a pattern, the prefix below which names are shown and kept. */
  readonly key: string;
  /** Set for a pattern: whether it takes a key, by itself or, with `below`, by a prefix of it. */
  readonly pattern?: KeyPattern | undefined;
}

export interface KeyPattern {
  /** As it was given. */
  readonly glob: string;
  takes(key: string, below: boolean): boolean;
}

export interface AddressOptions {
  readonly reading?: Reading | undefined;
  /** An older version or a delete marker is there, too. */
  readonly versions?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a key could be a pattern at all. */
export function mayBePattern(key: string): boolean {
  return /[*?[{]/.test(key);
}

/**
 * Decides what a key means. A pattern is a glob (glob.ts) on the whole key. Listing its bucket throws
 * NoSuchKey when nothing matches; with a delimiter the listing names what matches, objects and
 * prefixes, and without one everything at or below that.
 */
export async function address(
  storage: BucketStorage,
  key: string,
  { reading = "either", versions, signal }: AddressOptions = {},
): Promise<Addressed> {
  const exact = { storage, key };
  if (reading === "exact" || !mayBePattern(key)) return exact;
  if (reading === "either" && !(await isFree(storage, key, { versions, signal }))) return exact;
  const fixed = fixedPart(key);
  const pattern = toPattern(key);
  let found = false;
  const list = async function* (options: ListOptions = {}): AsyncGenerator<Entry[]> {
    const { delimiter, prefix = "", ...rest } = options;
    const narrowed = { ...rest, prefix: fixed.startsWith(prefix) ? fixed : prefix };
    const skips = (directory: string) =>
      pattern.leadsNowhere(directory) ||
      (delimiter !== undefined && pattern.prefixOf(directory) !== undefined);
    let last: string | undefined;
    for await (const page of withoutSkipped(storage, narrowed, skips)) {
      const entries: Entry[] = [];
      for (const entry of page) {
        const within = pattern.prefixOf(entry.key);
        if (delimiter === undefined || within === undefined) {
          if (within !== undefined || pattern.takes(entry.key, false)) entries.push(entry);
        } else if (within !== last) {
          last = within;
          entries.push({ type: "prefix", key: within });
        }
      }
      found ||= entries.length > 0;
      yield entries;
    }
    if (!found) throw nothingMatches(storage.bucket, key);
  };
  const listUploads: BucketStorage["listUploads"] = async function* (options = {}) {
    for await (const page of storage.listUploads({ ...options, prefix: fixed })) {
      yield page.filter((upload) => pattern.takes(upload.key, true));
    }
  };
  const base = fixed.slice(0, fixed.lastIndexOf("/") + 1);
  return { storage: { ...storage, list, listUploads }, key: base, pattern };
}

/** Whether nothing has this name, neither object nor prefix. Those who may not look are not told. */
async function isFree(
  storage: BucketStorage,
  key: string,
  options: Pick<AddressOptions, "versions" | "signal">,
): Promise<boolean> {
  const below = key.endsWith("/") ? key : `${key}/`;
  try {
    for (const prefix of new Set([key, below])) {
      for await (const [first] of storage.list({ ...options, prefix, pageSize: 1 })) {
        if (first !== undefined && (first.key === key || prefix === below)) return false;
        break;
      }
    }
    return true;
  } catch (error) {
    if (isAppError(error) && error.kind === "denied") return false;
    throw error;
  }
}

/** The fixed text that every match of a pattern begins with. */
function fixedPart(glob: string): string {
  let fixed = "";
  for (let at = 0; at < glob.length; at += 1) {
    if (mayBePattern(glob[at]!)) break;
    if (glob[at] === "\\" && at + 1 < glob.length) at += 1;
    fixed += glob[at]!;
  }
  return fixed;
}

function toPattern(glob: string) {
  const prefixesOnly = /(?<!\\)\/$/.test(glob);
  // A glob that begins with "/" is held against the whole name.
  const matches = compiled(`/${prefixesOnly ? glob.slice(0, -1) : glob}`);
  const depth = glob.includes("**") ? Infinity : glob.split("/").length;

  /** The shortest prefix of a key that matches, with its `/`. */
  const prefixOf = (key: string): string | undefined => {
    let levels = 1;
    for (let end = key.indexOf("/"); end >= 0 && levels <= depth; levels += 1) {
      if (matches(key.slice(0, end))) return key.slice(0, end + 1);
      end = key.indexOf("/", end + 1);
    }
    return undefined;
  };
  return {
    glob,
    prefixOf,
    takes: (key: string, below: boolean) =>
      (!prefixesOnly && matches(key)) || (below && prefixOf(key) !== undefined),
    /** Whether nothing below a prefix, with its `/`, can match. */
    leadsNowhere: (prefix: string) =>
      prefix.split("/").length > depth && prefixOf(prefix) === undefined,
  };
}

function nothingMatches(bucket: string, glob: string): AppError {
  return new AppError({
    kind: "not-found",
    code: "NoSuchKey",
    message: `nothing in ${bucket} is named "${glob}" or matches it`,
    hint: "in a pattern * and ? stop at a slash, and ** does not",
    details: { key: glob },
  });
}

/** The error of a pattern that only prefixes match, where objects were asked for. */
export function onlyPrefixes(): AppError {
  return notFoundError(
    "NoSuchKey",
    "the pattern matches prefixes, and no object",
    "add -r for what is below them",
  );
}
