/** Shows a run of the transfer engine, and turns its report into an end. */
import { isAppError } from "../core/failures/errors.js";
import { nameOf, type Ref } from "../core/ref.js";
import {
  type ProgressSnapshot,
  type TransferEvent,
  type TransferItem,
  UNREAD_TAGS,
} from "../core/engine/events.js";
import { createProgress } from "../core/engine/progress.js";
import type { TransferReport } from "../core/engine/report.js";
import type { RunControl } from "../core/operations/types.js";
import { formatCount, formatDuration, formatSize } from "../text/format.js";
import { refLabel } from "../text/ref.js";
import type { Output } from "./output.js";
import { partial } from "./several.js";
import { showProgress } from "./progress-bar.js";

/** The outcome that is told when all events have been shown; of several runs, all together. */
type Unfinished = Pick<TransferReport, "failures" | "left">;

/** Remarks and failures kept until the bar has gone; the totals count them all. */
const HELD_LINES = 1000;

/**
 * Runs `work`, which gets a listener for its runs, and shows each item as it ends: on a terminal in
 * a bar, with the failures after it, elsewhere by a line an item. Throws when items failed: the
 * error of the only item, or a partial failure. `noun` is what a person calls an item.
 */
export async function showTransfer(
  output: Output,
  work: (follow: Pick<RunControl, "onEvent" | "progress">) => Promise<Unfinished>,
  noun = "object",
): Promise<void> {
  const progress = createProgress();
  const planned: Planned = { items: 0, bytes: undefined };
  let copied = false;
  let unverified = 0;
  let unread = 0;
  const held: (() => void)[] = [];
  const view =
    output.json || output.quiet || output.line !== undefined
      ? undefined
      : await showProgress(() => progress.getSnapshot(), noun);
  // The bar's line must not be written over, and a line an object would scroll it away.
  const show = (print: () => void) => {
    if (view?.inPlace !== true) print();
    else if (held.length < HELD_LINES) held.push(print);
  };

  // The first failure waits: when its item stays the only one, it is the command's own error.
  let first: (() => void) | undefined;
  const release = () => {
    if (first !== undefined) show(first);
    first = undefined;
  };
  const showFailure = (print: () => void) => {
    if (progress.getSnapshot().items.failed === 1) first = print;
    else {
      release();
      show(print);
    }
  };

  let outcome: Unfinished | undefined;
  let stopped = false;
  try {
    const onEvent = (event: TransferEvent) => {
      if (event.type === "finished") {
        copied ||= event.item.action !== "remove";
        if (event.unverified === true) unverified += 1;
        if (event.lost?.includes(UNREAD_TAGS)) unread += 1;
      }
      if (event.type === "skipped" && event.reason === "dry-run") {
        planned.items += 1;
        const { size } = event.item;
        if (size !== undefined) planned.bytes = (planned.bytes ?? 0) + size;
      }
      showEvent(output, event, { inPlace: view?.inPlace === true, show, showFailure });
    };
    outcome = await work({ onEvent, progress });
  } catch (error) {
    if (isAppError(error) && error.kind === "interrupted") stopped = true;
    throw error;
  } finally {
    if (outcome === undefined || progress.getSnapshot().items.total > 1) release();
    view?.stop();
    for (const print of held) print();
    const { items, counted } = progress.getSnapshot();
    if (stopped && items.total > 1 && !output.json) {
      output.note(
        `${items.done} of ${formatCount(items.total, noun)}${counted ? "" : " or more"} done`,
      );
    }
  }
  if (unverified > 0 && !output.json) {
    const count = formatCount(unverified, noun);
    output.note(`${count} could not be verified: the service tells no checksum for that`);
  }
  if (unread > 0 && !output.json) {
    output.note(`the tags of ${formatCount(unread, noun)} may not be read and did not come along`);
  }
  conclude(output, noun, outcome, progress.getSnapshot(), planned, copied);
}

/** The work that a dry run would do. */
interface Planned {
  items: number;
  /** Undefined while no item's size is known. */
  bytes: number | undefined;
}

interface Ways {
  /** Whether a bar has the terminal to itself. */
  readonly inPlace: boolean;
  readonly show: (print: () => void) => void;
  readonly showFailure: (print: () => void) => void;
}

function showEvent(
  output: Output,
  event: TransferEvent,
  { inPlace, show, showFailure }: Ways,
): void {
  switch (event.type) {
    case "finished": {
      const { item, etag, versionId, marker, unverified } = event;
      const type = item.source === undefined ? "removed" : item.moves ? "moved" : "copied";
      const lost = event.lost?.length ? event.lost : undefined;
      if (!inPlace && !output.quiet) {
        const more = { marker, verified: unverified === true ? false : undefined };
        output.result(
          { type, ...record(item), etag, versionId, lost, ...more },
          done(item, marker),
        );
      }
      if (lost !== undefined && !lost.includes(UNREAD_TAGS) && !output.json) {
        const target = refLabel(item.target);
        show(() => output.note(`${target} did not get from its source: ${lost.join(", ")}`));
      }
      return;
    }
    case "skipped":
      if (event.reason === "dry-run") {
        output.result({ type: "planned", ...record(event.item) }, `would ${plan(event.item)}`);
      } else if (output.json) {
        output.result({ type: "skipped", reason: event.reason, ...record(event.item) });
      } else {
        const label = refLabel(event.item.target);
        const missing = event.reason === "missing";
        show(() => output.note(missing ? `there is no ${label}` : `skipped ${label}: it exists`));
      }
      return;
    case "resumed":
      if (output.json) {
        output.result({ type: "resumed", ...record(event.item), skipped: event.skipped });
      } else if (event.skipped > 0) {
        show(() =>
          output.note(`resumed ${refLabel(event.item.target)} after ${formatSize(event.skipped)}`),
        );
      }
      return;
    case "restarted":
      if (output.json) {
        output.result({ type: "restarted", ...record(event.item), reason: event.reason });
      } else {
        show(() =>
          output.note(`started over with ${refLabel(event.item.target)}: ${event.reason}`),
        );
      }
      return;
    case "failed": {
      const { item, error } = event;
      showFailure(() => output.itemError({ type: "failed", ...record(item) }, error));
      return;
    }
    default:
  }
}

function record({ action, source, target, size, reason }: TransferItem): object {
  const why = reason === undefined ? {} : { reason };
  const name = refLabel(target);
  if (source === undefined) return { target: name, ...why };
  const named = { action, source: refLabel(source), target: name, ...why };
  return { ...named, ...(size === undefined ? {} : { size }) };
}

function done({ source, target }: TransferItem, marker?: true): string {
  if (source === undefined) {
    return `${marker === true ? "set a delete marker on" : "removed"} ${refLabel(target)}`;
  }
  if (nameOf(source) === nameOf(target)) return onto(source, target, "changed");
  return `${refLabel(source)} -> ${refLabel(target)}`;
}

function plan({ source, target, moves }: TransferItem): string {
  if (source === undefined) return `remove ${refLabel(target)}`;
  if (nameOf(source) === nameOf(target)) return onto(source, target, "change");
  return `${moves ? "move" : "copy"} ${refLabel(source)} -> ${refLabel(target)}`;
}

/** Copied onto itself: an older version, or the same object with other metadata. */
function onto(source: Ref, target: Ref, change: string): string {
  const older = source.type === "object" && source.versionId !== undefined;
  return `${older ? "put back" : change} ${refLabel(target)}`;
}

function conclude(
  output: Output,
  noun: string,
  { failures, left }: Unfinished,
  { items, bytes, elapsed }: ProgressSnapshot,
  planned: Readonly<Planned>,
  copied: boolean,
): void {
  for (const leftover of left) {
    const what = leftover.type === "upload" ? "an unfinished upload" : "a partial file";
    output.note(`${what} was left: ${nameOf(leftover)}; the same command goes on with it`);
  }
  const only = items.total === 1 ? failures[0] : undefined;
  if (only !== undefined) throw only.error;

  const seconds = elapsed / 1000;
  const counts = {
    objects: items.done,
    failed: items.failed,
    skipped: items.skipped,
  };
  output.result(
    planned.items > 0
      ? { type: "summary", planned: planned.items, bytes: planned.bytes ?? 0 }
      : { type: "summary", ...counts, bytes: bytes.done, seconds },
  );
  const size = planned.bytes === undefined ? "" : `, ${formatSize(planned.bytes)}`;
  // The line of JSON says the same.
  if (!output.json && output.line === undefined) {
    output.note(
      planned.items > 0
        ? `${formatCount(planned.items, noun)}${size}; nothing was done`
        : totals(noun, counts, copied ? bytes.done : undefined, seconds),
    );
  }
  if (items.failed === 0) return;
  throw partial(items.failed, items.total, noun);
}

function totals(
  noun: string,
  counts: { readonly objects: number; readonly failed: number; readonly skipped: number },
  bytes: number | undefined,
  seconds: number,
): string {
  const parts = [formatCount(counts.objects, noun)];
  if (bytes !== undefined) {
    // Below a second the rate says more about starting up than about the wire.
    const rate = seconds >= 1 ? ` (${formatSize(Math.round(bytes / seconds))}/s)` : "";
    parts.push(`${formatSize(bytes)} in ${formatDuration(seconds)}${rate}`);
  }
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  return parts.join(", ");
}
