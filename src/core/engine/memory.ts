/**
 * The one memory budget of all transfers of a process: each buffer for bytes in flight is borrowed
 * here, after a wait when all are out. Buffers are used again, so that the process does not grow
 * while the garbage collector catches up.
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

const MIB = 1024 * 1024;
const SMALLEST = 4 * 1024;
const SHARED = 512 * 1024;

/** Makes a buffer; a large one can be handed to another thread (hash-thread.ts) without a copy. */
const makeBuffer = (room: number): ArrayBufferLike =>
  room >= SHARED ? new SharedArrayBuffer(room) : Buffer.allocUnsafeSlow(room).buffer;

/** Makes a budget of `limit` bytes. One lease larger than all of it is given when it is alone. */
export function createMemory(limit: number): Memory {
  let used = 0;
  let peak = 0;
  /** Bytes kept for reuse, by their size. */
  const free = new Map<number, ArrayBufferLike[]>();
  let spare = 0;
  let waiting: { size: number; go: () => void; cancelled: boolean }[] = [];

  /** A kept buffer of a size; for more than a MiB the next larger one will do. */
  const reuse = (room: number): ArrayBufferLike | undefined => {
    const sizes = room > MIB ? [...free.keys()].toSorted((a, b) => a - b) : [room];
    for (const size of sizes) {
      const kept = size < room ? undefined : free.get(size)?.pop();
      if (kept !== undefined) return kept;
    }
    return undefined;
  };
  /** Lets go of the smallest ones that are kept, until so many bytes more are within the budget. */
  const makeRoom = (room: number): void => {
    for (const size of [...free.keys()].toSorted((a, b) => a - b)) {
      const kept = free.get(size)!;
      while (used + spare + room > limit && kept.pop() !== undefined) spare -= size;
      if (kept.length === 0) free.delete(size);
    }
  };
  const take = (room: number): ArrayBufferLike => {
    const kept = reuse(room);
    if (kept !== undefined) spare -= kept.byteLength;
    else if (used + spare + room > limit) makeRoom(room);
    const buffer = kept ?? makeBuffer(room);
    used += buffer.byteLength;
    peak = Math.max(peak, used);
    return buffer;
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
        const size = buffer.byteLength;
        used -= size;
        if (used + spare + size <= limit) {
          const shelf = free.get(size);
          if (shelf === undefined) free.set(size, [buffer]);
          else shelf.push(buffer);
          spare += size;
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
  if (size > MIB) return Math.ceil(size / MIB) * MIB;
  let room = SMALLEST;
  while (room < size) room *= 2;
  return room;
}

/** With Node's own 60 MiB, and copies in hashing and in sockets, a process stays below 150 MiB. */
const PROCESS_BUDGET = 32 * 1024 * 1024;

/** The budget that all runs of this process share. */
export const processMemory: Memory = createMemory(PROCESS_BUDGET);
