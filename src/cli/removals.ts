/** What `rm` was asked to remove, bucket by bucket. */
import type { Context } from "../context.js";
import { AppError, isAppError } from "../core/failures/errors.js";
import type { Filter } from "../core/filter.js";
import { listKey, versionsOf } from "../core/listing.js";
import { splitRemote } from "../core/location.js";
import type { Ref } from "../core/ref.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { RemoveTarget } from "../core/storage/storage.js";
import type { RemoveRequest } from "../core/operations/types.js";
import { formatCount, formatSize } from "../text/format.js";
import { shellQuote } from "../text/shell.js";
import { type Remote, remote } from "./locations.js";
import { canAsk, confirm } from "./prompt.js";
import { linesOf } from "./stdin-lines.js";

export interface RemovalFlags {
  readonly recursive: boolean;
  readonly versions: boolean;
  readonly force: boolean;
  readonly filter?: Filter | undefined;
  readonly "version-id"?: string | undefined;
}

/** A target as it was given, and whether somebody typed it: then a look is worth a request. */
export interface GivenTarget {
  readonly text: string;
  readonly looked: boolean;
}

export type Removal =
  | {
      readonly type: "removal";
      readonly request: Pick<
        RemoveRequest,
        "alias" | "storage" | "targets" | "versions" | "filter"
      >;
      /** What of a recursive removal is named; undefined for exact keys. */
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
 * One removal for each run of targets in the same bucket, and what needs none. Targets are read as
 * they are needed, so their number does not matter; each removal must be finished before the next is
 * asked for.
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
    const { alias, bucket, key, storage } = step;
    const underway = new Map<string, Ref>();
    if (flags.recursive) {
      const { versions, filter } = flags;
      const request = { alias, storage, targets: { prefix: key }, versions, filter };
      coming = ahead(steps);
      yield { type: "removal", request, prefix: { type: "object", alias, bucket, key }, underway };
      continue;
    }
    const targets = async function* (): AsyncGenerator<RemoveTarget> {
      for (;;) {
        const next = await coming;
        const same = next.done !== true && next.value.type === "object" ? next.value : undefined;
        if (same?.alias !== alias || same.bucket !== bucket) return;
        // Before it is handed over: whoever takes it may not come back for more.
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

type Step =
  | (Omit<Remote, "type"> & { readonly type: "object"; readonly storage: BucketStorage })
  | Exclude<Removal, { type: "removal" }>;

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
  for await (const { text, looked } of given) {
    try {
      const location = await remote(context, text, "bucket");
      const { alias, bucket, key } = location;
      if (key === "" && !flags.recursive) throw isBucket(text);
      const storage = await context.bucket(alias, bucket);
      const exact = !flags.recursive && !flags.versions && flags["version-id"] === undefined;
      if (exact && looked && (await isMissing(storage, key, signal))) {
        if (/[*?]/.test(key)) throw noPattern(location);
        yield { type: "missing", target: { type: "object", alias, bucket, key } };
      } else {
        yield { ...location, type: "object", storage };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      yield { type: "failed", target: refOf(text), error };
    }
  }
}

/** Whether an object is known not to be there; who may remove need not be allowed to look. */
async function isMissing(
  storage: BucketStorage,
  key: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await storage.stat(key, { signal });
    return false;
  } catch (error) {
    if (signal.aborted) throw error;
    return isAppError(error) && error.code === "NoSuchKey";
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
  return new AppError({
    kind: "usage",
    code: "InvalidLocation",
    message: `"${text}" names a bucket, not an object`,
    hint: `pail rm -r ${shellQuote(text)} removes its objects; pail rb ${shellQuote(text)} the bucket`,
  });
}

function noPattern({ alias, bucket, key, text }: Remote): AppError {
  const base = key.slice(0, key.lastIndexOf("/") + 1);
  return new AppError({
    kind: "not-found",
    code: "NoSuchKey",
    message: `${text}: no such object; a key is exact, not a pattern`,
    hint: `pail rm -r ${shellQuote(`${alias}/${bucket}/${base}`)} --include ${shellQuote(`/${key.slice(base.length)}`)} --dry-run`,
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
  context: Context,
  targets: readonly string[],
  { force, versions, filter }: Pick<RemovalFlags, "force" | "versions" | "filter">,
  signal: AbortSignal,
): Promise<void> {
  if (force) return;
  const chosen = filter?.include?.length || filter?.exclude?.length ? "what matches" : "everything";
  const what = versions ? `every version of ${chosen}` : chosen;
  if (!canAsk()) {
    throw new AppError({
      kind: "usage",
      code: "NotConfirmed",
      message: `this would remove ${what} at or below ${targets.join(", ") || "the targets"}`,
      hint: "add --force to do it, --dry-run to see what it is",
    });
  }
  const found = await Promise.all(targets.map((target) => extent(context, target, signal)));
  const listed = targets.map((target, index) => `${target} (${found[index]})`).join(", ");
  const question = `Remove ${what} at or below ${listed}?`;
  if (!(await confirm(question, signal))) {
    throw new AppError({ kind: "usage", code: "NotConfirmed", message: "nothing was removed" });
  }
}

/** How much there is, as far as the first page of its listing tells. */
async function extent(context: Context, text: string, signal: AbortSignal): Promise<string> {
  const { alias, bucket, key } = await remote(context, text, "bucket");
  let [objects, bytes, pages] = [0, 0, 0];
  for await (const { entries } of listKey(await context.bucket(alias, bucket), key, {
    recursive: true,
    signal,
  })) {
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

/** Named targets that are looked at before they are removed; more of them come from a list. */
const LOOKS = 10;

/** The arguments, and then the lines of stdin where that was asked for. */
export async function* withStdin(
  targets: readonly string[],
  stdin: boolean,
  end: "\n" | "\0",
): AsyncGenerator<GivenTarget> {
  for (const text of targets) yield { text, looked: targets.length <= LOOKS || /[*?]/.test(text) };
  if (!stdin) return;
  for await (const text of linesOf(process.stdin, end)) {
    if (text !== "") yield { text, looked: false };
  }
}
