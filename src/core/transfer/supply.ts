/** Parts of the sources there are: a source of known length, and a stream of unknown length. */
import type { Memory } from "../engine/memory.js";
import { memoryPayload, type Payload } from "./body.js";
import type { PartSupply } from "./tasks.js";
import { MAX_BUFFERED_PART, MAX_PARTS, partCount, partRange, streamPartSize } from "./sizes.js";
import { AppError } from "../failures/errors.js";

/** A source that can be read anywhere, again and again. */
export interface SeekableSource {
  readonly size: number;
  /** Fills the buffer from a position. */
  read(buffer: Uint8Array, position: number): Promise<void>;
  /** Reads a stretch; `end` is exclusive. A chunk is valid until the next is asked for. */
  stream(start: number, end: number): AsyncIterable<Uint8Array>;
  check(): Promise<void>;
}

/** One stretch of a source as a payload: in memory, or streamed when it is too large for that. */
export async function payloadOf(
  source: Pick<SeekableSource, "read" | "stream">,
  range: { readonly start: number; readonly end: number },
  memory: Memory,
  signal: AbortSignal,
): Promise<Payload> {
  const length = range.end - range.start;
  if (length > MAX_BUFFERED_PART) {
    return {
      length,
      open: () => source.stream(range.start, range.end),
      release: () => undefined,
    };
  }
  const lease = await memory.borrow(length, signal);
  try {
    await source.read(lease.bytes, range.start);
    return memoryPayload(lease.bytes, lease.release);
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Parts of a source of known length, several at once. */
export function seekableSupply(
  source: SeekableSource,
  partSize: number,
  memory: Memory,
  signal: AbortSignal,
): PartSupply {
  const count = partCount(source.size, partSize);
  let number = 0;
  return {
    next: async (done) => {
      do number += 1;
      while (done.has(number));
      if (number > count) return undefined;
      const mine = number;
      const range = partRange(mine, partSize, source.size);
      return { number: mine, payload: await payloadOf(source, range, memory, signal) };
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
    const range = partRange(number, partSize, source.size);
    const lease = await memory.borrow(range.end - range.start, signal);
    try {
      await source.read(lease.bytes, range.start);
    } catch (error) {
      lease.release();
      throw error;
    }
    inspect(lease.bytes);
    return { number: range.number, payload: memoryPayload(lease.bytes, lease.release) };
  };
  return {
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
