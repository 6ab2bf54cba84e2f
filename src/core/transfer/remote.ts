/** An object on a service as a source: pinned to what it was, read on through broken connections. */
import { setTimeout as delay } from "node:timers/promises";

import { AppError, isAppError } from "../failures/errors.js";
import { type ObjectRef, nameOf } from "../ref.js";
import { toAppError } from "../failures/map.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo, OpenObject } from "../storage/storage.js";
import type { TransferItem } from "../engine/events.js";
import { sourceChanged } from "../local/source.js";
import type { Run } from "../engine/run.js";

export interface RemoteObject {
  readonly storage: BucketStorage;
  /** Pinned to its ETag where a listing has told it. */
  readonly ref: ObjectRef;
  /** For a move: what the object is, and what is to come along. */
  readonly kept?: Kept | undefined;
}

/** What a copy takes along besides bytes and headers. */
export interface Kept {
  readonly info: ObjectInfo;
  /** Undefined when they are not known, or the service brings them by itself. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** An object opened for reading before it is known where it goes. */
export interface Opened {
  readonly info: ObjectInfo;
  /** The reading, to whoever asks first. */
  take(): OpenObject | undefined;
  /** Ends the reading unless it was taken. */
  release(): Promise<void>;
}

/** Opens an object: one request that tells what it is and, when it is small, brings it. */
export async function openObject(
  run: Run,
  item: TransferItem,
  { storage, ref: { key, versionId } }: RemoteObject,
): Promise<Opened> {
  const opened = await storage.read(key, { versionId, ...run.watch(item) });
  let left: OpenObject | undefined = opened;
  const take = () => {
    const taken = left;
    left = undefined;
    return taken;
  };
  return {
    info: opened.info,
    take,
    release: async () => {
      const unread = take();
      if (unread !== undefined) await abandon(unread);
    },
  };
}

/** Leaves a body unread. A reading that has not begun would hold its connection. */
export async function abandon({ body }: OpenObject): Promise<void> {
  try {
    for await (const _ of body) return;
  } catch {
    // Nobody wants these bytes: it is all the same if they do not come.
  }
}

const FIRST_DELAY = 200;

/**
 * Reads a stretch of an object (`end` is exclusive) and calls `take` with each chunk, which is
 * valid only until `take` resolves. A body that breaks off is followed by another request for the
 * rest, always of the object `info` describes; another object there is SourceChanged. As many in a
 * row that bring no byte as a request has tries, and the reading is given up.
 */
export async function readRange(
  run: Run,
  item: TransferItem,
  object: RemoteObject,
  info: ObjectInfo,
  range: { readonly start: number; readonly end: number },
  take: (chunk: Uint8Array, position: number) => Promise<void> | void,
  opened?: OpenObject,
): Promise<void> {
  let position = range.start;
  let failures = 0;
  let response = opened;
  while (position < range.end || response !== undefined) {
    const before = position;
    // Opening has tries of its own, which must not multiply with those of reading.
    response ??= await openAt(run, item, object, info, { start: position, end: range.end - 1 });
    let local: { readonly error: unknown } | undefined;
    try {
      const { body } = response;
      response = undefined;
      for await (const chunk of body) {
        if (position + chunk.length > range.end) throw tooLong(nameOf(object.ref));
        try {
          await take(chunk, position);
        } catch (error) {
          // Not the service's failure: another request would not cure it.
          local = { error };
          throw error;
        }
        position += chunk.length;
      }
      if (position < range.end) throw tooShort(nameOf(object.ref), position, range.end);
    } catch (error) {
      run.signal.throwIfAborted();
      if (local !== undefined) throw local.error;
      const failure = toAppError(error);
      failures = position > before ? 1 : failures + 1;
      if (
        failure.kind !== "unavailable" ||
        failure.code === "ChecksumMismatch" ||
        failures >= object.storage.client.maxAttempts
      ) {
        throw failure;
      }
      response = undefined;
      const delayMs = FIRST_DELAY * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
      run.watch(item).onRetry({ attempt: failures, delayMs, code: failure.code, throttled: false });
      await delay(delayMs, undefined, { signal: run.signal });
    }
  }
}

async function openAt(
  run: Run,
  item: TransferItem,
  object: RemoteObject,
  info: ObjectInfo,
  range: { readonly start: number; readonly end: number },
): Promise<OpenObject> {
  const { storage, ref } = object;
  const { key, versionId } = ref;
  try {
    const opened = await storage.read(key, {
      versionId,
      range,
      ifMatch: info.etag,
      ...run.watch(item),
    });
    // Not every service heeds If-Match on a GET.
    if (opened.info.etag !== info.etag) throw sourceChanged(nameOf(object.ref));
    return opened;
  } catch (error) {
    const gone = ["PreconditionFailed", "NoSuchKey", "NoSuchVersion", "InvalidRange"];
    if (isAppError(error) && gone.includes(error.code)) throw sourceChanged(nameOf(object.ref));
    throw error;
  }
}

function tooShort(name: string, position: number, end: number): AppError {
  return new AppError({
    kind: "unavailable",
    code: "IncompleteBody",
    message: `${name} ended at byte ${position} of ${end}`,
  });
}

function tooLong(name: string): AppError {
  return new AppError({
    kind: "conflict",
    code: "InvalidResponse",
    message: `the service sent more of ${name} than it has`,
  });
}
