/** Failures as results a model can act on. The text is complete: clients drop the rest. */
import { type AppError, type ErrorKind, isAppError } from "../core/failures/errors.js";
import { toAppError } from "../core/failures/map.js";
import type { Redact } from "./redact.js";
import { oneLine } from "./text.js";

// A type and not an interface: the SDK's result type has an index signature.
export type ErrorResult = {
  isError: true;
  content: { type: "text"; text: string }[];
  structuredContent: { error: { code: string; kind: string; message: string; hint: string } };
};

/** Characters of a message; what services echo can be as long as what they were sent. */
const LONGEST = 4000;

/**
 * Hints that name the tools, where the core, which does not know them, has a command or no hint.
 */
const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: "find the bucket with list_buckets",
  BucketNotEmpty:
    "see what is in it with list_objects and list_versions; delete versions with delete_objects; a person ends unfinished uploads with pail uploads abort",
  NoSuchKey: "find the key with list_objects or search_objects",
  NoSuchVersion: "find the version with list_versions",
  DeleteMarker: "bring the object back with undelete_object; see list_versions",
  PreconditionFailed: "it has changed: look at it again with stat_object",
  AccessDenied: "these credentials do not permit it: ask the person for others",
  BadRequest: "check bucket_name and the key: some services refuse names others take",
  ENOENT: "check the path; relative ones start at the server's working directory",
  MissingCredentials: "ask the person to give this server credentials",
  ECONNREFUSED: "nothing answers there: ask the person whether the service runs",
  ENOTFOUND: "there is no such host: ask the person to check the endpoint",
};

const BY_KIND: Readonly<Record<ErrorKind, string>> = {
  bug: "try another way; the server's log says more",
  usage: "correct the arguments",
  "not-found": "check the name",
  denied: "ask the person",
  conflict: "look at what is there, then decide again",
  unavailable: "try again in a moment; if it goes on, ask the person to look at the service",
  partial: "try again for those that failed",
  interrupted: "call again when it is wanted",
};

/** `NoSuchKey: what failed`, then what to try. */
export function errorResult(error: unknown, redact: Redact): ErrorResult {
  const {
    code,
    kind,
    message,
    hint: given,
  }: AppError = isAppError(error) ? error : toAppError(error);
  const hint = hintFor(code, kind, given);
  const clean = (text: string) => oneLine(redact(text)).slice(0, LONGEST);
  return {
    isError: true,
    content: [{ type: "text", text: `${code}: ${clean(message)}\nTry: ${clean(hint)}` }],
    structuredContent: { error: { code, kind, message: clean(message), hint: clean(hint) } },
  };
}

/** A shell command is no help to an agent that has tools; every other hint knows more than these. */
export function hintFor(code: string, kind: ErrorKind, given: string | undefined): string {
  const command =
    given !== undefined &&
    /^(?:pail|export|aws|see: pail|if that is the service: pail) ?/.test(given);
  return (command ? undefined : given) ?? HINTS[code] ?? BY_KIND[kind];
}
