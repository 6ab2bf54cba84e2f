/** The decision about a pair, as far as the two listings tell. Pure. */
import type { Stats } from "node:fs";

import { sameTime } from "../local/times.js";
import type { Reason } from "../engine/events.js";
import { isMd5, tellsContent } from "./etags.js";
import type { Listed, Pair } from "./pairs.js";

/**
 * How two things of one name are held against each other. `auto`: by the strongest evidence at
 * hand; `checksum`: by content alone; `time`: by size and modification time; `size`: by size.
 */
export type Compare = "auto" | "checksum" | "time" | "size";

export interface Choice {
  readonly compare: Compare;
  /** Copies nothing that is older than what the target has. */
  readonly update: boolean;
  /** Leaves what differs as it is: only what is missing is copied. */
  readonly keepDiffering: boolean;
  /** Takes what only the target has for extra. */
  readonly remove: boolean;
}

/**
 * `look`: sizes are equal and the listings do not tell. `kept`: differs, and is to stay. `read`: the
 * state of the file when, just now, its bytes showed that they are the same.
 */
export type Verdict =
  | { readonly do: "copy"; readonly reason: Reason }
  | { readonly do: "remove"; readonly reason: "extra" }
  | { readonly do: "nothing"; readonly why: "same"; readonly read?: Stats }
  | { readonly do: "nothing"; readonly why: "kept" | "extra" }
  | { readonly do: "look" };

const SAME: Verdict = { do: "nothing", why: "same" };
const KEPT: Verdict = { do: "nothing", why: "kept" };
const LOOK: Verdict = { do: "look" };

/**
 * Decides by what the listings say. `local` tells which side, if any, is a directory: its ETags
 * are not made of content. `known` says that both are as they were when they were last known to be
 * equal.
 */
export function decide(
  { source, target }: Pair,
  choice: Choice,
  local: "source" | "target" | undefined,
  known: boolean,
): Verdict {
  if (source === undefined) {
    return choice.remove ? { do: "remove", reason: "extra" } : { do: "nothing", why: "extra" };
  }
  if (target === undefined) return { do: "copy", reason: "new" };
  if (source.size !== target.size) return differing("size", source, target, choice);
  if (choice.compare === "size" || source.size === 0) return SAME;
  if (known && choice.compare !== "checksum") return SAME;
  if (choice.compare === "time") return LOOK;
  if (local === undefined && tellsContent(source.etag) && source.etag === target.etag) return SAME;
  return LOOK;
}

/** The verdict on two things that are known to differ. */
export function differing(
  reason: Reason,
  source: Listed,
  target: Listed,
  { update, keepDiffering }: Choice,
): Verdict {
  if (keepDiffering) return KEPT;
  if (update && (target.modified ?? 0) > (source.modified ?? 0)) return KEPT;
  return { do: "copy", reason };
}

/** The facts that a HEAD, or a look at the file, tells of one side. */
export interface Seen {
  /** Milliseconds: the time the object was stored with, or the file's; undefined when unknown. */
  readonly mtime: number | undefined;
  readonly etag: string | undefined;
  /** Whether the ETag of the object may be an MD5: it is not, with a customer's key. */
  readonly plain: boolean;
}

/**
 * Compares by what was seen beyond the listings, when checksums of the content did not tell: MD5s
 * that differ do tell; otherwise the times have to.
 */
export function decideSeen(source: Seen, target: Seen, compare: Compare): "same" | Reason {
  const bothMd5 = source.plain && target.plain && isMd5(source.etag) && isMd5(target.etag);
  if (compare !== "time" && bothMd5) return source.etag === target.etag ? "same" : "checksum";
  if (compare === "checksum") return "checksum";
  const { mtime } = source;
  if (mtime === undefined || target.mtime === undefined) return "time";
  return sameTime(mtime, target.mtime) ? "same" : "time";
}
