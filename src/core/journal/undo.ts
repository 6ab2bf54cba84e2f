/** Putting back what was changed, where it still is as the change left it. */
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";

import { AppError, isAppError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import { copy } from "../operations/copy.js";
import { versionsOf } from "../listing.js";
import { statOrUndefined } from "../operations/exists.js";
import { removeObject } from "../operations/removal.js";
import { ownEncryption } from "../storage/object-headers.js";
import type { BucketService, BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { StreamBody } from "../../protocol/message.js";
import { isVersioned } from "./keep.js";
import type { After, Before, Recorded } from "./types.js";
import { left, type Places, undoFile, undoTags } from "./undo-parts.js";

export interface Undone {
  readonly change: Recorded;
  /** Why it was left alone or could not be put back; undefined when it was. */
  readonly problem?: AppError | undefined;
}

export interface UndoOptions {
  readonly places: Places;
  /** Everything the journal has, so that what earlier undoing left is known for what it is. */
  readonly all: readonly Recorded[];
  readonly signal: AbortSignal;
  /** It is told at once the state that the undoing of a change left. */
  readonly onUndone: (change: Recorded, after: After) => Promise<void>;
  readonly onProgress?: ((done: number) => void) | undefined;
}

/** Why a change cannot be undone, as far as the journal alone can tell; undefined when it may be. */
export function cannotUndo(change: Recorded): string | undefined {
  if (change.undone !== undefined) return "it was undone already";
  if (change.before.type === "lost") return change.before.reason;
  return undefined;
}

/**
 * Undoes changes, the newest first. A thing that is no longer as it was left stays as it is, with
 * Drifted; the others go on.
 */
export async function undoChanges(
  changes: readonly Recorded[],
  options: UndoOptions,
): Promise<Undone[]> {
  const results: Undone[] = [];
  // Objects that went to a place and could not be brought back from it: it has their only bytes.
  const stranded = new Set<string>();
  const standIns = new Map<string, Recorded[]>();
  for (const change of options.all) {
    if (change.undone !== undefined) note(standIns, change);
  }
  for (const change of changes.toReversed()) {
    options.signal.throwIfAborted();
    try {
      const reason = cannotUndo(change);
      if (reason !== undefined) throw left("NotUndoable", reason);
      if (stranded.has(nameOf(change)))
        throw left("NotUndoable", "what was moved there stays there");
      const after = await undoOne(change, options, standIns);
      await options.onUndone(change, after);
      note(standIns, { ...change, undone: { at: new Date().toISOString(), after } });
      results.push({ change });
    } catch (error) {
      const problem = isAppError(error) ? error : toAppError(error);
      if (problem.kind === "interrupted") throw error;
      if (change.before.type === "moved") stranded.add(nameOf(change.before));
      results.push({ change, problem });
    }
    options.onProgress?.(results.length);
  }
  return results;
}

/** Makes a bucket again, with the settings that are known of it. */
async function remakeBucket(service: BucketService, { bucket, before }: Recorded): Promise<void> {
  const made = await service.make(bucket, { ignoreExisting: true });
  if (!made) throw left("Drifted", "a bucket has that name again");
  if (before.type !== "bucket") return;
  if (before.versioning !== undefined) await service.setVersioning(bucket, before.versioning);
  if (Object.keys(before.tags).length > 0) await service.setTags(bucket, before.tags);
}

type StandIns = ReadonlyMap<string, readonly Recorded[]>;

function note(standIns: Map<string, Recorded[]>, change: Recorded): void {
  const name = nameOf(change);
  standIns.set(name, [...(standIns.get(name) ?? []), change]);
}

function nameOf({ alias, bucket, key }: Pick<Recorded, "alias" | "bucket" | "key">): string {
  return JSON.stringify([alias, bucket, key]);
}

async function undoOne(change: Recorded, options: UndoOptions, standIns: StandIns): Promise<After> {
  if (change.kind === "file") return undoFile(change);
  if (change.kind === "make-bucket") {
    await (await options.places.service(change)).remove(change.bucket);
    return { type: "absent" };
  }
  if (change.kind === "remove-bucket") {
    await remakeBucket(await options.places.service(change), change);
    return { type: "object" };
  }
  if (change.kind === "tags") return undoTags(change, options.places);
  const storage = await options.places.bucket(change);
  const { signal } = options;
  const now = await statOrUndefined(storage, change.key, signal);
  const same = (await isAsLeft(change, now, standIns)) || (await neverHappened(change, now));
  if (!same) throw left("Drifted", "it has been changed since");
  if (change.before.type !== "moved") return restore(storage, change, now, signal);
  if (now === undefined) await bringBack(change, change.before, storage, options);
  return leftOf(await statOrUndefined(storage, change.key, signal));
}

/** Copies an object back from where it was moved to, if it is still there. */
async function bringBack(
  { alias, key, ...change }: Recorded,
  moved: Extract<Before, { type: "moved" }>,
  storage: BucketStorage,
  { places, signal }: UndoOptions,
): Promise<void> {
  const { alias: from, bucket, endpoint } = moved;
  const source = await places.bucket({ ...change, alias: from, bucket, endpoint, key: moved.key });
  const { failures } = await copy({
    sources: [{ type: "bucket", alias: from, storage: source, key: moved.key, etag: moved.etag }],
    target: { type: "bucket", alias, storage, key },
    exact: true,
    ifExists: "fail",
    signal,
  });
  if (failures[0] !== undefined) throw failures[0].error;
}

/**
 * Whether what is there is what the change left, or what undoing a later change put in its place. Of a
 * change that was only begun, what is there tells whether it was made.
 */
async function isAsLeft(
  { after, undone: _undone, ...change }: Recorded,
  now: ObjectInfo | undefined,
  standIns: StandIns,
): Promise<boolean> {
  if (after === undefined) {
    if (change.kind === "remove") return now === undefined;
    return change.expects !== undefined && change.expects === now?.etag;
  }
  if (matches(after, now)) return true;
  const later = standIns.get(nameOf(change)) ?? [];
  // Restored from a copy, an object may have another ETag than the original; the bytes are its.
  return later.some(
    ({ undone, before }) =>
      undone !== undefined && matches(undone.after, now) && stands(before, after),
  );
}

function matches(after: After, now: ObjectInfo | undefined): boolean {
  if (after.type === "absent") return now === undefined;
  if (after.type !== "object" || now === undefined) return false;
  if (after.versionId !== undefined && isVersioned(after)) return now.versionId === after.versionId;
  return after.etag !== undefined && after.etag === now.etag;
}

function stands(before: Before, after: After): boolean {
  if (before.type === "absent" || before.type === "marker") return after.type === "absent";
  if (after.type !== "object") return false;
  if (before.type === "version") {
    return isVersioned(after) ? after.versionId === before.versionId : after.etag === before.etag;
  }
  const told = before.type === "kept" || before.type === "moved";
  return told && before.etag !== undefined && before.etag === after.etag;
}

/** A change that was only begun did nothing where what was before is still there. */
async function neverHappened(
  { after, before }: Recorded,
  now: ObjectInfo | undefined,
): Promise<boolean> {
  if (after !== undefined) return false;
  if (before.type === "absent" || before.type === "marker") return now === undefined;
  if (now === undefined) return false;
  if (before.type === "version") return now.versionId === before.versionId;
  return (before.type === "kept" || before.type === "moved") && before.etag === now.etag;
}

async function restore(
  storage: BucketStorage,
  change: Recorded,
  now: ObjectInfo | undefined,
  signal: AbortSignal,
): Promise<After> {
  const { before, alias, bucket, key } = change;
  if (await neverHappened(change, now)) return leftOf(now);
  /** Removes the very object that was looked at: for good with a version. */
  const remove = (versionId?: string) => {
    const ref = { type: "object", alias, bucket, key, versionId } as const;
    return removeObject({ storage, ref }, now!, signal);
  };
  switch (before.type) {
    case "absent":
      await remove(isVersioned(now!) ? now!.versionId : undefined);
      break;
    case "marker":
      // Another marker, on top of the version that was brought back.
      await remove();
      break;
    case "version":
      if (now === undefined) await removeMarker(storage, key, before.versionId, signal);
      else if (isVersioned(now)) await remove(now.versionId);
      else {
        const { versionId } = before;
        const encryption = ownEncryption(await storage.stat(key, { versionId, signal }));
        const source = { bucket: storage.bucket, key, versionId };
        await storage.copyFrom(key, source, { encryption, ifMatch: now.etag, signal });
      }
      break;
    case "kept":
      await putBack(storage, key, before, now, signal);
      break;
    case "tags":
    case "bucket":
    case "moved":
    case "lost":
      throw left("NotUndoable", "nothing was kept");
  }
  const restored = await statOrUndefined(storage, key, signal);
  const wanted = before.type === "version" ? restored?.etag === before.etag : true;
  if (!wanted) throw left("Drifted", "something else was written meanwhile");
  return leftOf(restored);
}

function leftOf(info: ObjectInfo | undefined): After {
  if (info === undefined) return { type: "absent" };
  return { type: "object", etag: info.etag, versionId: info.versionId };
}

/** Removes the delete marker on top of the version that is to be the latest again. */
async function removeMarker(
  storage: BucketStorage,
  key: string,
  versionId: string,
  signal: AbortSignal,
): Promise<void> {
  for await (const [marker, below] of versionsOf(storage, key, signal)) {
    if (marker?.isDeleteMarker !== true || below?.versionId !== versionId) break;
    const [result] = await storage.remove([{ key, versionId: marker.versionId }], { signal });
    if (result?.error === undefined) return;
    throw new AppError({ kind: "denied", ...result.error });
  }
  throw left("Drifted", "its versions have been changed since");
}

/** Objects up to this many bytes are put back from memory. */
const SMALL = 8 * 1024 * 1024;

async function putBack(
  storage: BucketStorage,
  key: string,
  { file, size, headers, encryption, tags }: Extract<Before, { type: "kept" }>,
  now: ObjectInfo | undefined,
  signal: AbortSignal,
): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.size !== size) throw left("NotUndoable", "the copy is no longer kept");
  const body: Uint8Array | StreamBody =
    size <= SMALL ? await readFile(file) : { length: size, open: () => createReadStream(file) };
  const condition = now === undefined ? { ifNoneMatch: "*" as const } : { ifMatch: now.etag };
  await storage.write(key, body, { ...headers, encryption, tags, ...condition, signal });
}
