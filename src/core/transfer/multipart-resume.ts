/** Finding what an earlier run left of an upload, and whether it is of the same bytes. */
import { type ChecksumAlgorithm, checksumOf, createMd5 } from "../../protocol/checksum.js";
import type { PartEntry } from "../storage/s3-types.js";
import { digestPayload } from "./body.js";
import { codeOf } from "../failures/local.js";
import { shellWord } from "../failures/shell-word.js";
import { nameOf } from "../ref.js";
import type { MultipartTask, ResumeSource, SentPart } from "./tasks.js";
import { partCount, partRange } from "./sizes.js";

/** An upload as its record keeps it. */
export interface UploadRecord {
  readonly uploadId: string;
  /** The checksum its parts carry. */
  readonly algorithm: ChecksumAlgorithm | null;
}

interface Head extends UploadRecord {
  readonly state: string;
  readonly size: number;
  readonly partSize: number;
  readonly headers: string;
}

/**
 * The upload an earlier run left and the parts of it that are good. Undefined when there is none
 * to go on with; then what was left is removed, and the event `restarted` says why.
 */
export async function findUpload(
  task: MultipartTask,
): Promise<{ upload: UploadRecord; parts: Map<number, SentPart> } | undefined> {
  const { resume, run, item, storage, key } = task;
  if (resume?.record.endedEarly === true) {
    const name = nameOf({ type: "object", alias: task.alias, bucket: storage.bucket, key });
    const reason = `an earlier run ended as it began and may have left an upload; see: pail uploads list ${shellWord(name)}`;
    run.emit({ type: "restarted", item, reason });
  }
  const head = resume?.record.left?.head;
  if (resume === undefined || !isHead(head)) return undefined;
  const { source } = resume;
  const same = head.state === source.state && head.size === source.size && !source.once;
  const samePlan =
    head.partSize === source.partSize &&
    head.headers === source.headers &&
    head.algorithm === (task.integrity.algorithm ?? null);
  if (same && samePlan) {
    try {
      return { upload: head, parts: await goodParts(task, head, source) };
    } catch (error) {
      if (codeOf(error) !== "NoSuchUpload") throw error;
      run.emit({ type: "restarted", item, reason: "the unfinished upload is gone" });
      return undefined;
    }
  }
  await storage.abortUpload(key, head.uploadId, { signal: run.signal });
  const reason = same
    ? "part size, checksum or headers differ from last time"
    : source.once
      ? "a stream cannot be read again"
      : "the source has changed";
  run.emit({ type: "restarted", item, reason });
  return undefined;
}

function isHead(value: unknown): value is Head {
  if (typeof value !== "object" || value === null) return false;
  const head = value as Partial<Record<keyof Head, unknown>>;
  return (
    typeof head.uploadId === "string" &&
    typeof head.state === "string" &&
    typeof head.size === "number" &&
    typeof head.partSize === "number" &&
    typeof head.headers === "string"
  );
}

async function goodParts(
  { storage, key, run }: MultipartTask,
  { uploadId, algorithm }: UploadRecord,
  source: ResumeSource,
): Promise<Map<number, SentPart>> {
  const good = new Map<number, SentPart>();
  const count = partCount(source.size, source.partSize);
  for await (const page of storage.listParts(key, uploadId, { signal: run.signal })) {
    for (const part of page) {
      const range = partRange(part.partNumber, source.partSize, source.size);
      if (part.partNumber > count || part.size !== range.end - range.start) continue;
      const digest = await digestOf(part, algorithm, source);
      if (digest === "different") continue;
      good.set(part.partNumber, {
        partNumber: part.partNumber,
        etag: part.etag,
        size: part.size,
        digest,
        checksum:
          algorithm === null || digest === undefined
            ? undefined
            : { algorithm, value: digest.toString("base64") },
      });
    }
  }
  return good;
}

/** The raw checksum of a part that is there, computed from the source where it can be read. */
async function digestOf(
  part: PartEntry,
  algorithm: ChecksumAlgorithm | null,
  source: ResumeSource,
): Promise<Buffer | "different" | undefined> {
  if (algorithm === null) return (await hasOtherMd5(part, source)) ? "different" : undefined;
  const stored = part.checksums[algorithm];
  if (source.read === undefined) {
    return stored === undefined ? undefined : Buffer.from(stored, "base64");
  }
  const payload = await source.read(part.partNumber);
  try {
    const { checksum } =
      payload.bytes === undefined
        ? await digestPayload(payload, { algorithm, sha256: false })
        : { checksum: checksumOf(algorithm, payload.bytes) };
    const differs = stored !== undefined && checksum?.toString("base64") !== stored;
    return differs ? "different" : checksum;
  } finally {
    payload.release();
  }
}

/** Without a checksum a part's ETag says what is in it, where it is an MD5. */
async function hasOtherMd5(part: PartEntry, { read }: ResumeSource): Promise<boolean> {
  if (read === undefined || !/^[0-9a-f]{32}$/.test(part.etag)) return false;
  const payload = await read(part.partNumber);
  try {
    const digest = createMd5();
    for await (const chunk of payload.open()) digest.update(chunk);
    return digest.digest().toString("hex") !== part.etag;
  } finally {
    payload.release();
  }
}
