/**
 * Whether two places are in the same bucket, whatever their aliases are called. Names and addresses
 * prove nothing: one service has many addresses, keys and gateways. So the services are asked.
 *
 * The probe begins a multipart upload under a name nobody can guess and looks for it through the
 * other place. An upload is not an object: it changes nothing that is stored, triggers nothing, and
 * is gone when it is aborted. Two places that both show it are one bucket. If it is not seen, that
 * counts only if the service lists it where it was begun, both ways, because some services list no
 * uploads.
 */
import { randomUUID } from "node:crypto";

import { isAppError } from "../failures/errors.js";
import type { BucketStorage } from "../storage/s3-types.js";

/** `unknown`: the services do not show it, or may not be asked. */
export type Identity = "same" | "different" | "unknown";

const CLEAN_UP_MS = 10_000;

/**
 * Decides about two buckets. Throws only when interrupted, or when a bucket is not there or cannot be
 * reached.
 */
export async function sameBucket(
  one: BucketStorage,
  other: BucketStorage,
  signal: AbortSignal,
): Promise<Identity> {
  if (one.client === other.client) {
    if (one.bucket === other.bucket) return "same";
    // On one service a name is one bucket, but for access points, which are other names of one.
    if (![one, other].some(({ bucket }) => isAccessPoint(bucket))) return "different";
  }
  const there = await seenThrough(one, other, signal);
  if (there === "same") return "same";
  const back = await seenThrough(other, one, signal);
  if (back === "same") return "same";
  return there === "different" && back === "different" ? "different" : "unknown";
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-points-naming.html */
function isAccessPoint(bucket: string): boolean {
  return bucket.startsWith("arn:") || /-s3alias$|\.mrap$|--op-s3$|--ol-s3$/.test(bucket);
}

/** Begins an upload in one bucket and looks for it in another; `same` is certain, the rest is not. */
export async function seenThrough(
  here: BucketStorage,
  there: BucketStorage,
  signal: AbortSignal,
): Promise<Identity> {
  const key = `.pail-probe-${randomUUID()}`;
  try {
    const uploadId = await here.createUpload(key);
    try {
      if (!(await lists(here, key, signal))) return "unknown";
      return (await lists(there, key, signal)) ? "same" : "different";
    } finally {
      // Not the caller's signal: whatever ends the question, nothing may stay behind.
      await here.abortUpload(key, uploadId, { signal: AbortSignal.timeout(CLEAN_UP_MS) });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // A place that cannot be reached cannot be copied from either; its own error says more than "unknown".
    const ends = (kind: string) => kind === "interrupted" || kind === "unavailable";
    if (!isAppError(error) || ends(error.kind) || error.code === "NoSuchBucket") throw error;
    return "unknown";
  }
}

async function lists(storage: BucketStorage, key: string, signal: AbortSignal): Promise<boolean> {
  for await (const page of storage.listUploads({ prefix: key, signal })) {
    if (page.some((upload) => upload.key === key)) return true;
  }
  return false;
}
