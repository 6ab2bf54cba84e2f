/** The request that a split listing answers, and the requests it sends. */
import type { Gate } from "../../engine/gate.js";
import type { AppError } from "../../failures/errors.js";
import type { Run } from "../run.js";

export type Continuation = Readonly<Record<string, string>>;

/** One page, and where the next one starts; no cursor on the last page. */
export interface Answer {
  readonly run: Run;
  readonly next: Continuation | undefined;
  /** The service listed keys before the one it was to start after. */
  readonly startIgnored: boolean;
}

export interface SplitOptions {
  /** Fetches what lies after a key, or goes on with a cursor. */
  readonly fetch: (
    after: string,
    cursor: Continuation | undefined,
    signal: AbortSignal,
  ) => Promise<Answer>;
  /** `key`: pages in the order of keys. `any`: pages as they come, which is sooner. */
  readonly order: "key" | "any";
  /**
   * How many entries may be held for their turn, those under way included. Default 100,000. In the order
   * of keys the next 8,000 may come on top, since what is held waits for them.
   */
  readonly ahead?: number | undefined;
  readonly prefix: string;
  /** Exclusive. */
  readonly startAfter: string;
  /** Inclusive. */
  readonly upTo?: string | undefined;
  /** How many requests may be under way. */
  readonly gate: Gate;
  /** False for a service that is known to need its pages one after another. */
  readonly maySplit: boolean;
  /** It is told when the service turns out to be such a one. */
  readonly onSerial: () => void;
  /** Whether a cursor was seen before: the listing goes round in circles. */
  readonly isCircle: (cursor: Continuation) => boolean;
  readonly circular: () => AppError;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; for tests. */
  readonly now?: (() => number) | undefined;
  /** Whether this process has been what limits since the last call; for tests. */
  readonly isBusy?: (() => boolean) | undefined;
}
