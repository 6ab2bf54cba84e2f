/**
 * Keeps apart what is read and what is written: nothing is written where the same request still
 * reads, and no two sources become one target.
 */
import { compareKeys } from "../storage/key-order.js";
import { AppError, conflictError, unavailableError, usageError } from "../failures/errors.js";
import { nameOf } from "../ref.js";
import { type Identity, sameBucket, seenThrough } from "./identity.js";
import { joinKey, recursiveScope } from "./names.js";
import { refOf, type Source } from "./sources.js";
import type { BucketPlace, CopyRequest } from "./types.js";

/** The keys that one source of a request takes from the target's own bucket. */
export interface Scope {
  readonly place: BucketPlace;
  readonly exact: string | undefined;
  readonly below: string | undefined;
  /** Whether the source takes a key. */
  takes(key: string): boolean;
}

function scopeOf(place: BucketPlace, recursive: boolean): Scope {
  const { key, pattern } = place;
  if (pattern !== undefined) {
    const takes = (other: string) => pattern.takes(other, recursive);
    return { place, exact: undefined, below: key, takes };
  }
  const { exact, below } = recursive ? recursiveScope(key) : { exact: key, below: undefined };
  const takes = (other: string) =>
    other === exact || (below !== undefined && other.startsWith(below));
  return { place, exact, below, takes };
}

/**
 * The sources that are in the target's bucket. For a move it is found out whether they are, also
 * through another alias (see identity.ts), wherever it could matter: IdentityUnknown is thrown when
 * that cannot be decided, before anything is done. For a copy it is found out only where the copy
 * might never end. Throws CopyIntoItself when the source's listing would find what the copy writes,
 * and SameObject when a move's only source is its target.
 */
export async function scopesIn(
  { sources, target, recursive = false }: CopyRequest,
  how: { readonly moves: boolean; readonly container: boolean },
  signal: AbortSignal,
): Promise<Scope[]> {
  const { moves, container } = how;
  if (target.type !== "bucket") return [];
  const scopes: Scope[] = [];
  for (const place of sources) {
    if (place.type !== "bucket") continue;
    const scope = scopeOf(place, recursive);
    const identity = await identityOf(scope, target, how, signal);
    if (identity === "unknown") throw undecided(place, target);
    if (identity === "same") scopes.push(scope);
  }
  for (const { place, exact, below } of scopes) {
    const names = `${nameOf(refOf(place))} into itself, ${nameOf(refOf(target))}`;
    const into = container ? joinKey(target.key, "") : target.key;
    // A pattern may find only some of the written names: those are refused one by one.
    const whole = place.pattern === undefined && below !== undefined;
    if (whole && into.startsWith(below)) throw intoItself(names, moves);
    if (moves && !container && exact === target.key) throw sameObject(place, target);
  }
  return scopes;
}

/** Whether a source is in the target's bucket, where that matters; elsewhere it counts as different. */
async function identityOf(
  scope: Scope,
  target: BucketPlace,
  { moves, container }: { readonly moves: boolean; readonly container: boolean },
  signal: AbortSignal,
): Promise<Identity> {
  const [here, there] = [scope.place.storage, target.storage];
  const sameName = here.bucket === there.bucket;
  if (sameName && here.client === there.client) return "same";
  if (moves) {
    return mayMeet(scope, target, container) ? sameBucket(here, there, signal) : "different";
  }
  // A copy destroys nothing, but must not find by its listing what it writes. So a bucket of another
  // name is taken for another one, and so is one that cannot be asked.
  const into = container ? joinKey(target.key, "") : target.key;
  const loops = sameName && scope.below !== undefined && into.startsWith(scope.below);
  if (!loops) return "different";
  return (await seenThrough(there, here, signal)) === "same" ? "same" : "different";
}

/** Whether a key that is read and a key that is written could be equal. */
function mayMeet({ exact, below }: Scope, target: BucketPlace, container: boolean): boolean {
  const into = container ? joinKey(target.key, "") : target.key;
  const meets = (key: string) => (container ? key.startsWith(into) : key === into);
  if (exact !== undefined && meets(exact)) return true;
  return below !== undefined && (below.startsWith(into) || into.startsWith(below));
}

/** Why a key may not be written: it is one that the request reads. */
export function clashWith(
  scopes: readonly Scope[],
  source: Source,
  key: string,
  moves: boolean,
): AppError | undefined {
  const hit = scopes.find((scope) => scope.takes(key));
  if (hit === undefined) return undefined;
  const { ref } = source;
  const own = ref.type === "object" && ref.key === key;
  // A copy onto itself gives an object other metadata; the service refuses one that changes nothing.
  if (own && !moves) return undefined;
  const target = nameOf({ ...refOf(hit.place), key });
  return conflictError(
    own ? "SameObject" : "TargetIsSource",
    own
      ? `${nameOf(ref)} and the target are the same object`
      : `${nameOf(ref)} would be written to ${target}, which is among the sources`,
    "copy to another place first",
  );
}

function intoItself(names: string, moves: boolean): AppError {
  const message = `cannot ${moves ? "move" : "copy"} ${names}`;
  return usageError("CopyIntoItself", message);
}

function sameObject(source: BucketPlace, target: BucketPlace): AppError {
  const [one, other] = [nameOf(refOf(source)), nameOf(refOf(target))];
  const message =
    one === other
      ? `${one} cannot be moved onto itself`
      : `${one} and ${other} are the same object: nothing was moved`;
  return usageError("SameObject", message);
}

function undecided(source: BucketPlace, target: BucketPlace): AppError {
  const [one, other] = [nameOf(refOf(source)), nameOf(refOf(target))];
  return conflictError(
    "IdentityUnknown",
    `whether ${one} and ${other} are in the same bucket cannot be found out, so nothing was moved`,
    "when they are not, copy, look, and remove: pail cp, then pail rm",
  );
}

/**
 * Throws SameName when two sources would become one target. The names of every source come in key
 * order, so one pass over all of them side by side finds equals with a page of each in memory.
 */
export async function requireOwnTargets(
  lists: readonly AsyncIterable<readonly Source[]>[],
  targetName: (name: string) => string,
): Promise<void> {
  const cursors = await Promise.all(lists.map((list) => openCursor(list)));
  for (;;) {
    let least: SourceReader | undefined;
    for (const cursor of cursors) {
      if (cursor.current === undefined) continue;
      if (least?.current === undefined) {
        least = cursor;
        continue;
      }
      const order = compareKeys(cursor.current.name, least.current.name);
      // The same source named twice is no collision.
      const twice = order === 0 && nameOf(cursor.current.ref) === nameOf(least.current.ref);
      if (order === 0 && !twice) throw sameName(least.current, cursor.current, targetName);
      if (order < 0) least = cursor;
    }
    if (least === undefined) return;
    await least.advance();
  }
}

interface SourceReader {
  current: Source | undefined;
  advance(): Promise<void>;
}

async function openCursor(list: AsyncIterable<readonly Source[]>): Promise<SourceReader> {
  const sources = named(list)[Symbol.asyncIterator]();
  const cursor: SourceReader = {
    current: undefined,
    advance: async () => {
      const { current: last } = cursor;
      const next = await sources.next();
      cursor.current = next.done === true ? undefined : next.value;
      if (last === undefined || cursor.current === undefined) return;
      if (compareKeys(last.name, cursor.current.name) > 0) throw unordered(cursor.current);
    },
  };
  await cursor.advance();
  return cursor;
}

/**
 * The sources that will be written; one that cannot be looked at is reported when its turn comes.
 */
async function* named(list: AsyncIterable<readonly Source[]>): AsyncGenerator<Source> {
  try {
    for await (const page of list) {
      for (const source of page) if (source.type !== "broken") yield source;
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === "interrupted") throw error;
  }
}

function sameName(one: Source, other: Source, targetName: (name: string) => string): AppError {
  return usageError(
    "SameName",
    `${nameOf(one.ref)} and ${nameOf(other.ref)} would both become ${targetName(one.name)}`,
    "copy them one by one, each to a name of its own",
  );
}

function unordered({ ref }: Source): AppError {
  return unavailableError(
    "InvalidResponse",
    `the listing that names ${nameOf(ref)} is not in order, so equal names cannot be found`,
    "copy the sources one by one",
  );
}
