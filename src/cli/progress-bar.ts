/**
 * The display of a running transfer: on a terminal one line that is redrawn in place, in a log one
 * line now and then, and nothing with `-q` or `--json`.
 */
import type { ProgressSnapshot } from "../core/engine/events.js";
import { refLabel } from "../text/ref.js";
import { formatCount, formatDuration, formatSize } from "../text/format.js";
import { visible } from "../text/sanitize.js";

export interface ProgressView {
  /** Whether it redraws a line that nothing else may write over. */
  readonly inPlace: boolean;
  /** Takes the line away; what follows on the terminal starts at its place. */
  stop(): void;
}

const REDRAW_MS = 100;
const LOG_MS = 10_000;

/** Shows progress on stderr until stopped; `noun` is what a person calls an item. */
export async function showProgress(
  getSnapshot: () => ProgressSnapshot,
  noun: string,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<ProgressView> {
  if (!stream.isTTY) return logProgress(getSnapshot, noun, stream);
  const { SingleBar } = (await import("cli-progress")).default;
  const bar = new SingleBar({
    stream,
    format: () => barLine(getSnapshot(), stream.columns),
    // It polls the snapshot by itself; a line as wide as the terminal would wrap.
    fps: 1000 / REDRAW_MS,
    linewrap: false,
    hideCursor: true,
    clearOnComplete: true,
    // Signals are the base command's business.
    gracefulExit: false,
  });
  bar.start(1, 0);
  return { inPlace: true, stop: () => bar.stop() };
}

function logProgress(
  getSnapshot: () => ProgressSnapshot,
  noun: string,
  stream: NodeJS.WritableStream,
): ProgressView {
  const timer = setInterval(
    () => stream.write(`${summary(getSnapshot(), noun)}\n`),
    LOG_MS,
  ).unref();
  return { inPlace: false, stop: () => clearInterval(timer) };
}

const BAR_CELLS = 24;

/** The bar's line, cut to `columns`. */
export function barLine(snapshot: ProgressSnapshot, columns: number): string {
  const { bytes, items, counted, active } = snapshot;
  const share = bytes.total > 0 ? Math.min(1, bytes.done / bytes.total) : 0;
  const filled = Math.floor(share * BAR_CELLS);
  const bar = "█".repeat(filled) + "░".repeat(BAR_CELLS - filled);
  const more = counted ? "" : "+";
  const parts = [
    `${bar} ${String(Math.floor(share * 100)).padStart(3)}%`,
    `${formatSize(bytes.done)}/${formatSize(bytes.total)}${more}`,
    ...(items.total > 1 || !counted ? [`${items.done}/${items.total}${more}`] : []),
    ...speed(snapshot),
    ...(active[0] === undefined
      ? []
      : [visible(refLabel(active[0].item.source ?? active[0].item.target))]),
  ];
  return parts.join("  ").slice(0, Math.max(1, columns - 1));
}

/** One line on how far a run has come, for logs. */
export function summary(snapshot: ProgressSnapshot, noun: string): string {
  const { bytes, items, counted } = snapshot;
  const more = counted ? "" : " so far";
  return [
    `${items.done} of ${formatCount(items.total, noun)}${more}`,
    `${formatSize(bytes.done)} of ${formatSize(bytes.total)}`,
    ...speed(snapshot),
  ].join(", ");
}

function speed({ rate, eta }: ProgressSnapshot): string[] {
  if (rate <= 0) return [];
  const pace = `${formatSize(Math.round(rate))}/s`;
  return eta === undefined ? [pace] : [pace, `${formatDuration(Math.ceil(eta))} left`];
}
