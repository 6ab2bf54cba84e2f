/** Sums over a listing: how much there is, by prefix or by what the objects are. */
import type { Filter } from "../filter.js";
import { listKey } from "../listing.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectEntry } from "../storage/storage.js";
import { recursiveScope } from "./names.js";

export interface Usage {
  /** Current objects. */
  objects: number;
  /** The bytes of objects and, where they are counted, of older versions. */
  bytes: number;
  /** Versions that are not current. */
  versions: number;
  deleteMarkers: number;
}

export interface UsageGroup extends Readonly<Usage> {
  /** A prefix with its `/`, what the objects have in common, or empty for the total. */
  readonly name: string;
}

/** The traits that objects can be grouped by; `prefix` down to a depth. */
export type UsageKind = "prefix" | "class" | "extension" | "age";

export interface SumOptions {
  readonly by?: UsageKind | undefined;
  /** Levels of prefixes below the key that get a sum of their own. Default 0: the total alone. */
  readonly depth?: number | undefined;
  /** Counts every version and delete marker. */
  readonly versions?: boolean | undefined;
  readonly filter?: Filter | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The sums of what is at and below a key; the total comes last, with an empty name. Prefixes come as
 * their listing ends, each behind those inside of it, so memory does not grow with their number.
 * Throws as `listKey`.
 */
export async function* sum(
  storage: BucketStorage,
  key: string,
  { by = "prefix", depth = 0, versions, filter, signal }: SumOptions = {},
): AsyncGenerator<UsageGroup> {
  const { below } = recursiveScope(key);
  const total = nothing();
  const kinds = new Map<string, Usage>();
  let open: { name: string; usage: Usage }[] = [];
  const now = Date.now();
  // Prefixes end where the next one begins, so they alone want the order of the keys.
  const order = by === "prefix" && depth > 0 ? "key" : "any";
  const options = { recursive: true, versions, order, filter, signal } as const;
  for await (const { entries } of listKey(storage, key, options)) {
    for (const entry of entries) {
      if (entry.type !== "object") continue;
      add(total, entry);
      if (by !== "prefix") {
        add(ofKind(kinds, kindOf(by, entry, now)), entry);
        continue;
      }
      const prefixes = depth === 0 ? [] : prefixesOf(entry.key, below, depth);
      const kept = open.findIndex(({ name }, level) => prefixes[level] !== name);
      if (kept >= 0) {
        for (const { name, usage } of open.slice(kept).toReversed()) yield { name, ...usage };
        open = open.slice(0, kept);
      }
      for (const name of prefixes.slice(open.length)) open.push({ name, usage: nothing() });
      for (const { usage } of open) add(usage, entry);
    }
  }
  for (const { name, usage } of open.toReversed()) yield { name, ...usage };
  for (const [name, usage] of kinds) yield { name, ...usage };
  yield { name: "", ...total };
}

/** A sum of nothing, to add to. */
export function nothing(): Usage {
  return { objects: 0, bytes: 0, versions: 0, deleteMarkers: 0 };
}

/** Adds an object, a version or a delete marker to a sum. */
export function add(usage: Usage, { size, isDeleteMarker, isLatest }: ObjectEntry): void {
  if (isDeleteMarker === true) usage.deleteMarkers += 1;
  else if (isLatest === false) usage.versions += 1;
  else usage.objects += 1;
  usage.bytes += size;
}

/**
 * The sums of all that begins with a prefix, as they grow: the same sums after each page of the
 * listing. `nameOf` says to which of them an object belongs.
 */
export async function* growingSums(
  storage: BucketStorage,
  prefix: string,
  options: Pick<SumOptions, "versions" | "signal"> & { readonly nameOf: (key: string) => string },
): AsyncGenerator<ReadonlyMap<string, Readonly<Usage>>> {
  const { nameOf, versions, signal } = options;
  const sums = new Map<string, Usage>();
  for await (const entries of storage.list({ prefix, versions, signal })) {
    for (const entry of entries) {
      if (entry.type === "object") add(sumOf(sums, nameOf(entry.key)), entry);
    }
    yield sums;
  }
}

/** The prefixes of a key below `base`, outermost first, at most `depth`. */
function prefixesOf(key: string, base: string, depth: number): string[] {
  const prefixes: string[] = [];
  if (!key.startsWith(base)) return prefixes;
  for (let end = key.indexOf("/", base.length); end >= 0; end = key.indexOf("/", end + 1)) {
    if (prefixes.length === depth) break;
    prefixes.push(key.slice(0, end + 1));
  }
  return prefixes;
}

/** Kinds that are told apart; a bucket of hashes may have as many extensions as objects. */
const KINDS = 10_000;
const OTHERS = "(others)";

function ofKind(kinds: Map<string, Usage>, name: string): Usage {
  return sumOf(kinds, kinds.size >= KINDS && !kinds.has(name) ? OTHERS : name);
}

function sumOf(sums: Map<string, Usage>, name: string): Usage {
  let usage = sums.get(name);
  if (usage === undefined) sums.set(name, (usage = nothing()));
  return usage;
}

const DAY = 86_400_000;
const AGES: readonly (readonly [string, number])[] = [
  ["under 1 day", DAY],
  ["under 7 days", 7 * DAY],
  ["under 30 days", 30 * DAY],
  ["under 365 days", 365 * DAY],
  ["365 days or more", Infinity],
];

function kindOf(by: UsageKind, entry: ObjectEntry, now: number): string {
  const { key, storageClass = "STANDARD", lastModified } = entry;
  if (by === "class") return storageClass;
  if (by === "extension") {
    const extension = /[^/]\.([^./]+)$/.exec(key)?.[1];
    return extension === undefined ? "(none)" : `.${extension.toLowerCase()}`;
  }
  if (lastModified === undefined) return "(unknown)";
  return AGES.find(([, end]) => now - lastModified < end)![0];
}
