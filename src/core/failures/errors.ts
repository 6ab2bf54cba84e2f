/**
 * Every failure a face shows is an AppError. Its kind picks the exit code, its code keeps the
 * service's own word, its hint is a command that can be run. Core throws; faces render.
 */

export type ErrorKind =
  | "bug"
  | "usage"
  | "not-found"
  | "denied"
  | "conflict"
  | "unavailable"
  | "partial"
  | "interrupted";

/** Exit codes by kind; a search that finds nothing ends with that of `not-found`. */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = {
  bug: 1,
  usage: 2,
  "not-found": 3,
  denied: 4,
  conflict: 5,
  unavailable: 6,
  partial: 7,
  interrupted: 130,
};

export interface AppErrorInit {
  readonly kind: ErrorKind;
  /** Machine-readable word: S3's own (`NoSuchBucket`) or Node's (`ECONNREFUSED`) where there is one. */
  readonly code: string;
  /** Says which thing failed and how; a sentence without a final full stop. */
  readonly message: string;
  /** The way out, a runnable command where possible. */
  readonly hint?: string | undefined;
  /** Facts for `--json` and for tests. Never a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly cause?: unknown;
}

// Registered, so that an error is recognised even when two bundles each hold this module.
const BRAND = Symbol.for("pail.AppError");

export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, string | number | boolean>>;
  readonly [BRAND] = true;

  constructor(init: AppErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "AppError";
    this.kind = init.kind;
    this.code = init.code;
    this.hint = init.hint;
    this.details = init.details ?? {};
  }

  /** The process exit code for this kind of failure; listed in docs/exit-codes.md. */
  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** Whether a caught value is an AppError. */
export function isAppError(value: unknown): value is AppError {
  return value instanceof Error && BRAND in value;
}

type Make = (code: string, message: string, hint?: string) => AppError;

const maker =
  (kind: ErrorKind): Make =>
  (code, message, hint) =>
    new AppError({ kind, code, message, hint });

/** The errors of each kind, where code, message and hint say it all. */
export const usageError = maker("usage");
export const notFoundError = maker("not-found");
export const deniedError = maker("denied");
export const conflictError = maker("conflict");
export const unavailableError = maker("unavailable");
export const partialError = maker("partial");

/** The usage error for an argument that is wrong, or missing. */
export function invalidArgument(message: string, hint?: string): AppError {
  return usageError("InvalidArgument", message, hint);
}

/** The error for a thing that has changed since it was seen, and therefore stays as it is. */
export function drifted(name: string): AppError {
  return partialError(
    "Drifted",
    `${name} has changed meanwhile, and stays as it is`,
    "run it again to decide by what is there now",
  );
}

/** The error an aborted operation ends with. */
export function interrupted(): AppError {
  return new AppError({ kind: "interrupted", code: "Interrupted", message: "interrupted" });
}
