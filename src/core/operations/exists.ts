/** Whether an object is there. */
import { isAppError } from "../failures/errors.js";
import type { BucketStorage } from "../storage/s3-types.js";
import type { ObjectInfo } from "../storage/storage.js";

/**
 * The object under a key, or a version of it; undefined when there is none. Throws when that cannot
 * be found out.
 */
export async function statOrUndefined(
  storage: BucketStorage,
  key: string,
  signal?: AbortSignal,
  versionId?: string,
): Promise<ObjectInfo | undefined> {
  try {
    return await storage.stat(key, { signal, versionId });
  } catch (error) {
    const gone = ["NoSuchKey", "NoSuchVersion"];
    if (isAppError(error) && gone.includes(error.code)) return undefined;
    throw error;
  }
}

/** Likewise, but undefined also for those who may write and not read: they cannot be told. */
export async function statOrNothing(
  storage: BucketStorage,
  key: string,
  signal: AbortSignal,
): Promise<ObjectInfo | undefined> {
  try {
    return await statOrUndefined(storage, key, signal);
  } catch (error) {
    if (isAppError(error) && error.kind === "denied") return undefined;
    throw error;
  }
}
