/** The sending half of a request: its body, no faster than the connection takes it. */
import type { ClientRequest } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

import type { RequestBody, StreamBody } from "../../../protocol/message.js";
import { otherLength } from "../body.js";

/** A larger write would sit in memory until the last byte of it is gone. */
const MAX_WRITE = 1024 * 1024;
/** Where a refusal is likely, it is let in between small writes: a broken write would lose it. */
const CAREFUL_WRITE = 64 * 1024;
const CAREFUL_BYTES = 1024 * 1024;
/** How long a server may take to answer `Expect: 100-continue`; one that does not know it stays silent. */
const CONTINUE_TIMEOUT = 1_000;

/** The state that sender and receiver of one request share. */
export interface Sending {
  readonly request: ClientRequest;
  /** Set when no more of the body is wanted. */
  stopped: boolean;
  /** Whether the body's source, not the network, is being waited for. */
  waitsForSource: boolean;
  readonly onSent?: ((count: number) => void) | undefined;
  /** Bytes still to be sent in small writes. */
  careful: number;
  /** Ends a wait for the connection. */
  wake?: (() => void) | undefined;
}

/** Sends the body and ends the request. Rejects with what the body's source threw. */
export async function sendBody(
  sending: Sending,
  body: RequestBody | undefined,
  expectsContinue: boolean,
): Promise<void> {
  const { request } = sending;
  if (expectsContinue && body !== undefined) {
    sending.careful = CAREFUL_BYTES;
    await permission(sending);
    if (sending.stopped) return;
  }
  if (body === undefined || body.length === 0) {
    request.end();
  } else if (body instanceof Uint8Array) {
    await sendBytes(sending, body);
    if (!sending.stopped) request.end();
  } else {
    await sendStream(sending, body);
  }
}

async function sendStream(sending: Sending, body: StreamBody): Promise<void> {
  const source = body.open()[Symbol.asyncIterator]();
  const announced = body.length ?? Infinity;
  let sent = 0;
  try {
    while (!sending.stopped) {
      sending.waitsForSource = true;
      const { done, value } = await source.next();
      sending.waitsForSource = false;
      if (done === true) {
        if (body.length !== undefined && sent < announced) throw otherLength(announced, sent);
        sending.request.end();
        return;
      }
      sent += value.length;
      if (sent > announced) throw otherLength(announced, sent);
      await sendBytes(sending, value);
    }
  } finally {
    await source.return?.();
  }
}

/** Resolves once the chunk is no longer needed: handed to the system, or not wanted. */
async function sendBytes(sending: Sending, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length && !sending.stopped;) {
    const size = sending.careful > 0 ? CAREFUL_WRITE : MAX_WRITE;
    const slice = at === 0 && chunk.length <= size ? chunk : chunk.subarray(at, at + size);
    const gone = await new Promise<boolean>((resolve) => {
      sending.wake = () => resolve(false);
      // A failed write also fails the request, which has the reason.
      sending.request.write(slice, (error) => resolve(error == null));
    });
    if (gone) sending.onSent?.(slice.length);
    at += slice.length;
    if (sending.careful > 0) {
      sending.careful -= slice.length;
      await turn();
    }
  }
}

/** Waits for the server to ask for the body (RFC 9110, 10.1.1), to refuse it, or to stay silent. */
function permission(sending: Sending): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONTINUE_TIMEOUT);
    sending.wake = () => {
      clearTimeout(timer);
      resolve();
    };
    sending.request.once("continue", sending.wake);
    sending.request.flushHeaders();
  });
}
