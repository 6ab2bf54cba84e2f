/** One keep-alive connection that carries one request at a time (HTTP/1.1, RFC 9112). */
import type { Socket } from "node:net";

import type { HttpRequest, HttpResponse } from "../../../protocol/message.js";
import { onAbort } from "../../on-abort.js";
import { inMemory } from "../body.js";
import { BodyQueue } from "./body-queue.js";
import { type BodyReader, bodyReader } from "./body-reader.js";
import { Exchange } from "./exchange.js";
import { giveBack, largeBuffer } from "./large-buffers.js";
import { sendRequest } from "./request-writer.js";
import { HeadReader, type ResponseHead, UnusualResponse } from "./response-head.js";

const SMALL_BUFFER = 16 * 1024;

/** The option of net.connect and tls.connect that reads into buffers of ours. */
export interface OnRead {
  readonly buffer: () => Buffer;
  /** False pauses the socket. */
  readonly callback: (count: number, buffer: Uint8Array) => boolean;
}

export interface Timeouts {
  /** Milliseconds to connect, TLS handshake included. */
  readonly connectTimeout: number;
  /** Milliseconds without a byte either way while the other side is waited for. */
  readonly idleTimeout: number;
}

// Services close idle connections after some seconds; one closed by them fails the next request.
const FREE_TIMEOUT = 10_000;

export class Connection {
  /** Bytes of the current answer have arrived. */
  heard = false;
  readonly #socket: Socket;
  readonly #onFree: () => void;
  readonly #onGone: () => void;
  readonly #idleTimeout: number;
  #gone = false;
  #connected = false;
  /** When it last became free, in milliseconds of performance.now(). */
  #freeSince = 0;
  #exchange: Exchange | undefined;
  readonly #heads = new HeadReader();
  /** Three buffers of each size, in turn: two the queue may hold, and one that is read into. */
  readonly #small: Buffer[] = [];
  readonly #large: Buffer[] = [];
  #turn = 0;

  /** `onFree` is called when it may carry another request, `onGone` once when it never will. */
  constructor(
    open: (onread: OnRead) => Socket,
    { idleTimeout, connectTimeout }: Timeouts,
    onFree: () => void,
    onGone: () => void,
  ) {
    this.#idleTimeout = idleTimeout;
    this.#onFree = onFree;
    this.#onGone = onGone;
    this.#socket = open({
      buffer: () => this.#nextBuffer(),
      callback: (count, buffer) =>
        this.#read((buffer as Buffer).subarray(0, count), count === buffer.length),
    });
    this.#socket.setNoDelay(true);
    this.#socket.setTimeout(connectTimeout);
    this.#socket.once("encrypted" in this.#socket ? "secureConnect" : "connect", () => {
      this.#connected = true;
      this.#socket.setTimeout(idleTimeout);
    });
    this.#socket.on("error", (error) => this.#closed(error));
    this.#socket.on("close", () => this.#closed(undefined));
    this.#socket.on("timeout", () => this.#timedOut());
  }

  /** Whether a free connection can be trusted with a request. */
  get usable(): boolean {
    return this.#isOpen() && performance.now() - this.#freeSince < FREE_TIMEOUT;
  }

  /** Sends one request, its head written out already; resolves when the answer's head is there. */
  send(
    { method, body }: HttpRequest,
    head: string,
    signal: AbortSignal | undefined,
    onSent: ((count: number) => void) | undefined,
  ): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        this.destroy();
        throw signal.reason;
      }
      const release =
        signal && onAbort(signal, (reason) => this.destroy(reason as Error | undefined));
      const exchange = new Exchange(method, onSent, resolve, reject, release);
      this.heard = false;
      this.#exchange = exchange;
      this.#socket.ref();
      const sending = sendRequest(this.#socket, head, body, exchange);
      if (sending === undefined) exchange.sent = true;
      else void this.#finish(sending, exchange);
    });
  }

  /** Ends the connection; a request under way fails with the reason. */
  destroy(reason?: Error): void {
    this.#closed(reason);
    this.#socket.destroy();
  }

  /** Lets the process end while the connection waits for its next request. */
  rest(): void {
    this.#freeSince = performance.now();
    this.#socket.unref();
  }

  #isOpen(): boolean {
    return this.#socket.writable && !this.#socket.destroyed;
  }

  #timedOut(): void {
    if (!this.#connected) {
      const error = failure("ETIMEDOUT", "connecting took too long");
      return this.destroy(Object.assign(error, { syscall: "connect" }));
    }
    const seen = this.#socket.bytesRead;
    // A busy or suspended process sees its timers before what came in the meantime.
    setImmediate(() => {
      const exchange = this.#exchange;
      // Silence is ours while the body's source or the answer's consumer is waited for.
      const ours = exchange !== undefined && (exchange.starved || exchange.queue?.full === true);
      if (ours || this.#socket.bytesRead !== seen) this.#socket.setTimeout(this.#idleTimeout);
      else this.destroy(failure("ETIMEDOUT", `nothing came for ${this.#idleTimeout / 1000} s`));
    });
  }

  async #finish(sending: Promise<void>, exchange: Exchange): Promise<void> {
    try {
      await sending;
      exchange.sent = true;
      this.#settle(exchange);
    } catch (error) {
      // Half a request has left; the connection is of no more use.
      if (!exchange.over) this.destroy(error as Error);
    }
  }

  #nextBuffer(): Buffer {
    const expected = this.#exchange?.reader?.expected ?? 0;
    if (expected > SMALL_BUFFER) {
      return (this.#large[this.#turn] = largeBuffer(this.#large[this.#turn], expected));
    }
    return (this.#small[this.#turn] ??= Buffer.allocUnsafeSlow(SMALL_BUFFER));
  }

  /** `full`: there was no room for more than came. */
  #read(bytes: Buffer, full: boolean): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined || exchange.complete) {
      this.destroy(new UnusualResponse("bytes came that belong to no answer"));
      return false;
    }
    this.heard = true;
    try {
      if (exchange.reader === undefined) this.#readHead(bytes, exchange);
      else this.#readBody(bytes, exchange, exchange.reader, exchange.queue!);
      if (exchange.complete) this.#completed(exchange, full);
      return exchange.queue?.full !== true;
    } catch (error) {
      this.destroy(error as Error);
      return false;
    }
  }

  #readHead(bytes: Buffer, exchange: Exchange): void {
    const found = this.#heads.feed(bytes, exchange.method);
    if (found !== undefined) this.#answer(found.head, found.rest, exchange);
  }

  /** Takes a head and what came with it of the body. */
  #answer(head: ResponseHead, rest: Buffer, exchange: Exchange): void {
    const { status, headers, framing } = head;
    const reader = bodyReader(framing);
    exchange.reader = reader;
    exchange.keepAlive = head.keepAlive && framing.type !== "close";
    if (status >= 400 && !exchange.sent) {
      exchange.sent = true;
      exchange.keepAlive = false;
    }
    const pieces: Buffer[] = [];
    if (reader.feed(rest, (piece) => pieces.push(piece))) {
      // A whole answer in one read is copied, so that the connection is free at once.
      const bytes = Buffer.concat(pieces);
      exchange.complete = true;
      return exchange.resolve({ status, headers, body: inMemory(bytes), bytes });
    }
    exchange.queue = new BodyQueue(
      () => this.#roomMade(exchange),
      () => {
        if (!exchange.over) this.destroy();
      },
    );
    this.#hold(exchange.queue, pieces);
    exchange.resolve({ status, headers, body: exchange.queue.chunks() });
  }

  #readBody(bytes: Buffer, exchange: Exchange, reader: BodyReader, queue: BodyQueue): void {
    const pieces: Buffer[] = [];
    exchange.complete = reader.feed(bytes, (piece) => pieces.push(piece));
    this.#hold(queue, pieces);
  }

  /** Hands the body bytes of one read to the consumer, with the buffer they are in. */
  #hold(queue: BodyQueue, pieces: Buffer[]): void {
    if (queue.full) {
      // TLS delivers what it has decrypted even after the reading was stopped. The other two
      // buffers are held, so this one is needed again at once.
      queue.push(pieces.map((piece) => Buffer.from(piece)));
    } else if (pieces.length > 0) {
      queue.push(pieces);
      this.#turn = (this.#turn + 1) % 3;
    }
  }

  #roomMade(exchange: Exchange): void {
    if (exchange.over) return;
    if (exchange.complete) this.#settle(exchange);
    else this.#socket.resume();
  }

  #completed(exchange: Exchange, full: boolean): void {
    const { keepAlive, queue } = exchange;
    // A read that had room for more has taken all there was.
    if (keepAlive && (full || queue?.full === true)) exchange.surplus = "possible";
    // A caller that reads to the end sends its next request: on this connection, if it is free by then.
    if (exchange.surplus === "none" || !exchange.sent) queue?.end();
    this.#settle(exchange);
  }

  /** Frees the connection once the request has left, the answer has come and its bytes are used. */
  #settle(exchange: Exchange): void {
    if (exchange.over || !exchange.sent || !exchange.complete) return;
    if (exchange.queue?.empty === false) return;
    if (exchange.surplus !== "none") return this.#lookForSurplus(exchange);
    exchange.queue?.end();
    this.#part(exchange);
    if (!exchange.keepAlive || exchange.reader!.excess || !this.#isOpen()) return this.destroy();
    // The last read may have filled the queue, which stopped the reading.
    if (exchange.queue !== undefined) this.#socket.resume();
    this.#onFree();
  }

  /** Frees the connection two turns of the event loop later: what the kernel holds ends it before. */
  #lookForSurplus(exchange: Exchange): void {
    if (exchange.surplus === "looked for") return;
    exchange.surplus = "looked for";
    this.#socket.resume();
    setImmediate(() =>
      setImmediate(() => {
        exchange.surplus = "none";
        this.#settle(exchange);
      }),
    );
  }

  #part(exchange: Exchange): void {
    exchange.over = true;
    exchange.release?.();
    this.#exchange = undefined;
  }

  #closed(reason: Error | undefined): void {
    if (!this.#gone) {
      this.#gone = true;
      this.#onGone();
    }
    const exchange = this.#exchange;
    giveBack(this.#large.splice(0), exchange !== undefined);
    if (exchange === undefined) return;
    this.#part(exchange);
    if (exchange.queue === undefined) {
      if (exchange.complete) return;
      exchange.reject(
        reason ?? failure("ECONNRESET", "the connection was closed before an answer"),
      );
    } else if (exchange.complete || (reason === undefined && exchange.reader!.endsByClose)) {
      exchange.queue.end();
    } else {
      exchange.queue.fail(
        reason ?? failure("ECONNRESET", "the connection was closed in the middle of the answer"),
      );
    }
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
