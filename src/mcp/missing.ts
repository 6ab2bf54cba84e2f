/**
 * Errors that tell what is missing: the object, the version, or only an object that a delete marker
 * hides.
 */
import { AppError, isAppError } from "../core/failures/errors.js";
import { versionsOf } from "../core/listing.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { ObjectInfo } from "../core/storage/storage.js";
import { orUnavailable } from "./unavailable.js";
import { keyText } from "./text.js";

/**
 * Looks at an object or a version of it. Services answer for a version that is not there, a key that
 * is not there and a key that was deleted alike; this finds out which it is. Throws NoSuchVersion,
 * DeleteMarker or NoSuchKey.
 */
export async function statOrTell(
  storage: BucketStorage,
  key: string,
  versionId: string | undefined,
  signal: AbortSignal,
): Promise<ObjectInfo> {
  try {
    return await storage.stat(key, { versionId, signal });
  } catch (error) {
    if (!isAppError(error)) throw error;
    const marker = error.code === "MethodNotAllowed" && versionId !== undefined;
    if (marker)
      throw say(error, "DeleteMarker", `${keyText(key)}: that version is a delete marker`);
    const missing = ["NoSuchKey", "NoSuchVersion"].includes(error.code);
    const wrong = versionId !== undefined && ["InvalidArgument", "BadRequest"].includes(error.code);
    if (!missing && !wrong) throw error;
    const newest = await orUnavailable(newestVersion(storage, key, signal));
    if (typeof newest === "string" || (newest === undefined && missing)) throw error;
    if (newest === undefined) throw say(error, "NoSuchKey", `there is no object ${keyText(key)}`);
    if (versionId !== undefined) {
      throw say(error, "NoSuchVersion", `${keyText(key)} has no version ${keyText(versionId)}`);
    }
    if (!newest.isDeleteMarker) throw error;
    throw say(error, "NoSuchKey", `${keyText(key)} was deleted; its versions are still there`, {
      hint: "read one by its version_id from list_versions, or bring it back with undelete_object",
    });
  }
}

async function newestVersion(storage: BucketStorage, key: string, signal: AbortSignal) {
  for await (const [newest] of versionsOf(storage, key, signal)) return newest;
  return undefined;
}

function say(cause: AppError, code: string, message: string, more: { hint?: string } = {}) {
  return new AppError({ kind: "not-found", code, message, cause, ...more });
}
