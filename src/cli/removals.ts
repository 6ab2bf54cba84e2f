/** What `rm` was asked to remove, bucket by bucket. */
import { createInterface } from "node:readline";

import type { Context } from "../context.js";
import { AppError } from "../core/errors.js";
import { versionsOf } from "../core/listing.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { RemoveTarget } from "../core/storage/storage.js";
import type { RemoveRequest } from "../core/transfer/types.js";
import { type Remote, remote } from "./locations.js";
import { canAsk, confirm } from "./prompt.js";

export interface RemovalFlags {
  readonly recursive: boolean;
  readonly versions: boolean;
  readonly force: boolean;
  readonly "version-id"?: string | undefined;
}

type Removal = Pick<RemoveRequest, "storage" | "label" | "targets" | "versions">;

/**
 * One removal for each run of targets in the same bucket. Targets are read as they are needed, so
 * their number does not matter; each removal must be finished before the next is asked for.
 */
export async function* removals(
  context: Context,
  texts: Iterable<string> | AsyncIterable<string>,
  flags: RemovalFlags,
): AsyncGenerator<Removal> {
  const locations = locate(context, texts, flags);
  let next = await locations.next();
  while (next.done !== true) {
    const { alias, bucket, key } = next.value;
    const storage = await context.bucket(alias, bucket);
    const label = `${alias}/${bucket}`;
    if (flags.recursive) {
      yield { storage, label, targets: { prefix: key }, versions: flags.versions };
      next = await locations.next();
      continue;
    }
    const keys = async function* (): AsyncGenerator<RemoveTarget> {
      while (next.done !== true && next.value.alias === alias && next.value.bucket === bucket) {
        yield* targetsOf(storage, next.value.key, flags);
        next = await locations.next();
      }
    };
    yield { storage, label, targets: keys() };
  }
}

async function* locate(
  context: Context,
  texts: Iterable<string> | AsyncIterable<string>,
  { recursive }: RemovalFlags,
): AsyncGenerator<Remote, undefined> {
  for await (const text of texts) {
    const location = await remote(context, text, "bucket");
    if (location.key === "" && !recursive) {
      throw new AppError({
        kind: "usage",
        code: "InvalidLocation",
        message: `"${text}" names a bucket, not an object`,
        hint: `pail rm -r ${text} removes its objects; pail rb ${text} the bucket`,
      });
    }
    yield location;
  }
  return undefined;
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
  targets: readonly string[],
  { force, versions }: Pick<RemovalFlags, "force" | "versions">,
  signal: AbortSignal,
): Promise<void> {
  if (force) return;
  const what = versions ? "every version of everything" : "everything";
  if (!canAsk()) {
    throw new AppError({
      kind: "usage",
      code: "NotConfirmed",
      message: `this would remove ${what} below ${targets.join(", ") || "the targets"}`,
      hint: "add --force to do it, --dry-run to see what it is",
    });
  }
  if (!(await confirm(`Remove ${what} below ${targets.join(", ")}?`, signal))) {
    throw new AppError({ kind: "usage", code: "NotConfirmed", message: "nothing was removed" });
  }
}

/** The arguments, and then the lines of stdin where that was asked for. */
export async function* withStdin(
  targets: readonly string[],
  stdin: boolean,
): AsyncGenerator<string> {
  yield* targets;
  if (!stdin) return;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line !== "") yield line;
  }
}
