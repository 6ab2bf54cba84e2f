/** Keeping what a change is going to replace or remove. */
import { type FileHandle, open, rm } from "node:fs/promises";

import { isAppError, unavailableError } from "../failures/errors.js";
import { writeAll } from "../local/target.js";
import type { BucketStorage } from "../storage/s3-types.js";
import { headersOf, ownEncryption } from "../storage/object-headers.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { Journal } from "./file.js";
import type { Before } from "./types.js";

/** Whether the bucket itself keeps an object when another takes its key, or it is removed. */
export function isVersioned({ versionId }: { readonly versionId?: string | undefined }): boolean {
  // The version `null` is replaced where versioning is suspended.
  return versionId !== undefined && versionId !== "null";
}

/** Bytes that would have to be copied to keep an object. */
export function keepingCosts(info: Pick<ObjectInfo, "size" | "versionId">): number {
  return isVersioned(info) ? 0 : info.size;
}

/**
 * Sees to it that an object can be put back: by its version, or by a copy within the budget. The
 * copy is of exactly the object that was seen: one that changed meanwhile ends in
 * PreconditionFailed. Without room, or for what cannot be read, it is `lost`.
 */
export async function keepObject(
  journal: Journal,
  storage: BucketStorage,
  seen: ObjectInfo,
  { versionId, signal }: { versionId?: string | undefined; signal: AbortSignal },
): Promise<Before> {
  if (versionId === undefined && isVersioned(seen)) {
    return { type: "version", versionId: seen.versionId!, etag: seen.etag };
  }
  if (!journal.reserve(seen.size)) {
    return {
      type: "lost",
      reason: `its ${seen.size} bytes are more than the undo budget has left`,
    };
  }
  const version = { versionId };
  try {
    const file = journal.keptFile();
    const { body } = await storage.read(seen.key, { ...version, ifMatch: seen.etag, signal });
    await writeCopy(file, body, seen.size);
    const tags = await storage.getTags(seen.key, version).catch(noTags);
    const { size, etag } = seen;
    const [headers, encryption] = [headersOf(seen), ownEncryption(seen)];
    return { type: "kept", file, size, etag, headers, encryption, tags };
  } catch (error) {
    journal.reserve(-seen.size);
    if (isAppError(error) && error.kind === "denied") {
      return { type: "lost", reason: `it could not be read (${error.code})` };
    }
    throw error;
  }
}

async function writeCopy(path: string, body: AsyncIterable<Uint8Array>, size: number) {
  const file: FileHandle = await open(path, "wx", 0o600);
  let written = 0;
  try {
    for await (const chunk of body) {
      await writeAll(file, chunk, written);
      written += chunk.length;
      if (written > size) break;
    }
  } finally {
    await file.close();
    if (written !== size) await rm(path, { force: true });
  }
  if (written === size) return;
  throw unavailableError(
    "IncompleteBody",
    `kept ${written} bytes of ${size}: nothing was changed`,
    "try again",
  );
}

/** Services without tags, and credentials that may not ask, have none to keep. */
export function noTags(error: unknown): Record<string, string> {
  if (isAppError(error) && (error.kind === "denied" || error.code === "NotImplemented")) return {};
  throw error;
}
