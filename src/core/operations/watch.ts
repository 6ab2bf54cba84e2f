/**
 * Keeping a target like its source: a sync, and another whenever something may have changed. The
 * guards of a sync hold for each of them: a source that vanishes, is emptied or is mounted over
 * removes nothing. A pass that fails is tried again, later each time.
 */
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import type { AppError } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import type { Filter } from "../filter.js";
import { type Changes, watchTree } from "../sync/changes.js";
import type { Side } from "../sync/sides.js";

export interface WatchRequest {
  readonly source: Side;
  readonly filter?: Filter | undefined;
  /** Milliseconds between two looks at what tells of no changes, and before the first retry. */
  readonly interval: number;
  readonly signal: AbortSignal;
  /** One sync; `device` is what the source directory must still be on for anything to be removed. */
  readonly pass: (device: number | undefined) => Promise<void>;
  /** It is told what the watch waits for, whenever that changes. */
  readonly onWaiting: (waiting: Waiting) => void;
}

/** A change that is told of, the next look, or the retry of a pass that failed. */
export type Waiting =
  | { readonly for: "changes" }
  | { readonly for: "look"; readonly milliseconds: number }
  | { readonly for: "retry"; readonly milliseconds: number; readonly error: AppError };

/** A change seldom comes alone: a pass begins when none has come for so long, or after a while. */
const QUIET_MS = 250;
const PATIENCE_MS = 5_000;
const LONGEST_MS = 60_000;
/** Even where changes are reported, a look every so many milliseconds finds those that were not. */
const SAFETY_MS = 300_000;

/**
 * Runs until the signal fires. Resolves then, while waiting, with why the last pass failed, if it
 * did; rejects when a pass is interrupted, when the first fails, or for a usage error or a bug.
 */
export async function watchSync(request: WatchRequest): Promise<AppError | undefined> {
  const { source, filter, interval, signal, pass, onWaiting } = request;
  const root = source.type === "path" ? source.path : undefined;
  const device = root === undefined ? undefined : statSync(root, { throwIfNoEntry: false })?.dev;
  let tree: Changes | undefined;
  let changed = false;
  let wake = () => {};
  const told = () => {
    changed = true;
    wake();
  };
  let said = "";
  const say = (waiting: Waiting) => {
    if (waiting.for !== "retry" && said === waiting.for) return;
    said = waiting.for;
    onWaiting(waiting);
  };
  /** Whether there was a change before the time was over; false too when the signal fired. */
  const change = async (milliseconds: number): Promise<boolean> => {
    if (changed || signal.aborted) return changed;
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const either = AbortSignal.any([signal, timer.signal]);
    await Promise.race([delay(milliseconds, undefined, { signal: either }).catch(noop), woken]);
    timer.abort();
    return changed;
  };

  let failures = 0;
  let error: AppError | undefined;
  try {
    for (let first = true; ; first = false) {
      // A file that changes while it is compared is compared again.
      if (root !== undefined && (error !== undefined || tree?.isStale() !== false)) {
        tree?.close();
        tree = watchTree(root, filter, told);
      }
      changed = false;
      error = undefined;
      try {
        await pass(device);
        failures = 0;
      } catch (thrown) {
        error = toAppError(thrown);
        const ends = ["usage", "bug", "interrupted"].includes(error.kind);
        if (ends || (first && error.kind !== "partial" && error.kind !== "conflict")) throw error;
        failures += 1;
      }
      if (signal.aborted) return error;
      if (error !== undefined) {
        const milliseconds = Math.min(interval * 2 ** (failures - 1), LONGEST_MS);
        say({ for: "retry", milliseconds, error });
        await delay(milliseconds, undefined, { signal }).catch(noop);
      } else if (tree?.isComplete() === true) {
        say({ for: "changes" });
        await change(SAFETY_MS);
      } else {
        say({ for: "look", milliseconds: interval });
        await change(interval);
      }
      if (signal.aborted) return error;
      const patience = Date.now() + PATIENCE_MS;
      while (changed && !signal.aborted && Date.now() < patience) {
        changed = false;
        await change(QUIET_MS);
      }
      if (signal.aborted) return error;
    }
  } finally {
    tree?.close();
  }
}

function noop(): void {
  // The signal fired; the waiting code looks at it.
}
