/**
 * The tries of one piece of work: how many there are, how long the wait between them is, and which
 * failures are worth another try. Every layer that repeats something asks here, so that all share
 * one budget and their tries never multiply: an exchange, the reading of its answer, the rest of a
 * body that broke off.
 */
import { type Failure, type RetryNotice, delayBefore, judgeError, pause } from "./retry.js";

export interface TriesOptions {
  /** The tries in all. */
  readonly max: number;
  /** A number in [0, 1), for the jitter. */
  readonly random: () => number;
  /** Whether the work may be done twice. Default true. */
  readonly idempotent?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before the wait. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
}

/** Failures that have had their tries: no other layer gives them more. */
const settled = new WeakSet<object>();

export class Tries {
  readonly #options: TriesOptions;
  #used = 1;

  constructor(options: TriesOptions) {
    this.#options = options;
  }

  /**
   * Runs `work` until it succeeds. Throws its failure when a repeat would not help or is not safe,
   * and when the tries are used up.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    return inTries(() => this, work);
  }

  /**
   * Waits for the next try; false when there is none. Throws the AppError of an abort. `idempotent`
   * overrides what the tries were made with.
   */
  async again(failure: Failure, idempotent = this.#options.idempotent ?? true): Promise<boolean> {
    const { max, random, signal, onRetry } = this.#options;
    const { retry, code, throttled } = failure;
    if (retry === "never" || (retry === "idempotent" && !idempotent)) return false;
    if (this.#used >= max) return false;
    const delayMs = delayBefore(this.#used, failure, random);
    onRetry?.({ attempt: this.#used, delayMs, code, throttled });
    this.#used += 1;
    await pause(delayMs, signal);
    return true;
  }

  /** The last try brought something, and that stays: the next failure is the first of the rest. */
  renew(): void {
    this.#used = 1;
  }
}

/** As `Tries.run`, with tries that are made when the first one fails. */
export async function inTries<T>(make: () => Tries, work: () => Promise<T>): Promise<T> {
  let tries: Tries | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isSettled(error)) throw error;
      tries ??= make();
      if (!(await tries.again(judgeError(error)))) throw settle(error);
    }
  }
}

/** Marks a failure as one whose tries are over, for `Tries.run` of any layer. */
export function settle(error: unknown): unknown {
  if (typeof error === "object" && error !== null) settled.add(error);
  return error;
}

/** Whether the tries of a failure are over. */
export function isSettled(error: unknown): boolean {
  return typeof error === "object" && error !== null && settled.has(error);
}
