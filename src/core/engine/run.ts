/** The state that all work on one request shares: events, failures, limits. */
import { shellWord } from "../failures/shell-word.js";
import { setMaxListeners } from "node:events";

import { factsOf } from "../failures/codes.js";
import { AppError, interrupted } from "../failures/errors.js";
import { toAppError } from "../failures/map.js";
import type { RetryNotice } from "../http/client.js";
import type { TransferEvent, TransferItem, TransferListener } from "./events.js";
import { createGate, type Gate } from "./gate.js";
import { type Memory, processMemory } from "./memory.js";
import { nameOf } from "../ref.js";
import { createProgress, type Progress } from "./progress.js";
import type { Leftover, TransferReport } from "./report.js";

export interface Run {
  /** Aborted when the caller aborts and when something ends the whole run. */
  readonly signal: AbortSignal;
  readonly memory: Memory;
  /** Objects under way. */
  readonly objects: Gate;
  /** Parts under way, of all objects together. */
  readonly parts: Gate;

  emit(event: TransferEvent): void;
  /** A new item with an id of its own. */
  item(init: Omit<TransferItem, "id">): TransferItem;
  finished(
    item: TransferItem,
    result?: Omit<Extract<TransferEvent, { type: "finished" }>, "type" | "item">,
  ): void;
  /**
   * Settles one item's error: an error that every further item would meet ends the run, one that
   * comes of the run's end is dropped, any other is counted against the item.
   */
  failed(item: TransferItem, error: unknown): void;
  /** Callbacks for a request made for an item. */
  watch(item: TransferItem): {
    readonly signal: AbortSignal;
    readonly onRetry: (retry: RetryNotice) => void;
  };
  /** Notes what stays unfinished. */
  leave(leftover: Leftover): void;
  /** Ends the run: the report, or the error that stopped it. */
  report(): TransferReport;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: TransferListener | undefined;
  /** Gathers several runs in one state. Default: a state of this run alone. */
  readonly progress?: Progress | undefined;
  /** Objects, and parts of objects, under way at most; default adaptive. */
  readonly concurrency?: number | undefined;
  /** The objects are taken one after the other. */
  readonly isOrdered?: boolean | undefined;
  readonly memory?: Memory | undefined;
}

let nextId = 1;

const KEPT_FAILURES = 1_000;
const ONE = { initial: 1, max: 1 };
const OBJECTS = { initial: 64, max: 256 };
const PARTS = { initial: 8, max: 64 };

/** Starts a run. */
export function createRun(options: RunOptions): Run {
  const controller = new AbortController();
  const { signal } = controller;
  // One listener a request in flight is not a leak.
  setMaxListeners(0, signal);
  const abort = () => controller.abort(interrupted());
  if (options.signal?.aborted) abort();
  else options.signal?.addEventListener("abort", abort, { once: true });

  const progress = options.progress ?? createProgress();
  const { getSnapshot } = progress;
  const failures: { item: TransferItem; error: AppError }[] = [];
  const left: Leftover[] = [];
  const { concurrency: fixed } = options;
  const given = fixed === undefined ? undefined : { initial: fixed, max: fixed };
  const objects = createGate(options.isOrdered === true ? ONE : (given ?? OBJECTS));
  const parts = createGate(given ?? PARTS);
  let stoppedBy: AppError | undefined;

  const emit = (event: TransferEvent) => {
    progress.apply(event);
    options.onEvent?.(event, getSnapshot);
  };

  return {
    signal,
    memory: options.memory ?? processMemory,
    objects,
    parts,
    emit,
    item: (init) => ({ id: nextId++, ...init }),
    finished: (item, { etag, versionId, wasNew, lost, marker, unverified } = {}) =>
      emit({ type: "finished", item, etag, versionId, wasNew, lost, marker, unverified }),
    failed: (item, thrown) => {
      if (signal.aborted) return;
      const error = toAppError(thrown);
      if (factsOf(error.code)?.endsRun === true) {
        stoppedBy = error;
        return controller.abort(error);
      }
      if (failures.length < KEPT_FAILURES) failures.push({ item, error });
      emit({ type: "failed", item, error });
    },
    watch: (item) => ({
      signal,
      onRetry: ({ attempt, code, throttled }) => {
        if (throttled) {
          objects.slowDown();
          parts.slowDown();
        }
        emit({ type: "retried", item, attempt, code });
      },
    }),
    leave: (leftover) => {
      left.push(leftover);
    },
    report: () => {
      options.signal?.removeEventListener("abort", abort);
      if (stoppedBy !== undefined) throw withLeftovers(stoppedBy, left);
      if (signal.aborted) throw withLeftovers(interrupted(), left);
      return { snapshot: getSnapshot(), failures, left };
    },
  };
}

/** The same error, saying what stays behind. */
function withLeftovers(error: AppError, left: readonly Leftover[]): AppError {
  const [first] = left;
  if (first === undefined) return error;
  const isUpload = first.type === "upload";
  const place = nameOf(first);
  const what = isUpload ? "an unfinished upload" : "a partial file";
  const name = isUpload ? `${place} (${first.uploadId})` : place;
  const said =
    left.length === 1
      ? `${what} was left: ${name}`
      : `${left.length} unfinished transfers were left, the first ${what}: ${name}`;
  const remove = isUpload ? "pail uploads abort" : "rm";
  return new AppError({
    kind: error.kind,
    code: error.code,
    message: `${error.message}; ${said}`,
    hint: `give the same command again to go on, or remove it: ${remove} ${shellWord(place)}`,
    details: { ...error.details, left: left.length },
    cause: error,
  });
}
