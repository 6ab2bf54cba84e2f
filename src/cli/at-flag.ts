/** `--at`: a versioned bucket as it was. */

import { valueFlag } from "./args.js";
import type { Context } from "../context.js";
import { bucketAt } from "../core/storage/at.js";
import { parseMoment } from "../text/units.js";

export const atFlag = {
  at: valueFlag("A versioned bucket as it was then: 2h, 2025-11-01, 2025-11-01T12:00:00Z.", "TIME"),
};

/** The context whose buckets are as they were; the same one without a time. */
export function contextAt(context: Context, text: string | undefined): Context {
  if (text === undefined) return context;
  const moment = parseMoment(text);
  return {
    ...context,
    bucket: async (alias, bucket) => bucketAt(await context.bucket(alias, bucket), moment),
  };
}
