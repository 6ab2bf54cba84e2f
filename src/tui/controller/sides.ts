/** The request of a sync, from what was typed. */
import type { Context } from "../../context.js";
import { isPath, splitRemote } from "../../core/location.js";
import type { Side } from "../../core/sync/sides.js";

/** A place as a side of a sync. */
export async function sideAt(context: Context, address: string): Promise<Side> {
  if (isPath(address)) return { type: "path", path: address };
  const [alias, bucket, key] = splitRemote(address);
  return { type: "bucket", alias, storage: await context.bucket(alias, bucket), key };
}

/** The two places to compare, and whether names that only the target has are removed. */
export function choiceOf(remove: boolean) {
  return { compare: "auto", update: false, keepDiffering: false, remove } as const;
}
