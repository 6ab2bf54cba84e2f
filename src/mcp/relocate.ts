/** Copies and moves of objects, one by one, each written down. */
import { isVersioned } from "../core/journal/keep.js";
import type { Pending } from "../core/journal/file.js";
import type { Before } from "../core/journal/types.js";
import { copy } from "../core/operations/copy.js";
import { move } from "../core/operations/move.js";
import type { ObjectEntry, ObjectInfo } from "../core/storage/storage.js";
import { type Target, type Write, begin, carryOut, hasDoneNothing } from "./change.js";
import type { Call } from "./tool.js";
import { type Written, placeOf, runCopy } from "./transfer.js";

export interface Relocation {
  readonly source: Target & { readonly versionId?: string | undefined };
  /** The source as it was seen: just that is copied. */
  readonly info: ObjectEntry;
  readonly target: Target;
  /** The object that is at the target and may be replaced. */
  readonly seen: ObjectInfo | undefined;
  readonly moves: boolean;
}

/**
 * Copies an object as it was seen over what was seen at its target; a move removes it once the copy
 * is proven. The copy is written down before the source goes, so that of a source that drifted
 * meanwhile the journal knows the copy.
 */
export async function relocate(
  call: Call,
  { source, info, target, seen, moves }: Relocation,
): Promise<Written & { readonly before: Before }> {
  let removal: Pending | undefined;
  let lost: readonly string[] | undefined;
  try {
    const write: Write = async (condition, onCopied) => {
      const written = await runCopy(
        call,
        { ...placeOf(call, source, source.versionId), etag: info.etag },
        placeOf(call, target),
        condition,
        {
          onCopied: async (copied) => {
            await onCopied(copied);
            if (!moves) return;
            removal = await begin(call, source, "remove", goneTo(call, info, target, copied.etag));
          },
        },
        moves ? move : copy,
      );
      ({ lost } = written);
      return written;
    };
    // A copy of an object in one piece has its ETag.
    const done = await carryOut(call, target, seen, write, info.etag);
    await removal?.done({ type: "absent" });
    return { ...done, lost };
  } catch (error) {
    if (hasDoneNothing(error)) await removal?.void();
    throw error;
  }
}

/** The place that a move's source can be put back from: its version, or where it went. */
function goneTo(
  call: Call,
  info: ObjectEntry,
  { alias = call.alias, bucket, key }: Target,
  etag: string | undefined,
): Before {
  if (isVersioned(info)) return { type: "version", versionId: info.versionId!, etag: info.etag };
  return { type: "moved", alias, bucket, key, endpoint: call.endpoint(alias), etag };
}
