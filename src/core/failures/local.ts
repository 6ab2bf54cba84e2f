/** Failures of the local disk in our words. */
import { AppError, type ErrorKind, isAppError } from "./errors.js";

const KINDS: Readonly<Record<string, readonly [ErrorKind, string]>> = {
  ENOENT: ["not-found", "no such file or directory"],
  EACCES: ["denied", "permission denied"],
  EPERM: ["denied", "operation not permitted"],
  EROFS: ["denied", "read-only file system"],
  ENOSPC: ["unavailable", "no space left on the disk"],
  EDQUOT: ["unavailable", "disk quota exceeded"],
  EFBIG: ["unavailable", "file too large for the file system"],
  EIO: ["unavailable", "input/output error"],
  EMFILE: ["unavailable", "too many open files"],
  ENFILE: ["unavailable", "too many open files"],
  EISDIR: ["conflict", "is a directory"],
  ENOTDIR: ["conflict", "a part of the name is not a directory"],
  EEXIST: ["conflict", "exists already"],
  ENOTEMPTY: ["conflict", "is a directory"],
  ENAMETOOLONG: ["usage", "name too long for the file system"],
  EINVAL: ["usage", "not a legal name here"],
  ELOOP: ["usage", "too many levels of symbolic links"],
};

/** Turns what a call of node:fs threw into an AppError about `path`; `doing` is `read` or `write`. */
export function localError(error: unknown, doing: string, path: string): AppError {
  if (isAppError(error)) return error;
  const code = codeOf(error);
  const [kind, words] = KINDS[code] ?? [
    "bug",
    error instanceof Error ? error.message : String(error),
  ];
  return new AppError({
    kind,
    code: code === "" ? "LocalFailure" : code,
    message: `cannot ${doing} ${path}: ${words}`,
    cause: error,
  });
}

/** Node's code of a system error; empty when there is none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
