/** The store's refusals and the disk's, in S3's words. */
import { isErrno } from "../../system/files.js";
import { StoreError, StoreFailure } from "../errors.js";

/** The bucket was never made, or was removed. */
export const noSuchBucket = (bucket: string): StoreError =>
  new StoreError("NoSuchBucket", 404, `The bucket ${bucket} does not exist.`, {
    BucketName: bucket,
  });

/** No current version: never written, or a delete marker. */
export const noSuchKey = (key: string): StoreError =>
  new StoreError("NoSuchKey", 404, "The specified key does not exist.", { Key: key });

/** The key has no version of that id. */
export const noSuchVersion = (key: string, versionId: string): StoreError =>
  new StoreError("NoSuchVersion", 404, "The specified version does not exist.", {
    Key: key,
    VersionId: versionId,
  });

/** The record of the key cannot be read; `serve check` finds such keys. */
export const damagedRecord = (key: string): StoreError =>
  new StoreError(
    "InternalError",
    500,
    "The record of this key is damaged. Write the object again, or delete it.",
    { Key: key },
  );

/** Never begun, of another key, completed or aborted. */
export const noSuchUpload = (uploadId: string): StoreError =>
  new StoreError(
    "NoSuchUpload",
    404,
    "The upload does not exist. It may have been completed or aborted.",
    { UploadId: uploadId },
  );

/** A condition of the request did not hold at the moment of commit. */
export const preconditionFailed = (condition: string): StoreError =>
  new StoreError("PreconditionFailed", 412, "A precondition of the request did not hold.", {
    Condition: condition,
  });

/** A failed system call as the error a client can understand; anything else as it is. */
export function asStoreError(error: unknown): unknown {
  if (isErrno(error, "ENOSPC", "EDQUOT", "EFBIG")) {
    return new StoreError(
      "InsufficientStorage",
      507,
      "The disk of the store is full; nothing was stored.",
    );
  }
  const isLink = isErrno(error, "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EPERM");
  if (isLink && error.syscall === "link") {
    return new StoreError(
      "InternalError",
      500,
      "The store needs a file system with hard links; the one it is on refused to make one.",
    );
  }
  if (isErrno(error, "EACCES", "EPERM", "EROFS")) {
    return new StoreFailure(
      `The store may not use its own directory: ${error.syscall ?? "access"} ${error.path ?? ""}: ${error.code}.`,
    );
  }
  if (isErrno(error, "ENAMETOOLONG")) {
    // Linux has room for any key; a system with paths of 1024 bytes has not.
    return new StoreError(
      "KeyTooLongError",
      400,
      "The key makes a path that is too long for the file system of the store.",
    );
  }
  if (isErrno(error, "EMFILE", "ENFILE")) {
    return new StoreError("SlowDown", 503, "Too many files are open; try again.");
  }
  return error;
}
