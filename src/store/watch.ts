/** A caller's view of a request that runs, and hold on it: progress, failure, abort. */
import {
  bodyChunks,
  bodyLength,
  type HandlerOptions,
  type HttpRequest,
} from "../protocol/message.js";

export interface WatchedRequest {
  readonly request: HttpRequest;
  /** The error that the body's own source threw: the caller's failure, not the store's. */
  readonly failure: () => { readonly error: unknown } | undefined;
}

/** Reports body bytes as they are taken, stops at an abort, and remembers a failing source. */
export function watchRequest(incoming: HttpRequest, options: HandlerOptions): WatchedRequest {
  const { body } = incoming;
  if (body === undefined) return { request: incoming, failure: () => undefined };
  let failed: { readonly error: unknown } | undefined;

  async function* open(): AsyncGenerator<Uint8Array> {
    const iterator = bodyChunks(body)[Symbol.asyncIterator]();
    let ended = false;
    try {
      for (;;) {
        const next = await untilAborted(iterator.next(), options.signal);
        if (next.done === true) {
          ended = true;
          return;
        }
        const { length } = next.value;
        yield next.value;
        options.onSent?.(length);
      }
    } catch (error) {
      ended = true;
      failed = { error };
      throw error;
    } finally {
      if (!ended) await iterator.return?.();
    }
  }
  return {
    request: { ...incoming, body: { length: bodyLength(body), open } },
    failure: () => failed,
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let abort: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      abort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      work.then(resolve, reject);
    });
  } finally {
    if (abort !== undefined) signal.removeEventListener("abort", abort);
  }
}

/**
 * Stops a response's body at an abort, and reports it when reading the store's bytes fails.
 * `onEnd` is told how many bytes were taken, however it ended.
 */
export async function* watchResponse(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  onError: (error: unknown) => void,
  onEnd?: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let ended = false;
  let bytes = 0;
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await iterator.next();
      } catch (error) {
        ended = true;
        onError(error);
        throw error;
      }
      if (next.done === true) {
        ended = true;
        return;
      }
      // Not before the first chunk: only a reading that has begun gives up what it holds.
      signal?.throwIfAborted();
      bytes += next.value.length;
      yield next.value;
    }
  } finally {
    onEnd?.(bytes);
    if (!ended) await iterator.return?.();
  }
}
