/**
 * The removal of exactly one known state of an object or a file: what a move has copied, or what a
 * plan has named. A thing that is no longer in that state stays, and the error Drifted names it.
 *
 * The object is looked at just before, and the removal itself carries the condition. A service that
 * heeds it (docs/moving.md names them) leaves no moment between the two; elsewhere one round trip
 * is left in which a write would go with the old object. A local file is looked at and unlinked in
 * one turn of this process.
 */
import { type BigIntStats, lstatSync, statSync, unlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import { AppError, drifted, isAppError, partialError } from "../failures/errors.js";
import { localError } from "../failures/local.js";
import type { SignedClient } from "../http/client.js";
import { atMost } from "../engine/stream.js";
import { judgeError } from "../http/retry.js";
import { Tries } from "../http/tries.js";
import { type FileRef, type ObjectRef, type Ref, nameOf } from "../ref.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo } from "../storage/storage.js";
import { statOrUndefined } from "./exists.js";
import type { RemoteObject } from "../transfer/remote.js";

/** The facts that tell one state of an object from another. */
export type ObjectState = Pick<ObjectInfo, "etag" | "versionId" | "lastModified">;

/** Services tell times in whole seconds; within one, two writes of equal bytes look alike. */
const SECOND = 1000;

/**
 * The facts of an object, in a state from which every later write shows: an object written within
 * the service's current second is looked at again in the next. Without that, two opposite moves of
 * equal bytes could each take the other's copy for its own source.
 */
export async function settledObject(
  { storage, ref: { key, versionId } }: RemoteObject,
  signal: AbortSignal,
): Promise<ObjectInfo> {
  for (;;) {
    const info = await storage.stat(key, { signal, versionId });
    const age = (info.toldAt ?? Infinity) - (info.lastModified ?? 0);
    // The clocks of a service's machines differ a little; what differs more says nothing.
    if (hasVersion(info) || age >= SECOND || age < -2 * SECOND) return info;
    await delay(SECOND - Math.max(0, age), undefined, { signal });
  }
}

function hasVersion({ versionId }: ObjectState): boolean {
  return versionId !== undefined && versionId !== "null";
}

/**
 * Removes an object that is still what it was. With a version in its ref that version goes for
 * good; without one, in a versioned bucket, a delete marker comes on top. One that is gone already
 * is a success. Every try begins with a look, so a removal whose answer was lost is not sent again
 * to whatever has the name by then. Throws Drifted, or why the service refused.
 */
export async function removeObject(
  { storage, ref }: RemoteObject,
  pinned: ObjectState,
  signal: AbortSignal,
): Promise<void> {
  if (pinned.etag === undefined && pinned.versionId === undefined) throw unpinnable(ref);
  const { client } = storage;
  const tries = client.tries({ method: "DELETE", signal });
  let conditional = true;
  for (;;) {
    const now = await statOrUndefined(storage, ref.key, signal, ref.versionId);
    if (now === undefined) return;
    if (!sameState(now, pinned)) throw drifted(nameOf(ref));
    try {
      const code = await removeOnce(
        { storage, ref },
        conditional ? pinned.etag : undefined,
        signal,
      );
      if (code === undefined) return;
      // It is another object by now, which the next look tells; or the service cannot judge the
      // condition (NotImplemented, and gateways that find no ETag equal).
      conditional = false;
    } catch (error) {
      if (!isAppError(error) || !(await tries.again(judgeError(error)))) throw error;
    }
  }
}

/** One request to remove it; resolves with the code of a condition that was not met. */
async function removeOnce(
  { storage, ref }: RemoteObject,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { key, versionId } = ref;
  const tries = new Tries({ max: 1, random: Math.random });
  const [result] = await storage.remove([{ key, versionId, etag }], { signal, tries });
  const error = result?.error;
  if (error === undefined || error.code === "NoSuchKey") return undefined;
  const unmet = ["PreconditionFailed", "NotImplemented"].includes(error.code);
  if (unmet && etag !== undefined) return error.code;
  throw refused(ref, error);
}

/** Removals that are not sent as a batch: each takes two requests of its own. */
const SINGLES = 16;
/** No object has it. */
const NO_ETAG = "0".repeat(32);
const pinning = new WeakMap<SignedClient, boolean>();

/**
 * Removes up to 1,000 objects, each pinned to the ETag in its ref; resolves with what kept each
 * from being removed, in their order. A service that heeds ETags in a batch is sent one. The first
 * object shows whether it does: once it is seen to be unchanged, its removal is asked for under an
 * ETag that no object has. A service that removes it all the same ignores ETags in a batch; that
 * object was to go anyway, and the others are looked at and removed one by one.
 */
export async function removeObjects(
  storage: BucketStorage,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<({ readonly error: unknown } | undefined)[]> {
  const errors: ({ readonly error: unknown } | undefined)[] = refs.map(() => undefined);
  const left = new Set(refs.keys());
  const single = async (index: number) => {
    const ref = refs[index]!;
    left.delete(index);
    try {
      await removeObject({ storage, ref }, { etag: ref.etag }, signal);
    } catch (error) {
      errors[index] = { error };
    }
  };
  if (
    refs.length > 1 &&
    refs.every(({ etag, versionId }) => etag !== undefined && versionId === undefined)
  ) {
    const first = refs[0]!;
    try {
      if (!pinning.has(storage.client)) {
        const now = await statOrUndefined(storage, first.key, signal);
        if (now?.etag === first.etag) {
          const [result] = await storage.remove([{ key: first.key, etag: NO_ETAG }], {
            signal,
            pinsInBatch: true,
          });
          pinning.set(storage.client, result?.error?.code === "PreconditionFailed");
          if (result?.error === undefined) left.delete(0);
        }
      }
      if (pinning.get(storage.client) === true) {
        const targets = refs.map(({ key, etag }) => ({ key, etag }));
        const results = await storage.remove(targets, { signal, pinsInBatch: true });
        // Each refused object is settled alone, with a look of its own.
        for (const [index, { error }] of results.entries()) if (!error) left.delete(index);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      // A service that refuses such a batch may take the objects one by one.
      pinning.set(storage.client, false);
    }
  }
  await atMost(SINGLES, [...left], signal, single);
  return errors;
}

/** The time tells what an equal ETag does not: that the same bytes were written again. */
function sameState(now: ObjectState, then: ObjectState): boolean {
  const differs = (name: keyof ObjectState) =>
    now[name] !== undefined && then[name] !== undefined && now[name] !== then[name];
  const sameETag = then.etag === undefined || now.etag === then.etag;
  return sameETag && !differs("versionId") && !differs("lastModified");
}

/** The facts that tell one state of a local file from another. */
export interface FileState {
  /** The facts of the entry that the path names, which may be a link. */
  readonly named: BigIntStats;
  /** The facts of the file itself. */
  readonly file: BigIntStats;
}

/** A clock tick of the file systems there are; within one, two writes leave the same times. */
const TICK_MS = 20;

/**
 * The state of a file from which every later write shows. A file written to a moment ago is looked
 * at again until its time lies a tick back.
 */
export async function settledState(path: string, signal: AbortSignal): Promise<FileState> {
  for (;;) {
    const state = lookAtFile(path);
    const age = Date.now() - Number(state.file.ctimeMs);
    if (age > TICK_MS || age < 0) return state;
    await delay(TICK_MS, undefined, { signal });
  }
}

function lookAtFile(path: string): FileState {
  try {
    return { named: lstatSync(path, { bigint: true }), file: statSync(path, { bigint: true }) };
  } catch (error) {
    throw localError(error, "read", path);
  }
}

/** Unlinks a file that is still what it was; of a link, the link. Throws Drifted otherwise. */
export function removeFile(ref: FileRef, pinned: FileState): void {
  const { path } = ref;
  try {
    const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (named === undefined) return;
    const file = statSync(path, { bigint: true });
    if (!sameFile(named, pinned.named) || !sameFile(file, pinned.file)) throw drifted(nameOf(ref));
    unlinkSync(path);
  } catch (error) {
    throw localError(error, "remove", path);
  }
}

function sameFile(now: BigIntStats, then: BigIntStats): boolean {
  const names = ["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const;
  return names.every((name) => now[name] === then[name]);
}

function unpinnable(ref: Ref): AppError {
  return partialError(
    "Drifted",
    `${nameOf(ref)} was not removed: the service tells neither its ETag nor its version, so whether it has changed cannot be known`,
  );
}

function refused(ref: Ref, { code, message }: { code: string; message: string }): AppError {
  const kind = code === "AccessDenied" ? "denied" : "conflict";
  return new AppError({ kind, code, message: `cannot remove ${nameOf(ref)}: ${message}` });
}
