/** Parts of the sources there are: a source of known length, and a stream of unknown length. */
import type { Lease, Memory } from "../engine/memory.js";
import { memoryPayload, type Payload } from "./body.js";
import type { PartSupply } from "./tasks.js";
import {
  MAX_BUFFERED_PART,
  MAX_PARTS,
  partCount,
  type PartRange,
  partRange,
  streamPartSize,
} from "./sizes.js";
import { AppError } from "../failures/errors.js";

/** A source that can be read anywhere, again and again. */
export interface SeekableSource {
  readonly size: number;
  /** It is here: to read it twice costs less than to wait long. */
  readonly isLocal: boolean;
  /** Fills the buffer from a position. */
  read(buffer: Uint8Array, position: number): Promise<void>;
  /** Reads a stretch; `end` is exclusive. A chunk is valid until the next is asked for. */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
  check(): Promise<void>;
}

/** One stretch of a source as a payload: in memory, or streamed when it is too large for that. */
export async function payloadOf(
  source: SeekableSource,
  { start, end }: Pick<PartRange, "start" | "end">,
  memory: Memory,
  signal: AbortSignal,
): Promise<Payload> {
  if (end - start > MAX_BUFFERED_PART) return streamed(source, start, end);
  return inMemory(source, start, await memory.borrow(end - start, signal));
}

/** A stretch of a source that is read twice: to vouch for it, and to send it. */
function streamed(source: SeekableSource, start: number, end: number): Payload {
  const length = end - start;
  return { length, open: () => source.stream(start, end), release: () => undefined };
}

/** A stretch of a source, read into memory that was borrowed for it. */
export async function inMemory(
  source: Pick<SeekableSource, "read">,
  start: number,
  lease: Lease,
): Promise<Payload & { readonly bytes: Uint8Array }> {
  const { bytes, release } = lease;
  try {
    await source.read(bytes, start);
    return { ...memoryPayload(bytes, release), bytes };
  } catch (error) {
    release();
    throw error;
  }
}

/** The time in which a near service takes a part and its memory is free again, in milliseconds. */
const PATIENCE = 100;

/**
 * Parts of a source of known length, several at once. Those of a local source are streamed when
 * memory does not come free in time: on a long line more parts must be under way than it holds.
 */
export function seekableSupply(
  source: SeekableSource,
  partSize: number,
  memory: Memory,
  signal: AbortSignal,
): PartSupply {
  const count = partCount(source.size, partSize);
  let number = 0;
  let isSlow = false;
  const read = async (range: PartRange) => {
    const length = range.end - range.start;
    if (!source.isLocal || length > MAX_BUFFERED_PART) {
      return payloadOf(source, range, memory, signal);
    }
    let lease = memory.tryBorrow(length);
    if (lease === undefined && !isSlow) {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
      lease = await memory.borrow(length, inTime).catch(() => undefined);
      if (lease === undefined) signal.throwIfAborted();
      isSlow = lease === undefined;
    }
    return lease === undefined
      ? streamed(source, range.start, range.end)
      : inMemory(source, range.start, lease);
  };
  return {
    count,
    next: async (done) => {
      do number += 1;
      while (done.has(number));
      if (number > count) return undefined;
      const range = partRange(number, partSize, source.size);
      return { number: range.number, payload: await read(range) };
    },
    check: () => source.check(),
  };
}

/**
 * Parts of a source of known length, read one after the other and each handed to `inspect`, sent
 * several at once. This is for objects that can only be verified from the first byte to the last.
 */
export function orderedSupply(
  source: SeekableSource,
  partSize: number,
  memory: Memory,
  signal: AbortSignal,
  inspect: (bytes: Uint8Array) => void,
): PartSupply {
  const count = partCount(source.size, partSize);
  let number = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const read = async () => {
    number += 1;
    if (number > count) return undefined;
    const { start, end } = partRange(number, partSize, source.size);
    const mine = number;
    const payload = await inMemory(source, start, await memory.borrow(end - start, signal));
    inspect(payload.bytes);
    return { number: mine, payload };
  };
  return {
    count,
    next: () => {
      const mine = turn.then(read);
      turn = mine;
      return mine;
    },
    check: () => source.check(),
  };
}

/**
 * Cuts a stream into pieces of given sizes. A stream that waits for input does not keep an
 * aborted reader waiting with it.
 */
export function streamReader(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array | undefined;
  return {
    /** Fills as much of the buffer as the stream still gives; returns how much. */
    fill: async (buffer: Uint8Array): Promise<number> => {
      let filled = 0;
      while (filled < buffer.length) {
        if (rest === undefined || rest.length === 0) {
          const next = await orAbort(iterator.next(), signal);
          if (next.done === true) break;
          // A string stream is not bytes: it would be sent with another length than it has.
          rest = typeof next.value === "string" ? Buffer.from(next.value) : next.value;
        }
        const count = Math.min(rest.length, buffer.length - filled);
        buffer.set(rest.subarray(0, count), filled);
        rest = rest.subarray(count);
        filled += count;
      }
      return filled;
    },
  };
}

/**
 * Parts of a stream: read one after the other, sent several at once. `first` is part 1, read
 * already. Part numbers follow the order of reading.
 */
export function streamSupply(
  reader: ReturnType<typeof streamReader>,
  first: Payload,
  requested: number | undefined,
  memory: Memory,
  signal: AbortSignal,
): PartSupply {
  let number = 1;
  let ended = false;
  let turn: Promise<unknown> = Promise.resolve();
  let head: Payload | undefined = first;

  const read = async () => {
    if (head !== undefined) {
      const payload = head;
      head = undefined;
      return { number: 1, payload };
    }
    if (ended) return undefined;
    const size = streamPartSize(number + 1, requested);
    const lease = await memory.borrow(size, signal);
    const filled = await reader.fill(lease.bytes).catch((error: unknown) => {
      lease.release();
      throw error;
    });
    if (filled < size) ended = true;
    if (filled === 0) {
      lease.release();
      return undefined;
    }
    number += 1;
    if (number > MAX_PARTS) {
      lease.release();
      throw new AppError({
        kind: "usage",
        code: "EntityTooLarge",
        message: `the stream is longer than ${MAX_PARTS} parts of this size hold`,
        hint: "give a larger --part-size",
      });
    }
    return { number, payload: memoryPayload(lease.bytes.subarray(0, filled), lease.release) };
  };

  return {
    count: Infinity,
    next: () => {
      const mine = turn.then(read);
      turn = mine.catch(() => undefined);
      return mine;
    },
    check: () => Promise.resolve(),
  };
}

/** The promise's outcome, or the signal's reason if that comes first. */
async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
