/** One object sent in parts: from a file, from another service, from a stream; resumable. */
import { shellWord } from "../failures/shell-word.js";
import {
  type ChecksumAlgorithm,
  type CrcAlgorithm,
  combineCrc,
  isCrc,
} from "../../protocol/checksum.js";
import { AppError, isAppError } from "../failures/errors.js";
import { nameOf } from "../ref.js";
import { judgeError } from "../http/retry.js";
import type { WriteResult } from "../storage/storage.js";
import { type Payload, requestBody } from "./body.js";
import { codeOf } from "../failures/local.js";
import { type UploadRecord, findUpload } from "./multipart-resume.js";
import { workOnParts } from "./parts-at-once.js";
import type { MultipartTask, SentPart } from "./tasks.js";
import { requireMatch } from "./verify.js";

const ABORT_TIMEOUT = 10_000;

/**
 * Uploads an object in parts. An upload that stays behind after a failure is either removed or
 * reported through `run.leave`.
 */
export async function uploadInParts(task: MultipartTask): Promise<WriteResult> {
  const { run, item, resume } = task;
  const found = await findUpload(task);
  const upload = found?.upload ?? (await createUpload(task));
  const sent = found?.parts ?? new Map<number, SentPart>();
  try {
    if (found !== undefined) {
      let skipped = 0;
      for (const part of sent.values()) skipped += part.size;
      run.emit({ type: "resumed", item, skipped });
    }
    await sendParts(task, upload, sent);
    await task.supply.check();
    const result = await complete(task, upload, sent);
    await resume?.record.remove();
    return result;
  } catch (error) {
    await settle(task, upload.uploadId, error);
    throw error;
  }
}

async function createUpload(task: MultipartTask): Promise<UploadRecord> {
  const { run, storage, alias, key, headers, integrity, item, resume } = task;
  const { ifNoneMatch: _, ifMatch: __, ...kept } = headers;
  return integrity.negotiate(async (algorithm) => {
    const checksumType = typeOf(algorithm);
    const uploadId = await storage
      .createUpload(key, {
        ...kept,
        // No abort cuts this short: an upload whose id never arrives could not be removed.
        onRetry: run.watch(item).onRetry,
        checksumAlgorithm: algorithm,
        checksumType,
      })
      .catch((error: unknown) => {
        throw perhapsBegun(error, `${alias}/${storage.bucket}/${key}`);
      });
    const upload: UploadRecord = { uploadId, algorithm: algorithm ?? null };
    if (resume !== undefined) {
      const { state, size, partSize, headers } = resume.source;
      resume.record.begin({ ...upload, state, size, partSize, headers });
    }
    return upload;
  });
}

/** Not repeated, when its answer was lost: it may have begun an upload whose id is unknown. */
function perhapsBegun(error: unknown, name: string): unknown {
  if (!isAppError(error) || judgeError(error).retry !== "idempotent") return error;
  const { kind, code, message, details } = error;
  return new AppError({
    kind,
    code,
    message: `${message}; whether an upload has begun is not known`,
    hint: `pail uploads list ${shellWord(name)}`,
    details,
    cause: error,
  });
}

/** CRCs of parts combine into the whole's; other checksums are taken over the parts' checksums. */
function typeOf(algorithm: ChecksumAlgorithm | undefined) {
  if (algorithm === undefined) return undefined;
  return isCrc(algorithm) ? "FULL_OBJECT" : "COMPOSITE";
}

async function sendParts(
  task: MultipartTask,
  upload: UploadRecord,
  sent: Map<number, SentPart>,
): Promise<void> {
  const { run, supply } = task;
  const done = new Set(sent.keys());
  await workOnParts(run, supply.count - done.size, async () => {
    const part = await supply.next(done);
    if (part === undefined) return undefined;
    done.add(part.number);
    try {
      sent.set(part.number, await sendPart(task, upload, part.number, part.payload));
    } finally {
      part.payload.release();
    }
    return part.payload.length;
  });
}

async function sendPart(
  task: MultipartTask,
  { uploadId, algorithm }: UploadRecord,
  number: number,
  payload: Payload,
): Promise<SentPart> {
  const { run, storage, key, item, integrity, limiter } = task;
  const { checksum, options } = await integrity.vouch(payload, algorithm ?? undefined);
  const part = await storage.uploadPart(
    key,
    uploadId,
    number,
    requestBody(payload, limiter, run.signal),
    {
      ...options,
      ...run.watch(item),
      onBytes: (count) => run.emit({ type: "bytes", id: item.id, count }),
    },
  );
  return {
    partNumber: number,
    etag: part.etag,
    size: payload.length,
    checksum: options.checksum,
    digest: checksum,
  };
}

async function complete(
  task: MultipartTask,
  { uploadId, algorithm }: UploadRecord,
  sent: ReadonlyMap<number, SentPart>,
): Promise<WriteResult> {
  const { run, storage, key, headers, item } = task;
  const parts = [...sent.values()].sort((one, other) => one.partNumber - other.partNumber);
  const whole = algorithm !== null && isCrc(algorithm) ? combined(algorithm, parts) : undefined;
  if (task.whole !== undefined && whole !== undefined && task.whole.algorithm === algorithm) {
    requireMatch({ ...task.whole, composite: false }, whole, nameOf(item.source ?? item.target));
  }
  return storage.completeUpload(key, uploadId, parts, {
    ...run.watch(item),
    ifNoneMatch: headers.ifNoneMatch,
    ifMatch: headers.ifMatch,
    checksumType: typeOf(algorithm ?? undefined),
    checksum:
      whole === undefined || algorithm === null
        ? undefined
        : { algorithm, value: whole.toString("base64") },
  });
}

function combined(algorithm: CrcAlgorithm, parts: readonly SentPart[]): Buffer | undefined {
  let whole: Buffer | undefined;
  for (const part of parts) {
    if (part.digest === undefined) return undefined;
    whole =
      whole === undefined ? part.digest : combineCrc(algorithm, whole, part.digest, part.size);
  }
  return whole;
}

/** Removes the parts on the service, or leaves them for the next run when they can be used then. */
async function settle(task: MultipartTask, uploadId: string, error: unknown): Promise<void> {
  const { run, storage, key, alias, resume } = task;
  const resumable =
    run.signal.aborted || (isAppError(error) && ["unavailable", "denied"].includes(error.kind));
  // Bad bytes are of no use to anybody.
  const useless = ["NoSuchUpload", "ChecksumMismatch"].includes(codeOf(error));
  if (resume !== undefined && !resume.source.once && resumable && !useless) {
    resume.record.keep();
    run.leave({ type: "upload", alias, bucket: storage.bucket, key, uploadId });
    return;
  }
  try {
    // The run's signal is not used: it may be the reason why this ended.
    await storage.abortUpload(key, uploadId, { signal: AbortSignal.timeout(ABORT_TIMEOUT) });
  } catch {
    // The error thrown to the caller is the one that matters; what stays is reported.
    run.leave({ type: "upload", alias, bucket: storage.bucket, key, uploadId });
  }
  await resume?.record.remove();
}
