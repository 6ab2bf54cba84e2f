/** Failures of the network, of TLS and of files, as Node reports them. */
import { factsOf } from "./codes.js";
import { AppError, type ErrorKind } from "./errors.js";

/** The AppError for an error with a system code; undefined for any other. */
export function systemError(error: Error, prefix: string): AppError | undefined {
  const found = codedCause(error);
  if (found === undefined) return undefined;
  const { code, path } = found;
  const make = (kind: ErrorKind, text: string, hint?: string) =>
    new AppError({ kind, code, message: `${prefix}${text}`, hint, cause: error });

  if (/^(?:EPROTO|ERR_SSL_|ERR_TLS_(?!CERT))/.test(code)) {
    const hint = "the server may speak another protocol on this port, or too old a version of TLS";
    return make("unavailable", `TLS could not be agreed on (${code})`, hint);
  }
  if (code === "EPROXY") return make("unavailable", error.message);
  if (code.startsWith("HPE_")) return make("unavailable", `the answer is not HTTP (${code})`);
  const facts = factsOf(code);
  // An argument that a call of Node refuses is a bug, unless it was a file's name.
  const isBug = code === "EINVAL" && path === undefined;
  if (facts?.words === undefined || facts.origin === "service" || isBug) return undefined;
  const { kind, origin, words, hint } = facts;
  if (origin === "network") return make(kind, `${words} (${code})`, hint);
  // A file's error names the file.
  const named = path === undefined || prefix.includes(path) ? "" : `${path}: `;
  return make(kind, named + words, hint);
}

/** Node tries several addresses and throws an AggregateError; the first failure tells most. */
export function codedCause(error: unknown): { code: string; path?: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return { code, ...(typeof path === "string" ? { path } : {}) };
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return codedCause(inner);
}
