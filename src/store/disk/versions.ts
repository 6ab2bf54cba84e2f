/**
 * The effect of writing and deleting on the versions of a key: pure functions from the versions
 * before to the versions after (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html).
 */
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { BucketRecord, ObjectRecord, Preconditions } from "../records.js";
import { noSuchKey, preconditionFailed } from "./failures.js";
import type { Version } from "./record.js";

type Versioning = BucketRecord["versioning"];

/** The id of the version that was written while versioning was not enabled; a key has one at most. */
export const NULL = "null";

/** Latest of 48-bit times; an id counts down from it so that newer ids sort first. */
const END_OF_TIME = 2 ** 48 - 1;

/**
 * Puts a new version on top, under an id of its own or in the place of the `null` version. `newest`
 * is the order of the newest version there is.
 */
export function add(
  versions: readonly Version[],
  version: Omit<Version, "id" | "order">,
  versioning: Versioning,
  newest: string | undefined,
): [Version, ...Version[]] {
  const order = nextOrder(newest, version.modified);
  if (versioning === "Enabled") return [{ ...version, id: order, order }, ...versions];
  return [{ ...version, id: NULL, order }, ...versions.filter((other) => other.id !== NULL)];
}

/** The marker that a delete without a version id puts on top where there are versions. */
export function deleteMarker(now: number): Omit<Version, "id" | "order"> {
  return {
    deleteMarker: true,
    size: 0,
    etag: "",
    modified: now,
    content: { kind: "none" },
    headers: {},
    metadata: {},
    storageClass: "STANDARD",
    tags: {},
  };
}

/** The version of that id, or the latest. */
export function find(versions: readonly Version[], id: string | undefined): Version | undefined {
  return id === undefined ? versions[0] : versions.find((version) => version.id === id);
}

/**
 * The versions that come after a marker in a listing, also when the marked one is gone. A `null`
 * version that is gone has left no trace of its place: then the key is listed from its start.
 */
export function after<T extends { readonly id: string; readonly order: string }>(
  versions: readonly T[],
  marker: string,
): readonly T[] {
  const at = versions.findIndex((version) => version.id === marker);
  if (at >= 0) return versions.slice(at + 1);
  return marker === NULL ? versions : versions.filter((version) => version.order > marker);
}

/** An order before every version of the key, whatever the clock did; unique, fit for an id. */
function nextOrder(newest: string | undefined, now: number): string {
  const ceiling = newest === undefined ? END_OF_TIME : Number.parseInt(newest.slice(0, 12), 16) - 1;
  const stamp = Math.min(END_OF_TIME - now, ceiling);
  return stamp.toString(16).padStart(12, "0") + randomBytes(10).toString("hex");
}

/** When a version was made, by its order: milliseconds since the epoch, or later. */
export function timeOf(order: string): number {
  return END_OF_TIME - Number.parseInt(order.slice(0, 12), 16);
}

/** For a write: throws PreconditionFailed, or NoSuchKey where there is nothing to match. */
export function checkWrite(
  key: string,
  current: Version | undefined,
  { ifMatch, ifNoneMatch }: Preconditions = {},
): void {
  const there = current !== undefined && current.deleteMarker !== true ? current : undefined;
  if (ifMatch !== undefined) {
    if (there === undefined) throw noSuchKey(key);
    if (!matches(ifMatch, there)) throw preconditionFailed("If-Match");
  }
  if (ifNoneMatch !== undefined && there !== undefined && matches(ifNoneMatch, there)) {
    throw preconditionFailed("If-None-Match");
  }
}

/**
 * For a delete: throws PreconditionFailed if what would be removed is not what the caller thinks.
 * A delete marker has no ETag, so only `*` matches it.
 */
export function checkDelete(target: ObjectRecord, conditions: Preconditions = {}): void {
  const { ifMatch, ifNoneMatch, ifModifiedAt, ifSize, ifStill } = conditions;
  if (ifMatch !== undefined && !matches(ifMatch, target)) throw preconditionFailed("If-Match");
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, target)) {
    throw preconditionFailed("If-None-Match");
  }
  const seconds = (time: number): number => Math.floor(time / 1000);
  if (ifModifiedAt !== undefined && seconds(+ifModifiedAt) !== seconds(+target.lastModified)) {
    throw preconditionFailed("If-Match-Last-Modified-Time");
  }
  if (ifSize !== undefined && ifSize !== target.size) throw preconditionFailed("If-Match-Size");
  if (ifStill !== undefined && !isDeepStrictEqual(target, ifStill)) {
    throw preconditionFailed("what was seen");
  }
}

function matches(etags: readonly string[], { etag }: Pick<Version, "etag">): boolean {
  return etags.includes("*") || etags.includes(etag);
}
