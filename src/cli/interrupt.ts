/**
 * Ctrl-C, SIGTERM and a stdout that fails end the work, each with a message. A reader that goes
 * away ends only a command whose work is its output.
 */
import { AppError, interrupted } from "../core/failures/errors.js";

/** Why work was aborted when the reader of stdout closed it (`| head`): not a failure. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

/**
 * A signal that fires on the first SIGINT or SIGTERM, when stdout breaks or, once `endWithReader` was
 * called, when its reader goes away. The second SIGINT
 * has its default effect, and so ends the process at once; so does the first one when the work
 * has not wound up after `graceMs`.
 */
export function interruptSignal(graceMs: number): {
  signal: AbortSignal;
  endWithReader(): void;
  release(): void;
} {
  const controller = new AbortController();
  let ends = false;
  let timer: NodeJS.Timeout | undefined;

  const stop = (name: NodeJS.Signals) => {
    controller.abort(interrupted());
    if (Number.isFinite(graceMs)) {
      timer = setTimeout(() => process.kill(process.pid, name), graceMs).unref();
    }
  };
  const broken = (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") controller.abort(unwritable(error));
    else if (ends) controller.abort(new OutputClosed());
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  process.stdout.on("error", broken);
  // Remarks that nobody reads any more are no reason to end, let alone to crash.
  process.stderr.on("error", () => undefined);
  return {
    signal: controller.signal,
    endWithReader: () => {
      ends = true;
    },
    release: () => {
      clearTimeout(timer);
      process.removeListener("SIGINT", stop);
      process.removeListener("SIGTERM", stop);
    },
  };
}

/** The error of a stdout that takes no more, such as a file on a full disk. */
export function unwritable(cause: NodeJS.ErrnoException): AppError {
  return new AppError({
    kind: "unavailable",
    code: cause.code ?? "EIO",
    message: `cannot write to stdout: ${cause.message}`,
    cause,
  });
}

/** Work that takes no signal: rejects when the signal fires, and lets the work go. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
