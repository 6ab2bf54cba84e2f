/** Whether an object is there. */
import { isAppError } from "../failures/errors.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo } from "../storage/storage.js";

/**
 * What has a key, or nothing. Nothing also for those who may write but not read: they cannot be
 * told. Throws when the bucket is missing or the service does not answer.
 */
export async function statOrNothing(
  storage: BucketStorage,
  key: string,
  signal: AbortSignal,
): Promise<ObjectInfo | undefined> {
  try {
    return await storage.stat(key, { signal });
  } catch (error) {
    const unknown = isAppError(error) && ["not-found", "denied"].includes(error.kind);
    if (unknown && error.code !== "NoSuchBucket") return undefined;
    throw error;
  }
}
