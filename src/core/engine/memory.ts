/**
 * The one memory budget of all transfers of a process: who needs a buffer for bytes in flight
 * borrows it here, and waits when all are out. Buffers are used again, so that the process does
 * not grow while the garbage collector catches up.
 */
import { onAbort } from "../on-abort.js";

/** A borrowed buffer of exactly the size asked for. */
export interface Lease {
  readonly bytes: Uint8Array;
  /** Gives the buffer back; it must not be touched afterwards. Harmless when repeated. */
  readonly release: () => void;
}

export interface Memory {
  /** Lends at once if the budget has room. */
  tryBorrow(size: number): Lease | undefined;
  /** Waits until the budget has room. Rejects with the signal's reason. */
  borrow(size: number, signal: AbortSignal): Promise<Lease>;
  /** Bytes out at the moment, and the most there ever were. */
  readonly used: number;
  readonly peak: number;
}

const SMALLEST = 4 * 1024;
const SHARED = 512 * 1024;

/** Makes a budget of `limit` bytes. One lease larger than all of it is given when it is alone. */
export function createMemory(limit: number): Memory {
  let used = 0;
  let peak = 0;
  /** Bytes kept for reuse, by their size. */
  const free = new Map<number, ArrayBufferLike[]>();
  let spare = 0;
  let waiting: { size: number; go: () => void; cancelled: boolean }[] = [];

  const take = (size: number): ArrayBufferLike => {
    used += size;
    peak = Math.max(peak, used);
    const kept = free.get(size)?.pop();
    if (kept !== undefined) {
      spare -= size;
      return kept;
    }
    // Another mix of sizes than before: what is kept for the old one must not add to the budget.
    if (used + spare > limit) {
      free.clear();
      spare = 0;
    }
    // Large ones can be handed to another thread (hash-thread.ts) without a copy.
    return size >= SHARED ? new SharedArrayBuffer(size) : Buffer.allocUnsafeSlow(size).buffer;
  };
  const fits = (size: number) => used === 0 || used + size <= limit;
  const admit = () => {
    while (waiting.length > 0 && (waiting[0]!.cancelled || fits(waiting[0]!.size))) {
      const next = waiting.shift()!;
      if (!next.cancelled) next.go();
    }
  };
  const lease = (size: number, room: number): Lease => {
    let buffer: ArrayBufferLike | undefined = take(room);
    return {
      bytes: new Uint8Array(buffer, 0, size),
      release: () => {
        if (buffer === undefined) return;
        used -= room;
        if (used + spare + room <= limit) {
          const shelf = free.get(room);
          if (shelf === undefined) free.set(room, [buffer]);
          else shelf.push(buffer);
          spare += room;
        }
        buffer = undefined;
        admit();
      },
    };
  };

  const tryBorrow = (size: number): Lease | undefined => {
    const room = roomFor(size);
    return waiting.length === 0 && fits(room) ? lease(size, room) : undefined;
  };

  return {
    tryBorrow,
    borrow: (size, signal) => {
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      const lent = tryBorrow(size);
      if (lent !== undefined) return Promise.resolve(lent);
      const room = roomFor(size);
      return new Promise((resolve, reject) => {
        const entry = {
          size: room,
          cancelled: false,
          go: () => {
            release();
            resolve(lease(size, room));
          },
        };
        const release = onAbort(signal, (reason) => {
          entry.cancelled = true;
          reject(reason);
          admit();
        });
        waiting.push(entry);
      });
    },
    get used() {
      return used;
    },
    get peak() {
      return peak;
    },
  };
}

/** Sizes in few classes, so that a returned buffer fits the next asker: powers of two, then MiB. */
function roomFor(size: number): number {
  const MIB = 1024 * 1024;
  if (size > MIB) return Math.ceil(size / MIB) * MIB;
  let room = SMALLEST;
  while (room < size) room *= 2;
  return room;
}

/** With Node's own 60 MiB, and copies in hashing and in sockets, a process stays below 150 MiB. */
const PROCESS_BUDGET = 32 * 1024 * 1024;

/** The budget that all runs of this process share. */
export const processMemory: Memory = createMemory(PROCESS_BUDGET);
