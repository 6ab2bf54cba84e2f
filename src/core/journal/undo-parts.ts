/** Putting back local files and tags. */
import { createHash } from "node:crypto";
import { lstatSync, unlinkSync } from "node:fs";
import { copyFile, open } from "node:fs/promises";

import { type AppError, conflictError } from "../failures/errors.js";
import { fileState } from "../local/attributes.js";
import { commit, temporaryName } from "../local/target.js";
import type { BucketService, BucketStorage } from "../storage/s3-types.js";
import type { After, Recorded } from "./types.js";

/** The way from a change to where it was made. */
export interface Places {
  bucket(change: Recorded): Promise<BucketStorage>;
  service(change: Recorded): Promise<BucketService>;
}

/** Puts the tags of an object, a version or a bucket back. */
export async function undoTags(change: Recorded, places: Places): Promise<After> {
  const { after, before, bucket, key, versionId } = change;
  if (before.type !== "tags") throw left("NotUndoable", "nothing was kept");
  const version = { versionId };
  const [now, set] =
    key === ""
      ? await places
          .service(change)
          .then(
            async (service) =>
              [await service.getTags(bucket), () => service.setTags(bucket, before.tags)] as const,
          )
      : await places
          .bucket(change)
          .then(
            async (storage) =>
              [
                await storage.getTags(key, version),
                () => storage.setTags(key, before.tags, version),
              ] as const,
          );
  const isSame = (tags: Readonly<Record<string, string>>) =>
    Object.keys(tags).length === Object.keys(now).length &&
    Object.entries(tags).every(([name, value]) => now[name] === value);
  if (!isSame(before.tags)) {
    if (after?.type !== "tags" || !isSame(after.tags)) {
      throw left("Drifted", "its tags have been changed since");
    }
    await set();
  }
  return { type: "tags", tags: before.tags };
}

/** Puts a local file back, or takes away one that was new. */
export async function undoFile({ key: path, before, after }: Recorded): Promise<After> {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  const now = await sha256Of(path);
  if (after?.type !== "file" || now !== after.sha256 || seen === undefined) {
    throw left("Drifted", "the file has been changed since");
  }
  if (before.type === "absent") {
    // Reading it took a while; as at a move, only two calls of the system are left between.
    if (fileState(lstatSync(path)) !== fileState(seen)) {
      throw left("Drifted", "the file has been changed since");
    }
    unlinkSync(path);
    return { type: "absent" };
  }
  if (before.type !== "kept") throw left("NotUndoable", "nothing was kept");
  const temporary = temporaryName(path);
  await copyFile(before.file, temporary);
  commit(temporary, path, false, undefined, fileState(seen));
  return { type: "file", sha256: (await sha256Of(path)) ?? "" };
}

/** The hex SHA-256 of a file; undefined when there is none. */
export async function sha256Of(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of file.createReadStream()) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** The error of a change that is left as it is. */
export function left(code: "Drifted" | "NotUndoable", reason: string): AppError {
  return conflictError(
    code,
    `left as it is: ${reason}`,
    code === "Drifted" ? "look at what is there now, and decide" : "restore it from elsewhere",
  );
}
