/** The receiving half: an IncomingMessage as an HttpResponse. */
import type { IncomingMessage } from "node:http";

import type { HttpResponse } from "../../../protocol/message.js";
import { fromWire } from "./header-text.js";

/** Up to this size a body is taken off the connection at once, which frees it for the next request. */
const EAGER_LIMIT = 64 * 1024;

/** Makes the response; its body throws ECONNRESET when the connection ends before the body does. */
export function receive(message: IncomingMessage, method: string): HttpResponse {
  const headers: Record<string, string> = {};
  for (const name in message.headers) {
    const value = message.headers[name];
    headers[name] = fromWire(Array.isArray(value) ? value.join(", ") : (value ?? ""));
  }
  const status = message.statusCode ?? 0;
  const length = headers["content-length"];
  const isEmpty = method === "HEAD" || status === 204 || status === 304 || length === "0";
  if (isEmpty) message.resume();
  const body = isEmpty
    ? nothing()
    : length !== undefined && Number(length) <= EAGER_LIMIT
      ? collected(message)
      : streamed(message);
  return { status, headers, body };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Waits for one small body as a whole. */
function collected(message: IncomingMessage): AsyncIterable<Uint8Array> {
  const chunks: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.once("end", resolve);
    message.once("error", (error) => reject(truncated(error)));
  });
  // The reader of the body gets the error; if there is none, the error is dropped.
  done.catch(() => undefined);
  return {
    async *[Symbol.asyncIterator]() {
      await done;
      yield* chunks;
    },
  };
}

function streamed(message: IncomingMessage): AsyncIterable<Uint8Array> {
  // Kept by the stream for its reader, who may come later than the error.
  message.once("error", () => undefined);
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* message as AsyncIterable<Uint8Array>;
      } catch (error) {
        throw truncated(error);
      }
    },
  };
}

/** Node calls a body that ends early `aborted`, or a premature close. */
function truncated(error: unknown): unknown {
  const isTruncated =
    error instanceof Error &&
    (error.message === "aborted" ||
      (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE");
  if (!isTruncated) return error;
  return Object.assign(new Error("the answer ended early", { cause: error }), {
    code: "ECONNRESET",
  });
}
