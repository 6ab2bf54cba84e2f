/** Bodies as the client hands them on: watched while they are sent, mapped while they are read. */
import type { RequestBody, StreamBody } from "../../protocol/message.js";
import { AppError } from "../failures/errors.js";

export interface WatchedBody {
  readonly body: RequestBody | undefined;
  /** Whether the body's source threw. */
  readonly failed: () => boolean;
  /** Whether any byte was read from the source. */
  readonly wasRead: () => boolean;
}

/** Tells a failure of the body's source from one of the connection. */
export function watch(body: RequestBody | undefined): WatchedBody {
  if (body === undefined || body instanceof Uint8Array) return { body, failed: no, wasRead: yes };
  let failed = false;
  let read = false;
  const fail = (error: unknown): never => {
    failed = true;
    throw error;
  };
  const watched: StreamBody = {
    length: body.length,
    open: () => {
      let source: AsyncIterator<Uint8Array>;
      try {
        source = body.open()[Symbol.asyncIterator]();
      } catch (error) {
        return fail(error);
      }
      const iterator: AsyncIterableIterator<Uint8Array> = {
        [Symbol.asyncIterator]: () => iterator,
        next: () =>
          source.next().then((result) => {
            read = true;
            return result;
          }, fail),
        return: async (value: unknown) => {
          await source.return?.();
          return { done: true, value };
        },
      };
      return iterator;
    },
  };
  return { body: watched, failed: () => failed, wasRead: () => read };
}

const no = () => false;
const yes = () => true;

/** The same chunks; what reading them throws goes through `map`. */
export function mapErrors(
  chunks: AsyncIterable<Uint8Array>,
  map: (error: unknown) => unknown,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = chunks[Symbol.asyncIterator]();
      return {
        next: () =>
          source.next().catch((error: unknown) => {
            throw map(error);
          }),
        return: async (value: unknown) => {
          await source.return?.();
          return { done: true, value };
        },
      };
    },
  };
}

/** A body that is in memory. */
export async function* inMemory(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** The error of a body that yields more or fewer bytes than were announced for it. */
export function otherLength(length: number, sent: number): AppError {
  const how = sent < length ? "ended early" : "has grown";
  const message = `the source ${how} while it was being read: ${length} bytes were announced`;
  return new AppError({ kind: "conflict", code: "SourceChanged", message });
}
