/** The resources that calls hold until their answers have left: memory, above all. */
import { onAbort } from "../core/on-abort.js";

type RequestId = string | number;

/** The requests of one connection that have not been answered yet. */
export interface Flights {
  /** Runs something once the answer to a request has been written, or never will be. */
  onSent(id: RequestId, done: () => void): void;
  /** An answer has been written, or will not be. */
  land(id: RequestId): void;
  /** No more answers will be written. */
  landAll(): void;
}

/** Starts with none. */
export function createFlights(): Flights {
  const waiting = new Map<RequestId, (() => void)[]>();
  const land = (id: RequestId) => {
    const done = waiting.get(id) ?? [];
    waiting.delete(id);
    for (const each of done) each();
  };
  return {
    onSent: (id, done) => {
      waiting.set(id, [...(waiting.get(id) ?? []), done]);
    },
    land,
    landAll: () => {
      for (const id of waiting.keys()) land(id);
    },
  };
}

/** A number of bytes that may be taken at once, in the order of asking. */
export interface Budget {
  /** Takes bytes, at most all there are, and resolves with the way to give them back. */
  take(bytes: number, signal: AbortSignal): Promise<() => void>;
}

/** Makes a budget. */
export function createBudget(total: number): Budget {
  let free = total;
  let waiting: { bytes: number; go: () => void }[] = [];
  const admit = () => {
    while (waiting.length > 0 && waiting[0]!.bytes <= free) {
      const next = waiting.shift()!;
      free -= next.bytes;
      next.go();
    }
  };
  return {
    take: (asked, signal) => {
      const bytes = Math.min(asked, total);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const entry = {
          bytes,
          go: () => {
            release();
            let given = false;
            resolve(() => {
              if (given) return;
              given = true;
              free += bytes;
              admit();
            });
          },
        };
        const release = onAbort(signal, (reason) => {
          waiting = waiting.filter((other) => other !== entry);
          reject(reason);
          admit();
        });
        waiting.push(entry);
        admit();
      });
    },
  };
}
