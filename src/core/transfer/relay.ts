/** Copies from one service to another through this process; nothing touches the disk. */
import { sourceChanged } from "../local/source.js";
import { nameOf } from "../ref.js";
import { isCrc } from "../../protocol/checksum.js";
import type { WriteResult } from "../storage/storage.js";
import { type TransferItem, UNREAD_TAGS } from "../engine/events.js";
import { integrityOf } from "./integrity.js";
import {
  asListed,
  type Kept,
  readRange,
  type RemoteObject,
  statObject,
  tagsToKeep,
} from "./remote.js";
import { isAppError } from "../failures/errors.js";
import type { Limiter } from "../engine/limits.js";
import { merged } from "./server-copy.js";
import { uploadInParts } from "./multipart.js";
import type { MultipartTask } from "./tasks.js";
import { partSizeFor, SINGLE_PUT_LIMIT } from "./sizes.js";
import { orderedSupply, type SeekableSource } from "./supply.js";
import { type UploadSettings, uploadSource } from "./upload.js";
import { expectedOf } from "./verify.js";
import { requireStoredMatch, startStoredVerification } from "./verify-file.js";
import type { UploadChecksum } from "../config/types.js";
import type { ObjectInfo } from "../storage/storage.js";

export interface RelaySettings extends UploadSettings {
  readonly download: Limiter | undefined;
  readonly verify: boolean;
  readonly checksum: UploadChecksum | undefined;
}

interface Relayed extends WriteResult {
  readonly lost?: readonly string[] | undefined;
}

/**
 * Copies one object to another service, with the metadata it has there. The storage class and the
 * tags are left out where the service refuses them, and tags that are lost so, or that may not be read,
 * are named. Bytes that
 * are not the ones stored are fetched again, within the tries that a request has.
 */
export function relay(
  settings: RelaySettings,
  item: TransferItem,
  object: RemoteObject,
  key: string,
): Promise<Relayed> {
  const tries = object.storage.client.tries({ method: "GET", ...settings.run.watch(item) });
  return tries.run(() => relayOnce(settings, item, object, key));
}

async function relayOnce(
  settings: RelaySettings,
  item: TransferItem,
  object: RemoteObject,
  key: string,
): Promise<Relayed> {
  const { run, headers } = settings;
  const [info, tags] =
    object.kept === undefined
      ? await Promise.all([
          statObject(run, object).then((found) => asListed(run, item, object, found)),
          tagsToKeep(object),
        ])
      : [object.kept.info, object.kept.tags];
  const { ifNoneMatch, ifMatch } = headers;
  const plain = { ...merged(info, headers), ifNoneMatch, ifMatch };
  const send = (more: UploadSettings["headers"]) =>
    relayWith({ ...settings, headers: { ...plain, ...more } }, item, object, info, key);
  const attempts = [...extrasOf({ info: object.kept?.info, tags }, headers.storageClass), {}];
  for (;;) {
    const extra = attempts.shift()!;
    try {
      const written = await send(extra);
      if (tags === undefined) return { ...written, lost: [UNREAD_TAGS] };
      const kept = extra.tags !== undefined || Object.keys(tags).length === 0;
      return kept ? written : { ...written, lost: ["tags"] };
    } catch (error) {
      if (attempts.length === 0 || !isAppError(error) || !REFUSALS.has(error.code)) throw error;
    }
  }
}

/** How services say that they do not take a storage class or tags. */
const REFUSALS = new Set([
  "AccessDenied",
  "InvalidArgument",
  "InvalidRequest",
  "InvalidStorageClass",
  "InvalidTag",
  "MethodNotAllowed",
  "NotImplemented",
]);

/** The attempts at bringing things along: all of it first, then less. */
function extrasOf(
  kept: { readonly info: Kept["info"] | undefined; readonly tags: Kept["tags"] },
  asked: string | undefined,
): Pick<UploadSettings["headers"], "storageClass" | "tags">[] {
  const own = kept.info?.storageClass;
  const storageClass = asked === undefined && own !== "STANDARD" ? own : undefined;
  const tags = Object.keys(kept.tags ?? {}).length > 0 ? kept.tags : undefined;
  const extras: ReturnType<typeof extrasOf> = [];
  if (storageClass !== undefined && tags !== undefined) extras.push({ storageClass, tags });
  if (tags !== undefined) extras.push({ tags });
  if (storageClass !== undefined) extras.push({ storageClass });
  return extras;
}

async function relayWith(
  settings: RelaySettings,
  item: TransferItem,
  object: RemoteObject,
  info: ObjectInfo,
  key: string,
): Promise<WriteResult> {
  const { run, storage } = settings;
  const whole = settings.verify ? wholeCrc(info) : undefined;
  const integrity = integrityOf(storage.client, settings.checksum, whole?.algorithm);
  const { listed, ref } = object;
  if (listed !== true && ref.etag !== undefined && ref.etag !== info.etag) {
    throw sourceChanged(nameOf(ref));
  }
  const task = { ...settings, integrity, item, key, whole };
  const source = remoteSource(settings, item, object, info);
  const partSize = settings.partSize ?? SINGLE_PUT_LIMIT;
  const provenByParts = whole !== undefined && whole.algorithm === integrity.algorithm;
  if (settings.verify && !provenByParts && info.size > Math.min(partSize, SINGLE_PUT_LIMIT)) {
    const proof = await startStoredVerification({ object, run }, info);
    if (proof !== undefined) return relayInOrder(task, source, object, proof);
  }
  const { key: sourceKey, versionId } = object.ref;
  const name = [object.storage.client.endpoint.href, object.storage.bucket, sourceKey];
  return uploadSource(task, source, {
    name: [...name, versionId ?? ""],
    state: info.etag ?? "",
    reread: false,
  });
}

/** Its checksum does not follow from those of the parts, so the bytes pass it in their order. */
function relayInOrder(
  task: Omit<MultipartTask, "supply"> & Pick<UploadSettings, "partSize">,
  source: SeekableSource,
  object: RemoteObject,
  proof: { update(bytes: Uint8Array): void; check(name: string): void },
): Promise<WriteResult> {
  const { memory, signal } = task.run;
  const partSize = partSizeFor(source.size, task.partSize);
  const supply = orderedSupply(source, partSize, memory, signal, (bytes) => proof.update(bytes));
  const check = async () => proof.check(nameOf(object.ref));
  return uploadInParts({ ...task, supply: { ...supply, check } });
}

/** The source's own checksum, so that the target verifies the very value the source stored. */
function wholeCrc(info: ObjectInfo) {
  const expected = expectedOf(info);
  if (expected === undefined || expected.composite || expected.algorithm === "MD5")
    return undefined;
  const { algorithm, value } = expected;
  return isCrc(algorithm) ? { algorithm, value } : undefined;
}

function remoteSource(
  { run, download, verify }: RelaySettings,
  item: TransferItem,
  object: RemoteObject,
  info: ObjectInfo,
): SeekableSource {
  const read = async (buffer: Uint8Array, position: number) => {
    const range = { start: position, end: position + buffer.length };
    await readRange(run, item, object, info, range, (chunk, at) => {
      buffer.set(chunk, at - position);
      return download?.take(chunk.length, run.signal);
    });
    if (!verify || buffer.length !== info.size) return;
    const expected = expectedOf(info);
    if (expected !== undefined) await requireStoredMatch({ object, run }, info, expected, buffer);
  };
  return {
    size: info.size,
    isLocal: false,
    read,
    stream: async function* (start, end) {
      const { bytes, release } = await run.memory.borrow(STREAM_CHUNK, run.signal);
      try {
        for (let position = start; position < end; position += bytes.length) {
          const piece = bytes.subarray(0, end - position);
          await read(piece, position);
          yield piece;
        }
      } finally {
        release();
      }
    },
    // Every range was pinned to the ETag.
    check: () => Promise.resolve(),
  };
}

const STREAM_CHUNK = 16 * 1024 * 1024;
