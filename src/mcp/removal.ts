/** Removing a set of objects that was looked at, and no other. */
import { Readable } from "node:stream";

import type { TransferItem } from "../core/engine/events.js";
import { type AppError, conflictError } from "../core/failures/errors.js";
import { toAppError } from "../core/failures/map.js";
import { isVersioned, keepObject } from "../core/journal/keep.js";
import type { Pending } from "../core/journal/file.js";
import type { After, Before, ChangeKind } from "../core/journal/types.js";
import { versionsOf } from "../core/listing.js";
import { statOrUndefined } from "../core/operations/exists.js";
import { remove } from "../core/operations/remove.js";
import type { ObjectRef } from "../core/ref.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { ObjectEntry, ObjectInfo } from "../core/storage/storage.js";
import { atOnce } from "./at-once.js";
import { type Target, begin, hasDoneNothing } from "./change.js";
import { SCAN_BUDGET } from "./limits.js";
import type { Call } from "./tool.js";

/** Keys in one request of the service. */
const BATCH = 1000;

/** One thing to remove: an object as it was seen or, with `versionId` asked for, a version. */
export interface Doomed {
  readonly seen: ObjectEntry;
  /** The version to remove for good; undefined removes the object, as a delete does. */
  readonly versionId?: string | undefined;
}

export interface Found {
  readonly doomed: readonly Doomed[];
  /** Keys or versions that were named and are not there. */
  readonly missing: readonly string[];
  /** False when there is more than was looked at. */
  readonly complete: boolean;
}

/** Looks at keys one by one. */
export async function findKeys(
  storage: BucketStorage,
  keys: readonly string[],
  { signal }: Call,
): Promise<Found> {
  const found = new Map<string, ObjectInfo | undefined>();
  await atOnce([...new Set(keys)], signal, async (key) => {
    found.set(key, await statOrUndefined(storage, key, signal));
  });
  const doomed = [...new Set(keys)].flatMap((key) => {
    const seen = found.get(key);
    return seen === undefined ? [] : [{ seen }];
  });
  return {
    doomed,
    missing: [...found].flatMap(([key, info]) => (info ? [] : [key])),
    complete: true,
  };
}

/** Looks at versions one by one; delete markers are versions. */
export async function findVersions(
  storage: BucketStorage,
  versions: readonly { readonly key: string; readonly version_id: string }[],
  { signal }: Call,
): Promise<Found> {
  const doomed: Doomed[] = [];
  const missing: string[] = [];
  for (const { key, version_id: versionId } of versions) {
    let seen: ObjectEntry | undefined;
    for await (const page of versionsOf(storage, key, signal)) {
      seen = page.find((entry) => entry.versionId === versionId);
      if (seen !== undefined) break;
    }
    if (seen === undefined) missing.push(`${key} (${versionId})`);
    else doomed.push({ seen, versionId });
  }
  return { doomed, missing, complete: true };
}

/** Looks at everything that begins with a prefix, as list_objects understands one. */
export async function findBelow(
  storage: BucketStorage,
  prefix: string,
  { signal }: Call,
): Promise<Found> {
  const doomed: Doomed[] = [];
  for await (const page of storage.list({ prefix, signal })) {
    for (const seen of page) {
      if (seen.type !== "object") continue;
      if (doomed.length === SCAN_BUDGET) return { doomed, missing: [], complete: false };
      doomed.push({ seen });
    }
  }
  const [first] = doomed;
  const info = first && (await statOrUndefined(storage, first.seen.key, signal));
  // Where the bucket keeps versions, undoing goes by them, and a plain listing does not tell.
  if (info === undefined || !isVersioned(info)) return { doomed, missing: [], complete: true };
  return {
    doomed: await withVersions(storage, prefix, doomed, signal),
    missing: [],
    complete: true,
  };
}

async function withVersions(
  storage: BucketStorage,
  prefix: string,
  doomed: readonly Doomed[],
  signal: AbortSignal,
): Promise<Doomed[]> {
  const latest = new Map<string, ObjectEntry>();
  for await (const page of storage.list({ prefix, versions: true, signal })) {
    for (const entry of page) {
      if (entry.type === "object" && entry.isLatest === true) latest.set(entry.key, entry);
    }
  }
  return doomed.map(({ seen }) => {
    const version = latest.get(seen.key);
    return { seen: version?.etag === seen.etag ? { ...seen, ...version } : seen };
  });
}

/** The outcome of one removal. */
export interface Removed {
  readonly doomed: Doomed;
  readonly before: Before;
  readonly error?: AppError | undefined;
}

/** Removes what was seen, each only while it is still that; keeps and writes down what it removes. */
export async function removeSeen(
  call: Call,
  { alias = call.alias, bucket, storage }: Omit<Target, "key">,
  doomed: readonly Doomed[],
): Promise<Removed[]> {
  const results: Removed[] = [];
  const { signal } = call;
  for (let at = 0; at < doomed.length; at += BATCH) {
    const ready = new Map<string, { doomed: Doomed; before: Before; pending: Pending }>();
    await atOnce(doomed.slice(at, at + BATCH), signal, async (one) => {
      const { seen, versionId } = one;
      try {
        const before = await prepare(call, storage, one);
        const named = { alias, bucket, key: seen.key, versionId };
        const pending = await begin(call, named, kindOf(one), before);
        ready.set(nameOf(seen.key, versionId), { doomed: one, before, pending });
      } catch (error) {
        const problem = toAppError(error);
        if (problem.kind === "interrupted") throw error;
        results.push({ doomed: one, before: { type: "absent" }, error: drifted(problem) });
      }
    });
    const settled: Promise<void>[] = [];
    const settle = async ({ target }: TransferItem, error?: AppError) => {
      const { key, versionId } = target as ObjectRef;
      const { doomed: one, before, pending } = ready.get(nameOf(key, versionId))!;
      if (error === undefined) await pending.done(await leftBy(storage, one, signal));
      else if (hasDoneNothing(error)) await pending.void();
      results.push({ doomed: one, before, error });
    };
    const targets = [...ready.values()].map(({ doomed: { seen, versionId } }) => ({
      key: seen.key,
      ...(versionId === undefined ? { etag: seen.etag } : { versionId }),
    }));
    try {
      await remove({
        alias,
        storage,
        targets: Readable.from(targets),
        signal,
        onEvent: (event) => {
          if (event.type === "finished") settled.push(settle(event.item));
          if (event.type === "failed") settled.push(settle(event.item, event.error));
        },
      });
    } finally {
      await Promise.allSettled(settled);
    }
    await Promise.all(settled);
    call.report(results.length, doomed.length);
  }
  return results;
}

function nameOf(key: string, versionId: string | undefined): string {
  return JSON.stringify([key, versionId]);
}

function kindOf({ seen, versionId }: Doomed): ChangeKind {
  if (versionId === undefined) return "remove";
  return seen.isDeleteMarker === true ? "undelete" : "remove-version";
}

/** A delete leaves nothing; removing a version leaves what was below it. */
async function leftBy(
  storage: BucketStorage,
  { seen: { key }, versionId }: Doomed,
  signal: AbortSignal,
): Promise<After> {
  const now = versionId === undefined ? undefined : await statOrUndefined(storage, key, signal);
  if (now === undefined) return { type: "absent" };
  return { type: "object", etag: now.etag, versionId: now.versionId };
}

/** Looks once more, and keeps what there is to keep. Throws when it is no longer what was seen. */
async function prepare(
  call: Call,
  storage: BucketStorage,
  { seen, versionId }: Doomed,
): Promise<Before> {
  const { signal } = call;
  if (versionId !== undefined) {
    if (seen.isDeleteMarker === true) return { type: "marker" };
    if (seen.isLatest !== true) {
      return { type: "lost", reason: "an older version has no place to go back to" };
    }
    const info = await storage.stat(seen.key, { versionId, signal });
    return keepObject(call.journal, storage, info, { versionId, signal });
  }
  const info = await statOrUndefined(storage, seen.key, signal);
  if (info === undefined) throw changed("is no longer there");
  if (info.etag !== seen.etag || (isVersioned(seen) && info.versionId !== seen.versionId)) {
    throw changed("is no longer what was confirmed");
  }
  return keepObject(call.journal, storage, info, { signal });
}

function changed(what: string): AppError {
  return conflictError("Drifted", `${what}, so it was left`);
}

/** An object that changed while it was being kept has drifted too. */
function drifted(error: AppError): AppError {
  return error.code === "PreconditionFailed" ? changed("changed while it was being kept") : error;
}
