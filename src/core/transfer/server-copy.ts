/** Copies within one service: no byte comes here. */
import { isAppError } from "../failures/errors.js";
import { nameOf } from "../ref.js";
import type { BucketStorage, CopySource, PartEntry } from "../storage/s3-types.js";
import type { ObjectHeaders, ObjectInfo, WriteCondition, WriteResult } from "../storage/storage.js";
import type { TransferItem } from "../engine/events.js";
import { KEPT_NAMES, ownEncryption } from "../storage/object-headers.js";
import { unconditional } from "../storage/conditional.js";
import { sourceChanged } from "../local/source.js";
import { workOnParts } from "./parts-at-once.js";
import { type RemoteObject, asListed, statObject } from "./remote.js";
import type { Run } from "../engine/run.js";
import { GIB, MAX_SINGLE_COPY, MIB, partCount, partRange, partSizeFor } from "./sizes.js";

export interface ServerCopyTask {
  readonly run: Run;
  readonly item: TransferItem;
  /** Pinned where its ref has an ETag. */
  readonly source: RemoteObject;
  readonly storage: BucketStorage;
  readonly alias: string;
  readonly key: string;
  /** The headers that replace the source's own; empty keeps everything. */
  readonly headers: ObjectHeaders;
  readonly condition: WriteCondition;
  readonly partSize: number | undefined;
}

/** Parts of a copy cost no memory and no bandwidth here; large ones are few requests. */
const COPY_PART_SIZE = 512 * MIB;
const ABORT_TIMEOUT = 10_000;

/** Copies one object, in parts when it is larger than one request may copy. */
export async function copyOnService(task: ServerCopyTask): Promise<WriteResult> {
  const { item, storage, key, source, run, condition } = task;
  const headers = withOwnClass(task);
  const { storageClass: _, ...replacing } = headers;
  const replaces = Object.values(replacing).some((value) => value !== undefined);
  const large = item.size === undefined || item.size > MAX_SINGLE_COPY;
  const info =
    large || replaces ? (source.kept?.info ?? (await statObject(run, source))) : undefined;
  const etag = info?.etag ?? source.ref.etag;
  const from: CopySource = {
    bucket: source.storage.bucket,
    key: source.ref.key,
    versionId: source.ref.versionId,
    ifMatch: etag,
  };
  if (info !== undefined && info.size > MAX_SINGLE_COPY) return copyInParts(task, from, info);
  // Other metadata does not make it another object: its class stays, too.
  const own = info?.storageClass === "STANDARD" ? undefined : info?.storageClass;
  const storageClass = headers.storageClass ?? own;
  const encryption = keptEncryption(task, info);
  const copy = (ifMatch: string | undefined) =>
    storage.copyFrom(
      key,
      { ...from, ifMatch },
      {
        ...(info !== undefined && replaces ? { ...merged(info, headers), storageClass } : headers),
        encryption,
        metadataDirective: replaces ? "REPLACE" : undefined,
        ...condition,
        signal: run.signal,
      },
    );
  try {
    return await copy(etag).catch(async (error: unknown) => {
      if (source.listed !== true || info !== undefined || !isUnmet(error)) throw error;
      // A listing may spell ETags in its own way.
      const told = await asListed(run, item, source, await statObject(run, source));
      if (told.etag === etag) throw error;
      return copy(told.etag);
    });
  } catch (error) {
    throw isUnmet(error) && unconditional(condition) ? sourceChanged(nameOf(source.ref)) : error;
  }
}

function isUnmet(error: unknown): boolean {
  return isAppError(error) && error.code === "PreconditionFailed";
}

/** A copy gets the standard class unless one is named; a move keeps its own. */
function withOwnClass({ headers, source }: ServerCopyTask): ObjectHeaders {
  const own = source.kept?.info.storageClass;
  if (headers.storageClass !== undefined || own === undefined || own === "STANDARD") return headers;
  return { ...headers, storageClass: own };
}

/** Within a bucket an object keeps its key, where it was looked at; another bucket has its own rule. */
function keptEncryption({ source, storage }: ServerCopyTask, info = source.kept?.info) {
  const stays = source.storage.bucket === storage.bucket && info !== undefined;
  return stays ? ownEncryption(info) : undefined;
}

/** The source's headers with what was asked for in their place. */
export function merged(info: ObjectHeaders, headers: ObjectHeaders): ObjectHeaders {
  return {
    ...Object.fromEntries(KEPT_NAMES.map((name) => [name, headers[name] ?? info[name]])),
    // A class is the target's own: the source's may not exist there, or be an archive.
    storageClass: headers.storageClass,
    metadata: headers.metadata ?? info.metadata,
  };
}

async function copyInParts(
  task: ServerCopyTask,
  from: CopySource,
  info: ObjectInfo,
): Promise<WriteResult> {
  const { run, item, storage, key, source, alias, condition } = task;
  const headers = withOwnClass(task);
  const { signal } = run;
  const partSize = Math.min(5 * GIB, partSizeFor(info.size, task.partSize ?? COPY_PART_SIZE));
  const tags = await tagsOf(source);
  const encryption = keptEncryption(task, info);
  const options = { ...merged(info, headers), encryption, tags, signal };
  const uploadId = await storage.createUpload(key, options);
  const parts: PartEntry[] = [];
  const count = partCount(info.size, partSize);
  let number = 0;
  const work = async () => {
    if (number === count) return undefined;
    number += 1;
    const range = partRange(number, partSize, info.size);
    const bytes = range.end - range.start;
    const bounds = { start: range.start, end: range.end - 1 };
    parts.push(await storage.uploadPartCopy(key, uploadId, range.number, from, bounds, { signal }));
    run.emit({ type: "bytes", id: item.id, count: bytes });
    return bytes;
  };
  try {
    await workOnParts(run, count, work);
    parts.sort((one, other) => one.partNumber - other.partNumber);
    const completed = parts.map(({ partNumber, etag }) => ({ partNumber, etag }));
    return await storage.completeUpload(key, uploadId, completed, { signal, ...condition });
  } catch (error) {
    await storage
      .abortUpload(key, uploadId, { signal: AbortSignal.timeout(ABORT_TIMEOUT) })
      .catch(() => run.leave({ type: "upload", alias, bucket: storage.bucket, key, uploadId }));
    throw error;
  }
}

/** A copy keeps the tags; a copy in parts must bring them itself. */
async function tagsOf({
  storage,
  ref: { key, versionId },
}: RemoteObject): Promise<Record<string, string>> {
  try {
    return await storage.getTags(key, { versionId });
  } catch (error) {
    if (isAppError(error) && error.code === "NotImplemented") return {};
    throw error;
  }
}
