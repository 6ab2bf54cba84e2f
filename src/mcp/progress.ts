/** Progress notifications: as often as is useful, and always further than the last. */
import type { ProgressSnapshot, TransferListener } from "../core/engine/events.js";

export interface ProgressNote {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const INTERVAL_MS = 250;

/** Sends at most four notes a second, each with more progress than the one before. */
export function createReporter(
  send: (note: ProgressNote) => void,
  now: () => number,
): (done: number, total?: number, message?: string) => void {
  let last = 0;
  let due = 0;
  return (done, total, message) => {
    const at = now();
    if (done <= last || (at < due && done !== total)) return;
    last = done;
    due = at + INTERVAL_MS;
    send({
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
  };
}

/** A listener that reports a transfer's bytes or, where nothing is moved, its items. */
export function reportTransfer(
  report: (done: number, total?: number, message?: string) => void,
): TransferListener {
  return (_event, getSnapshot) => {
    const snapshot = getSnapshot();
    const { done, total } = measure(snapshot);
    report(done, snapshot.counted ? total : undefined);
  };
}

function measure({ bytes, items }: ProgressSnapshot): { done: number; total: number } {
  return bytes.total > 0 ? bytes : items;
}
