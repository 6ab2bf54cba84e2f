/** An object on a service as a source: pinned to what it was, read on through broken connections. */
import { AppError, isAppError } from "../failures/errors.js";
import { type ObjectRef, nameOf } from "../ref.js";
import { toAppError } from "../failures/map.js";
import { type Tries, isSettled, settle } from "../http/tries.js";
import { UNKNOWN_SIZE } from "../storage/object-headers.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ByteRange, ObjectInfo, OpenObject } from "../storage/storage.js";
import type { TransferItem } from "../engine/events.js";
import { sourceChanged } from "../local/source.js";
import type { Run } from "../engine/run.js";

export interface RemoteObject {
  readonly storage: BucketStorage;
  /** Pinned to its ETag where a listing has told it. */
  readonly ref: ObjectRef;
  /** The ETag is a listing's, which may spell it in its own way; otherwise it must be this one. */
  readonly listed?: true | undefined;
  /** For a move: what the object is, and what is to come along. */
  readonly kept?: Kept | undefined;
}

/** The things that a copy takes along besides bytes and headers. */
export interface Kept {
  readonly info: ObjectInfo;
  /** Undefined when they are not known, or the service brings them by itself. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

/** An object opened for reading before it is known where it goes. */
export interface Opened {
  readonly info: ObjectInfo;
  /** The reading, for the first caller that asks. */
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

/**
 * Compares an answer about an object with the listing. Another size is another
 * object, or none at all; another ETag is one, too, unless a second look finds it again, as where
 * a listing spells ETags in its own way. Throws SourceChanged. A size that the answer leaves out
 * is the listing's.
 */
export function asListed(
  run: Run,
  item: TransferItem,
  object: RemoteObject,
  told: ObjectInfo,
): ObjectInfo | Promise<ObjectInfo> {
  const { etag } = object.ref;
  const size = item.size ?? told.size;
  const info = told.size === UNKNOWN_SIZE ? { ...told, size } : told;
  if (info.size !== size) throw notAsListed(object, `${info.size} bytes instead of ${size}`);
  return etag === undefined || etag === told.etag ? info : confirmed(run, object, info);
}

async function confirmed(run: Run, object: RemoteObject, info: ObjectInfo): Promise<ObjectInfo> {
  const { size, etag } = await statObject(run, object);
  if (etag === info.etag && size === info.size) return info;
  throw notAsListed(object, `its ETag is ${etag} instead of ${object.ref.etag}`);
}

function notAsListed({ ref }: RemoteObject, how: string): AppError {
  return new AppError({
    kind: "conflict",
    code: "SourceChanged",
    message: `${nameOf(ref)} is not what was listed: ${how}`,
    hint: "run the command again",
  });
}

/** Finds out about an object without opening it. */
export function statObject(run: Run, { storage, ref }: RemoteObject): Promise<ObjectInfo> {
  const { key, versionId } = ref;
  return storage.stat(key, { signal: run.signal, versionId });
}

/** Leaves a body unread. A reading that has not begun would hold its connection. */
export async function abandon({ body }: OpenObject): Promise<void> {
  try {
    for await (const _ of body) return;
  } catch {
    // These bytes are not wanted: it does not matter if they do not come.
  }
}

/**
 * Reads a stretch of an object (`end` is exclusive) and calls `take` with each chunk, which is
 * valid only until `take` resolves. A body that breaks off is followed by another request for the
 * rest, always of the object `info` describes; another object there is SourceChanged. The tries
 * count anew whenever bytes have come. A size of `UNKNOWN_SIZE` reads to the body's end.
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
  const tries = object.storage.client.tries({ method: "GET", ...run.watch(item) });
  const isOpenEnded = range.end === UNKNOWN_SIZE;
  let position = range.start;
  let next = opened;
  await tries.run(async () => {
    if (position >= range.end && next === undefined) return;
    const before = position;
    try {
      const rest = { start: position, end: isOpenEnded ? undefined : range.end - 1 };
      const { body } = next ?? (await openAt(run, item, object, info, rest, tries));
      next = undefined;
      for await (const chunk of body) {
        if (position + chunk.length > range.end) throw tooLong(nameOf(object.ref));
        try {
          const taken = take(chunk, position);
          if (taken !== undefined) await taken;
        } catch (error) {
          // Not the service's failure: another request would not cure it.
          throw settle(error);
        }
        position += chunk.length;
      }
      if (position < range.end && !isOpenEnded) {
        throw tooShort(nameOf(object.ref), position, range.end);
      }
    } catch (error) {
      run.signal.throwIfAborted();
      if (position > before) tries.renew();
      throw isSettled(error) ? error : toAppError(error);
    }
  });
}

async function openAt(
  run: Run,
  item: TransferItem,
  object: RemoteObject,
  info: ObjectInfo,
  range: ByteRange,
  tries: Tries,
): Promise<OpenObject> {
  const { storage, ref } = object;
  const { key, versionId } = ref;
  try {
    const opened = await storage.read(key, {
      versionId,
      range,
      ifMatch: info.etag,
      tries,
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

/** The tags of an object; undefined when they may not be read. */
export async function tagsToKeep({ storage, ref }: RemoteObject): Promise<Kept["tags"]> {
  const { key, versionId } = ref;
  try {
    return await storage.getTags(key, { versionId });
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (["NotImplemented", "NoSuchTagSet", "MethodNotAllowed"].includes(error.code)) return {};
    if (error.kind === "denied") return undefined;
    throw error;
  }
}
