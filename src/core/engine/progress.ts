/**
 * The one reducer: events in, an immutable snapshot out. It keeps counts and the items under way, never the
 * history, so a run of a million items costs what its concurrency costs.
 */
import type { ProgressSnapshot, TransferEvent, TransferItem } from "./events.js";

export interface Progress {
  /** Takes the next event. */
  apply(event: TransferEvent): void;
  /** The same object until another event arrives. */
  readonly getSnapshot: () => ProgressSnapshot;
  /** Calls back after every event; returns the way out. */
  subscribe(onChange: () => void): () => void;
}

/** The rate is an average over this many milliseconds, so that it neither jumps nor lags. */
const RATE_WINDOW = 5_000;
const SAMPLE_INTERVAL = 100;

interface Sample {
  readonly at: number;
  readonly bytes: number;
  readonly items: number;
}

/** Starts a progress; `now` is a clock in milliseconds. */
export function createProgress(now: () => number = Date.now): Progress {
  const start = now();
  const items = { total: 0, done: 0, failed: 0, skipped: 0 };
  const bytes = { total: 0, done: 0 };
  const active = new Map<number, { readonly item: TransferItem; done: number }>();
  const subscribers = new Set<() => void>();
  let counted = false;
  /** Bytes that were there before this run: progress, but not speed. */
  let resumed = 0;
  let samples: Sample[] = [{ at: start, bytes: 0, items: 0 }];
  let snapshot: ProgressSnapshot | undefined;

  const advance = (id: number, count: number) => {
    bytes.done += count;
    const entry = active.get(id);
    if (entry !== undefined) entry.done += count;
  };
  /** Ends an item; `kept` says whether all its bytes count as moved, or what is missing never will. */
  const end = (item: TransferItem, kept: boolean) => {
    const done = active.get(item.id)?.done ?? 0;
    active.delete(item.id);
    if (item.size === undefined || item.action === "remove") return;
    if (kept) bytes.done += item.size - done;
    else bytes.total -= item.size - done;
  };

  const count = (event: TransferEvent): void => {
    switch (event.type) {
      case "planned":
        items.total += event.items;
        bytes.total += event.bytes;
        break;
      case "counted":
        counted = true;
        break;
      case "started":
        active.set(event.item.id, { item: event.item, done: 0 });
        break;
      case "bytes":
        advance(event.id, event.count);
        break;
      case "resumed":
        resumed += event.skipped;
        advance(event.item.id, event.skipped);
        break;
      case "finished":
        items.done += 1;
        end(event.item, true);
        break;
      case "skipped":
        items.skipped += 1;
        end(event.item, false);
        break;
      case "failed":
        items.failed += 1;
        end(event.item, false);
        break;
      case "restarted":
      case "retried":
        break;
    }
  };

  const sample = (at: number) => {
    if (at - samples.at(-1)!.at < SAMPLE_INTERVAL) return;
    samples.push({ at, bytes: bytes.done - resumed, items: items.done });
    const oldest = samples.findIndex((one) => one.at >= at - RATE_WINDOW);
    if (oldest > 0) samples = samples.slice(oldest - 1);
  };

  const build = (): ProgressSnapshot => {
    const at = now();
    const since = samples[0]!;
    const seconds = (at - since.at) / 1000;
    const speed = (to: number, from: number) =>
      seconds > 0 ? Math.max(0, (to - from) / seconds) : 0;
    const rate = speed(bytes.done - resumed, since.bytes);
    const left = items.total - items.done - items.failed - items.skipped;
    // Removals move no bytes: what is left of them is reckoned in items.
    const eta =
      bytes.total > 0
        ? timeFor(bytes.total - bytes.done, rate)
        : timeFor(left, speed(items.done, since.items));
    return {
      items: { ...items },
      bytes: { ...bytes },
      counted,
      rate,
      eta: counted ? eta : undefined,
      elapsed: at - start,
      active: Array.from(active.values(), ({ item, done }) => ({ item, done })),
    };
  };

  return {
    apply: (event) => {
      count(event);
      sample(now());
      snapshot = undefined;
      for (const notify of subscribers) notify();
    },
    getSnapshot: () => (snapshot ??= build()),
    subscribe: (onChange) => {
      subscribers.add(onChange);
      return () => subscribers.delete(onChange);
    },
  };
}

function timeFor(amount: number, rate: number): number | undefined {
  if (amount <= 0) return 0;
  return rate > 0 ? amount / rate : undefined;
}
