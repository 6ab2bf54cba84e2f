/** The sending half of a connection: a head and its body, no faster than the socket takes them. */
import type { Socket } from "node:net";

import type { RequestBody, StreamBody } from "../../../protocol/message.js";
import { otherLength } from "../body.js";

/** Bodies up to this size leave in one write with the head. */
const JOINED_BODY = 64 * 1024;

/** The state of one request that the sender and the connection share. */
export interface Sending {
  /** The body's source is being waited for. */
  starved: boolean;
  /** Whether the rest of the body is still wanted. */
  readonly isWanted: boolean;
  /** Whether the answer's head has come: it explains a write that fails. */
  readonly isAnswered: boolean;
  readonly onSent: ((count: number) => void) | undefined;
}

/**
 * Sends a request. Undefined when all of it was handed to the socket at once; otherwise resolves
 * when it has left or is no longer wanted. Rejects with what the body's source threw, and when
 * the connection broke.
 */
export function sendRequest(
  socket: Socket,
  head: string,
  body: RequestBody | undefined,
  sending: Sending,
): Promise<void> | undefined {
  if (body === undefined || body.length === 0) {
    socket.write(head, "utf8");
    return undefined;
  }
  if (!(body instanceof Uint8Array)) {
    socket.write(head, "utf8");
    return stream(socket, body, sending);
  }
  if (body.length > JOINED_BODY) {
    socket.write(head, "utf8");
    return flush(socket, body, sending);
  }
  const headLength = Buffer.byteLength(head);
  const joined = Buffer.allocUnsafe(headLength + body.length);
  joined.write(head, 0);
  joined.set(body, headLength);
  socket.write(joined);
  sending.onSent?.(body.length);
  return undefined;
}

async function stream(socket: Socket, body: StreamBody, sending: Sending): Promise<void> {
  let sent = 0;
  const length = body.length!;
  sending.starved = true;
  for await (const chunk of body.open()) {
    sending.starved = false;
    if (!sending.isWanted) return;
    sent += chunk.length;
    if (sent > length) break;
    await flush(socket, chunk, sending);
    sending.starved = true;
  }
  sending.starved = false;
  if (sent !== length) throw otherLength(length, sent);
}

/** Resolves when the bytes are the kernel's, so that their buffer may be used again. */
function flush(socket: Socket, bytes: Uint8Array, sending: Sending): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => {
      if (error != null && !sending.isAnswered) return reject(error);
      sending.onSent?.(bytes.length);
      resolve();
    });
  });
}
