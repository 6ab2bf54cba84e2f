/** Failures of the local disk in our words. */
import { factsOf } from "./codes.js";
import { AppError, isAppError } from "./errors.js";

/** Turns what a call of node:fs threw into an AppError about `path`; `doing` is `read` or `write`. */
export function localError(error: unknown, doing: string, path: string): AppError {
  if (isAppError(error)) return error;
  const code = codeOf(error);
  const facts = factsOf(code);
  const words = facts?.words ?? (error instanceof Error ? error.message : String(error));
  return new AppError({
    kind: facts?.kind ?? "bug",
    code: code === "" ? "LocalFailure" : code,
    message: `cannot ${doing} ${path}: ${words}`,
    hint: facts?.hint,
    cause: error,
  });
}

/** Node's code of a system error; empty when there is none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
