/** Failures as results a model can act on. The text is complete: clients drop the rest. */
import { type AppError, isAppError } from "../core/failures/errors.js";
import { toAppError } from "../core/failures/map.js";
import type { Redact } from "./redact.js";
import { oneLine } from "./text.js";

// A type and not an interface: the SDK's result type has an index signature.
export type ErrorResult = {
  isError: true;
  content: { type: "text"; text: string }[];
  structuredContent: { error: { code: string; kind: string; message: string; hint?: string } };
};

/** Characters of a message; what services echo can be as long as what they were sent. */
const LONGEST = 4000;

/** What to try with the tools, where the core, which does not know them, has a command or nothing. */
const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: "find the bucket with list_buckets",
  BucketNotEmpty: "see what is in it with list_objects and list_versions",
  NoSuchKey: "find the key with list_objects or search_objects",
  NoSuchVersion: "find the version with list_versions",
  PreconditionFailed: "the object exists or has changed: look at it with stat_object",
  AccessDenied: "these credentials do not permit it: ask the person for others",
  ENOENT: "check the path; relative ones start at the server's working directory",
};

/** `NoSuchKey: what failed`, then what to try. */
export function errorResult(error: unknown, redact: Redact): ErrorResult {
  const { code, kind, message, ...rest }: AppError = isAppError(error) ? error : toAppError(error);
  // A shell command is no help to an agent that has tools; every other hint knows more than these.
  const known = rest.hint?.startsWith("pail ") === true ? undefined : rest.hint;
  const hint = known ?? HINTS[code] ?? rest.hint;
  const clean = (text: string) => oneLine(redact(text)).slice(0, LONGEST);
  const lines = [`${code}: ${clean(message)}`];
  if (hint !== undefined) lines.push(`Try: ${clean(hint)}`);
  return {
    isError: true,
    content: [{ type: "text", text: lines.join("\n") }],
    structuredContent: {
      error: {
        code,
        kind,
        message: clean(message),
        ...(hint === undefined ? {} : { hint: clean(hint) }),
      },
    },
  };
}
