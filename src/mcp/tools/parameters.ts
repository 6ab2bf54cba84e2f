/** Parameters that several tools share. Described only where the name is not enough. */
import { z } from "zod";

import { DEFAULT_PAGE, MAX_PAGE } from "../limits.js";

// A lone surrogate has no UTF-8 form, so no service could be asked for it.
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text that can be sent. */
export const text = z
  .string()
  .refine((value) => !LONE_SURROGATE.test(value), "is not valid Unicode");

/** Text of so many bytes at most, so that no answer about it is long either. */
function upTo(bytes: number) {
  return text.refine((value) => Buffer.byteLength(value) <= bytes, `is longer than ${bytes} bytes`);
}

/** The part of a key, or a value beside it: at most as long as S3 lets a key be. */
export const part = upTo(1024);

/** Text that names something: a bucket, a key. Exact, never trimmed or normalised. */
export const name = part.refine((value) => value !== "", "must not be empty");

/** A path on the local disk. */
export const localPath = upTo(4096);

export const versionId = name.optional();

/** Entries a page. */
export const maxKeys = z.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE);

export const cursor = upTo(4096).optional();

/** A whole number; zod's own would write its largest value into every schema. */
export function whole(least?: number) {
  const number = least === undefined ? z.number() : z.number().min(least);
  return number.refine(Number.isSafeInteger, "is not a whole number").meta({ type: "integer" });
}

/** Bytes. */
export const size = whole(0).optional();

const SINCE = /^(\d+)([smhdw])$/;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A date or a time, ISO 8601, read as UTC where no zone is given; or how long ago: `7d`. */
export const date = z
  .string()
  .refine(
    (value) =>
      SINCE.test(value) || (/^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))),
    { message: "is neither an ISO date nor a time ago such as 7d or 24h" },
  )
  .optional();

/** Milliseconds since the epoch for what `date` takes. */
export function timeOf(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ago = SINCE.exec(value);
  return ago === null ? Date.parse(value) : now - Number(ago[1]) * SECONDS[ago[2]!]! * 1000;
}

/** The token that a dry run, or a call that needed a yes, has given. */
export const confirm = upTo(1024).optional();

/** The parameters of every tool that writes many things at once. */
export const bulk = {
  if_exists: z.enum(["fail", "skip", "replace"]).default("fail"),
  dry_run: z.boolean().optional(),
  confirm,
  cursor,
};

/**
 * The choice for a name that an object has already; `replace` has to name the ETag that was seen.
 */
export const replacing = {
  if_exists: z.enum(["fail", "replace"]).optional(),
  if_match: name.optional(),
};
