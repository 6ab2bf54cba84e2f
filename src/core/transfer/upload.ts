/** Files and streams to a bucket. */
import type { BigIntStats } from "node:fs";

import type {
  ObjectHeaders,
  WriteCondition,
  WriteOptions,
  WriteResult,
} from "../storage/storage.js";
import type { BucketStorage } from "../storage/s3-types.js";
import { attributeMetadata, type Preserve } from "../local/attributes.js";
import { contentTypeOf } from "../content-type.js";
import { memoryPayload, requestBody } from "./body.js";
import type { TransferItem } from "../engine/events.js";
import type { Integrity } from "./integrity.js";
import type { Limiter } from "../engine/limits.js";
import {
  type LocalSource,
  openLocalSource,
  readSmallFile,
  sourceChanged,
} from "../local/source.js";
import { uploadInParts } from "./multipart.js";
import type { MultipartTask } from "./tasks.js";
import { claimRecord, type ResumeRecord } from "./resume.js";
import type { Lease } from "../engine/memory.js";
import type { Run } from "../engine/run.js";
import { partRange, partSizeFor, SINGLE_PUT_LIMIT, SMALL_OBJECT, streamPartSize } from "./sizes.js";
import {
  inMemory,
  payloadOf,
  type SeekableSource,
  seekableSupply,
  streamReader,
  streamSupply,
} from "./supply.js";

/** The settings that all uploads of a request have in common. */
export interface UploadSettings {
  readonly run: Run;
  readonly storage: BucketStorage;
  readonly alias: string;
  readonly headers: ObjectHeaders & WriteCondition & Pick<WriteOptions, "tags">;
  readonly integrity: Integrity;
  readonly limiter: Limiter | undefined;
  readonly partSize: number | undefined;
  readonly stateDir: string | undefined;
  /** The attributes of a file that are kept beside the object. */
  readonly preserve: Preserve;
}

/** Uploads one file. */
export function uploadFile(
  settings: UploadSettings,
  item: TransferItem,
  path: string,
  key: string,
): Promise<WriteResult> {
  const isSmall = item.size !== undefined && item.size <= SMALL_OBJECT;
  return (isSmall ? uploadSmall : uploadLarge)(settings, item, path, key);
}

async function uploadLarge(
  settings: UploadSettings,
  item: TransferItem,
  path: string,
  key: string,
): Promise<WriteResult> {
  const source = await openLocalSource(path);
  try {
    const { size, mtimeNs, ino } = source.stats;
    const headers = { ...settings.headers, metadata: metadataOf(settings, source.stats) };
    const task = taskOf({ ...settings, headers }, item, key, path);
    return await uploadSource(task, seekable(source), {
      name: ["file", path],
      state: `${size} ${mtimeNs} ${ino}`,
      reread: true,
    });
  } finally {
    await source.close();
  }
}

/** The metadata of a file's object: the file's attributes, and what was asked for, which wins. */
function metadataOf({ headers, preserve }: UploadSettings, stats: BigIntStats) {
  if (!preserve.time && !preserve.owner) return headers.metadata;
  return { ...attributeMetadata(stats, preserve), ...headers.metadata };
}

type UploadTask = UploadSettings &
  Pick<MultipartTask, "whole"> & { readonly item: TransferItem; readonly key: string };

/** `name` is what suggests a content type, should none have been asked for. */
function taskOf(settings: UploadSettings, item: TransferItem, key: string, name: string) {
  const contentType = settings.headers.contentType ?? contentTypeOf(name);
  return { ...settings, item, key, headers: { ...settings.headers, contentType } };
}

/** Reads a file whole and sends it whole; written to cost little, for files come in thousands. */
async function uploadSmall(
  settings: UploadSettings,
  item: TransferItem,
  path: string,
  key: string,
): Promise<WriteResult> {
  const { memory, signal } = settings.run;
  let lease: Lease | undefined;
  try {
    const { bytes, stats } = await readSmallFile(path, (size) => {
      if (size > SINGLE_PUT_LIMIT) throw sourceChanged(path);
      lease = memory.tryBorrow(size);
      return lease?.bytes ?? memory.borrow(size, signal).then((lent) => (lease = lent).bytes);
    });
    const contentType = settings.headers.contentType ?? contentTypeOf(path);
    const metadata = metadataOf(settings, stats);
    return await putBytes(settings, item, key, { contentType, metadata }, bytes);
  } finally {
    lease?.release();
  }
}

/** Bytes of one write to a socket: whether they are on their way shows when they have arrived. */
export const UNSEEN = 64 * 1024;

/** One PUT of bytes in memory. */
function putBytes(
  { run, storage, headers, integrity, limiter }: UploadSettings,
  item: TransferItem,
  key: string,
  { contentType, metadata }: Pick<ObjectHeaders, "contentType" | "metadata">,
  bytes: Uint8Array,
): Promise<WriteResult> {
  const payload = memoryPayload(bytes);
  const { signal, onRetry } = run.watch(item);
  const onBytes = (count: number) => run.emit({ type: "bytes", id: item.id, count });
  return integrity.negotiate(async (algorithm) => {
    const vouched = integrity.vouch(payload, algorithm);
    const { options } = vouched instanceof Promise ? await vouched : vouched;
    // One spread in front, then names: for ten thousand small objects the other ways show.
    return storage.write(key, requestBody(payload, limiter, signal), {
      ...headers,
      contentType,
      metadata,
      checksum: options.checksum,
      payload: options.payload,
      payloadHash: options.payloadHash,
      signal,
      onRetry,
      onBytes: bytes.length > UNSEEN || item.size === undefined ? onBytes : undefined,
    });
  });
}

/**
 * Uploads a source of known length: in one PUT, or in parts that can be resumed. `name` is what
 * the source is called in its record, `state` changes when it does.
 */
export async function uploadSource(
  task: UploadTask,
  source: SeekableSource,
  origin: { readonly name: readonly string[]; readonly state: string; readonly reread: boolean },
): Promise<WriteResult> {
  const { run, storage, key } = task;
  const { size } = source;
  if (size <= Math.min(SINGLE_PUT_LIMIT, task.partSize ?? SINGLE_PUT_LIMIT)) {
    const payload = await inMemory(source, 0, await run.memory.borrow(size, run.signal));
    try {
      await source.check();
      return await putBytes(task, task.item, key, task.headers, payload.bytes);
    } finally {
      payload.release();
    }
  }
  const partSize = partSizeFor(size, task.partSize);
  const target = [storage.client.endpoint.href, storage.bucket, key];
  const headers = JSON.stringify({ ...task.headers, ifNoneMatch: undefined, ifMatch: undefined });
  const record = await claimRecord(task.stateDir, ["upload", ...origin.name, ...target]);
  const read = (number: number) =>
    payloadOf(source, partRange(number, partSize, size), run.memory, run.signal);
  try {
    return await uploadInParts({
      ...task,
      supply: seekableSupply(source, partSize, run.memory, run.signal),
      resume: record && {
        record,
        source: { state: origin.state, size, partSize, headers, ...(origin.reread && { read }) },
      },
    });
  } finally {
    record?.keep();
  }
}

/** Many parts are streamed at once on a long line; this is the memory of each. */
const STREAM_CHUNK = 256 * 1024;

function seekable(source: LocalSource): SeekableSource {
  return {
    size: Number(source.stats.size),
    isLocal: true,
    read: (buffer, position) => source.read(buffer, position),
    check: () => source.checkUnchanged(),
    stream: async function* (start, end) {
      const buffer = Buffer.allocUnsafeSlow(STREAM_CHUNK);
      for (let position = start; position < end; position += buffer.length) {
        const piece = buffer.subarray(0, Math.min(buffer.length, end - position));
        await source.read(piece, position);
        yield piece;
      }
    },
  };
}

/**
 * Uploads a stream of unknown length, such as stdin. It can be read only once: no resuming, but a
 * record, so that the next run ends what a killed one left.
 */
export async function uploadStream(
  settings: UploadSettings,
  item: TransferItem,
  stream: AsyncIterable<Uint8Array>,
  key: string,
): Promise<WriteResult> {
  const { run, partSize } = settings;
  const task = taskOf(settings, item, key, key);
  const reader = streamReader(stream, run.signal);
  const lease = await run.memory.borrow(streamPartSize(1, partSize), run.signal);
  let record: ResumeRecord | undefined;
  try {
    const filled = await reader.fill(lease.bytes);
    const first = lease.bytes.subarray(0, filled);
    if (filled < lease.bytes.length) {
      return await putBytes(task, item, key, task.headers, first);
    }
    const { storage, stateDir } = settings;
    const target = [storage.client.endpoint.href, storage.bucket, key];
    record = await claimRecord(stateDir, ["upload", "stream", ...target]);
    const source = { state: "", size: 0, partSize: 0, headers: "", once: true } as const;
    return await uploadInParts({
      ...task,
      supply: streamSupply(
        reader,
        memoryPayload(first, lease.release),
        partSize,
        run.memory,
        run.signal,
      ),
      resume: record && { record, source },
    });
  } finally {
    record?.keep();
    lease.release();
  }
}
