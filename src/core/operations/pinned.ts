/** The removal of exactly one known state of an object. */
import { AppError, drifted, isAppError } from "../failures/errors.js";
import { type Ref, nameOf } from "../ref.js";
import type { BucketStorage } from "../storage/s3-types.js";

/** Removes an object that still has this ETag; one that is gone already is a success. */
export async function removeObject(
  storage: BucketStorage,
  ref: Extract<Ref, { type: "object" | "file" }>,
  { etag }: { readonly etag?: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (ref.type === "file") return;
  try {
    const now = await storage.stat(ref.key, { signal });
    if (etag === undefined || now.etag !== etag) throw drifted(nameOf(ref));
  } catch (error) {
    if (isAppError(error) && error.code === "NoSuchKey") return;
    throw error;
  }
  const [result] = await storage.remove([{ key: ref.key }], { signal });
  if (result?.error === undefined) return;
  const { code, message } = result.error;
  const kind = code === "AccessDenied" ? "denied" : "conflict";
  throw new AppError({ kind, code, message: `cannot remove ${nameOf(ref)}: ${message}` });
}
