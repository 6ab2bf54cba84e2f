/** The objects that `rm` was asked to remove, bucket by bucket. */
import type { Context } from "../context.js";
import { AppError, usageError } from "../core/failures/errors.js";
import { statOrUndefined } from "../core/operations/exists.js";
import { type Filter, isChoosing } from "../core/filter.js";
import { listKey, versionsOf } from "../core/listing.js";
import { splitRemote } from "../core/location.js";
import type { Ref } from "../core/ref.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { RemoveTarget } from "../core/storage/storage.js";
import type { RemoveRequest } from "../core/operations/types.js";
import { formatCount, formatSize } from "../text/format.js";
import { shellWord } from "../core/failures/shell-word.js";
import { mayBePattern } from "../core/operations/address.js";
import { type OpenedPlace, openRemote } from "./address.js";
import type { Session } from "./base.js";
import { confirmMatches, takingOf } from "./taking.js";
import { remote } from "./locations.js";
import { canAsk, confirm } from "./prompt.js";
import { linesOf } from "./stdin-lines.js";

export interface RemovalFlags {
  readonly recursive: boolean;
  readonly versions: boolean;
  readonly force: boolean;
  readonly filter?: Filter | undefined;
  readonly "version-id"?: string | undefined;
}

/** A target as it was given. `looked`: it was typed, so a look at it is worth a request. */
export interface GivenTarget {
  readonly text: string;
  readonly looked: boolean;
  /** The place it means, once that was decided; a name from a list is exact. */
  readonly place?: OpenedPlace | undefined;
}

export type Removal =
  | {
      readonly type: "removal";
      readonly request: Pick<
        RemoveRequest,
        "alias" | "storage" | "targets" | "versions" | "filter"
      >;
      /** The place that a recursive removal names; undefined for exact keys. */
      readonly prefix: Ref | undefined;
      /** Exact keys that were handed over and whose end is not known yet, by `targetName`. */
      readonly underway: Map<string, Ref>;
    }
  /** There is nothing to remove. */
  | { readonly type: "missing"; readonly target: Ref }
  | { readonly type: "failed"; readonly target: Ref; readonly error: unknown };

/** The name of a target in `underway`. */
export function targetName({ key, versionId = "" }: RemoveTarget): string {
  return `${versionId}/${key}`;
}

/**
 * One removal for each run of targets in the same bucket, and one step for each target that needs
 * none. Targets are read as they are needed, so their number does not matter; each removal must be
 * finished before the next is asked for.
 */
export async function* removals(
  context: Context,
  given: AsyncIterable<GivenTarget>,
  flags: RemovalFlags,
  signal: AbortSignal,
): AsyncGenerator<Removal> {
  const steps = located(context, given, flags, signal);
  let coming = ahead(steps);
  for (;;) {
    const { done, value: step } = await coming;
    if (done === true) return;
    if (step.type !== "object") {
      yield step;
      coming = ahead(steps);
      continue;
    }
    const { alias, bucket, key, storage, pattern } = step;
    const underway = new Map<string, Ref>();
    if (flags.recursive || pattern !== undefined) {
      const { versions, filter } = flags;
      const targets = { prefix: key, level: !flags.recursive };
      const request = { alias, storage, targets, versions, filter };
      coming = ahead(steps);
      yield { type: "removal", request, prefix: { type: "object", alias, bucket, key }, underway };
      continue;
    }
    const targets = async function* (): AsyncGenerator<RemoveTarget> {
      for (;;) {
        const next = await coming;
        const same = next.done !== true && next.value.type === "object" ? next.value : undefined;
        if (same?.alias !== alias || same.bucket !== bucket || same.pattern) return;
        // Set before the target is yielded: the caller may never ask for the next one.
        coming = ahead(steps);
        for await (const target of targetsOf(storage, same.key, flags)) {
          underway.set(targetName(target), { type: "object", alias, bucket, ...target });
          yield target;
        }
      }
    };
    const request = { alias, storage, targets: targets() };
    yield { type: "removal", request, prefix: undefined, underway };
  }
}

type Step = (OpenedPlace & { readonly type: "object" }) | Exclude<Removal, { type: "removal" }>;

/** The next step, asked for now and awaited later. */
function ahead<T>(steps: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = steps.next();
  next.catch(() => undefined);
  return next;
}

async function* located(
  context: Context,
  given: AsyncIterable<GivenTarget>,
  flags: RemovalFlags,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  for await (const { text, looked, place } of given) {
    try {
      const exact = { reading: "exact", signal } as const;
      const opened =
        place ?? (await openRemote(context, await remote(context, text, "bucket"), exact));
      const { alias, bucket, key, storage, pattern } = opened;
      if (key === "" && !flags.recursive && pattern === undefined) throw isBucket(text);
      const plain = !flags.recursive && !flags.versions && flags["version-id"] === undefined;
      if (plain && looked && pattern === undefined && (await isMissing(storage, key, signal))) {
        if (mayBePattern(key)) throw noPattern(text);
        yield { type: "missing", target: { type: "object", alias, bucket, key } };
      } else {
        yield { ...opened, type: "object" };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      yield { type: "failed", target: refOf(text), error };
    }
  }
}

/** Whether an object is known to be missing; a key may remove without the right to look. */
async function isMissing(
  storage: BucketStorage,
  key: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await statOrUndefined(storage, key, signal)) === undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}

/** A target's ref, as far as its text is a location. */
function refOf(text: string): Ref {
  try {
    const [alias, bucket, key] = splitRemote(text);
    return { type: "object", alias, bucket, key };
  } catch {
    return { type: "file", path: text };
  }
}

function isBucket(text: string): AppError {
  return usageError(
    "InvalidLocation",
    `"${text}" names a bucket, not an object`,
    `pail rm -r ${shellWord(text)} removes its objects; pail rb ${shellWord(text)} the bucket`,
  );
}

function noPattern(text: string): AppError {
  return new AppError({
    kind: "not-found",
    code: "NoSuchKey",
    message: `${text}: no such object; a key is exact unless it is called a pattern`,
    hint: `pail rm --pattern --dry-run ${shellWord(text)}`,
  });
}

async function* targetsOf(
  storage: BucketStorage,
  key: string,
  flags: RemovalFlags,
): AsyncGenerator<RemoveTarget> {
  if (!flags.versions) {
    yield { key, versionId: flags["version-id"] };
    return;
  }
  for await (const page of versionsOf(storage, key)) {
    for (const { versionId } of page) yield { key, versionId };
  }
}

/** Asks before a recursive removal; where nobody can be asked, `--force` must have been given. */
export async function confirmRecursion(
  targets: readonly GivenTarget[],
  { force, versions, filter }: Pick<RemovalFlags, "force" | "versions" | "filter">,
  signal: AbortSignal,
): Promise<void> {
  if (force) return;
  const chosen = filter !== undefined && isChoosing(filter) ? "what matches" : "everything";
  const what = versions ? `every version of ${chosen}` : chosen;
  if (!canAsk()) {
    throw usageError(
      "NotConfirmed",
      `this would remove ${what} at or below ${targets.map(({ text }) => text).join(", ") || "the targets"}`,
      "add --force to do it, --dry-run to see what it is",
    );
  }
  const found = await Promise.all(targets.map(({ place }) => extent(place, signal)));
  const listed = targets.map(({ text }, index) => `${text} (${found[index]})`).join(", ");
  const question = `Remove ${what} at or below ${listed}?`;
  if (!(await confirm(question, signal))) {
    throw usageError("NotConfirmed", "nothing was removed");
  }
}

/** How much there is, as far as the first page of its listing tells. */
async function extent(place: OpenedPlace | undefined, signal: AbortSignal): Promise<string> {
  if (place === undefined) return "nothing";
  const { storage, key } = place;
  let [objects, bytes, pages] = [0, 0, 0];
  for await (const { entries } of listKey(storage, key, { recursive: true, signal })) {
    for (const entry of entries) {
      if (entry.type !== "object") continue;
      objects += 1;
      bytes += entry.size;
    }
    pages += 1;
    if (pages === ENOUGH_PAGES) return `${objects} objects or more`;
  }
  return `${formatCount(objects, "object")}, ${formatSize(bytes)}`;
}

const ENOUGH_PAGES = 5;

/**
 * The meaning of the named targets, decided once for the question and for the removal. An error
 * about one is told when its turn comes.
 */
export async function decided(
  session: Session,
  texts: readonly string[],
  flags: RemovalFlags & Parameters<typeof takingOf>[0] & { readonly "dry-run": boolean },
): Promise<GivenTarget[]> {
  const { context, signal } = session;
  const options = { reading: takingOf(flags), versions: flags.versions, signal };
  const targets: GivenTarget[] = [];
  for (const text of texts) {
    const looked = texts.length <= LOOKS || mayBePattern(text);
    const target = await remote(context, text, "bucket").catch(() => undefined);
    const wanted = target !== undefined && (flags.recursive || mayBePattern(target.key));
    const place = wanted
      ? await openRemote(context, target, options).catch((error: unknown) => {
          if (signal.aborted) throw error;
          return undefined;
        })
      : undefined;
    if (place?.pattern !== undefined && flags.pattern !== true && !flags["dry-run"]) {
      await confirmMatches(session, place, flags.recursive);
    }
    targets.push({ text, looked, place });
  }
  return targets;
}

/** Named targets that are looked at before they are removed; more of them come from a list. */
const LOOKS = 10;

/** The arguments, and then the lines of stdin where that was asked for. */
export async function* withStdin(
  targets: readonly GivenTarget[],
  stdin: boolean,
  end: "\n" | "\0",
): AsyncGenerator<GivenTarget> {
  yield* targets;
  if (!stdin) return;
  for await (const text of linesOf(process.stdin, end)) {
    if (text !== "") yield { text, looked: false };
  }
}
