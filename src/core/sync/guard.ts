/** When what only the target has may be removed. Pure. */
import { AppError, type ErrorKind } from "../failures/errors.js";

/** How much may be removed at once: a number of objects, or a share of what the target has. */
export type DeleteLimit = { readonly items: number } | { readonly percent: number };

export interface DeletionState {
  /** The number of things that would be removed. */
  readonly extra: number;
  /** The number of things in the listing of the target. */
  readonly targetItems: number;
  readonly sourceItems: number;
  /** The number of things that could not be read, on either side. */
  readonly unread: number;
  /** Copies that failed, or were left out because they would have. */
  readonly failed: number;
  readonly limit: DeleteLimit | undefined;
  readonly allowEmptySource: boolean;
  /** The source directory is on another device than it was. */
  readonly remounted?: boolean | undefined;
  /** Into how many shards the sync is split: together they may not remove more than it would. */
  readonly shards?: number | undefined;
}

/** Without a limit, more than half of the target may go only when it is at most this many objects. */
const FEW = 100;

/**
 * Why nothing is to be removed, as an error of kind `conflict` (`partial` when all there is to it is
 * that copies failed); undefined when it may be.
 */
export function withheld(state: DeletionState): AppError | undefined {
  const { extra, targetItems, sourceItems, unread, failed, limit, allowEmptySource } = state;
  const few = FEW / (state.shards ?? 1);
  if (extra === 0) return undefined;
  const objects = `${extra.toLocaleString("en-US")} ${extra === 1 ? "object" : "objects"}`;
  const error = (why: string, hint: string, kind: ErrorKind = "conflict") =>
    new AppError({
      kind,
      code: "DeletionWithheld",
      message: `${objects} only the target has ${extra === 1 ? "was" : "were"} not removed: ${why}`,
      hint,
      details: { extra, targetItems, sourceItems, unread, failed },
    });
  if (unread > 0) {
    const many = unread === 1 ? "one thing" : `${unread} things`;
    return error(
      `${many} could not be read`,
      "make them readable, or --exclude them; then run it again",
    );
  }
  if (state.remounted === true) {
    return error(
      "another file system is mounted at the source now",
      "is it the right one? then start the command again",
    );
  }
  if (sourceItems === 0 && !allowEmptySource) {
    return error(
      "the source is empty",
      "is it mounted, and the right one? --allow-empty-source empties the target",
    );
  }
  if (failed > 0) {
    const many = failed === 1 ? "one copy" : `${failed} copies`;
    return error(`${many} failed`, "run it again once nothing fails", "partial");
  }
  if (limit === undefined && extra > few && extra * 2 > targetItems) {
    const share = Math.floor((extra / targetItems) * 100);
    return error(
      `that is ${share}% of what the target has`,
      "is the source the right one? --delete-limit 100% removes any number",
    );
  }
  const most =
    limit === undefined
      ? Infinity
      : "items" in limit
        ? limit.items
        : (targetItems * limit.percent) / 100;
  if (extra > most) {
    const allowed =
      limit !== undefined && "items" in limit ? String(limit.items) : `${limit?.percent}%`;
    return error(`--delete-limit allows ${allowed}`, "give a higher limit to remove them");
  }
  return undefined;
}

/** Reads a limit as a person gives it: `100`, or `10%`. Undefined for anything else. */
export function parseDeleteLimit(text: string): DeleteLimit | undefined {
  const [, digits, percent] = /^(\d{1,12})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (percent === "%") return number <= 100 ? { percent: number } : undefined;
  return { items: number };
}
