/** One keep-alive connection that carries one request at a time (HTTP/1.1, RFC 9112). */
import type { Socket } from "node:net";

import type {
  HandlerOptions,
  HttpRequest,
  HttpResponse,
  RequestBody,
} from "../../../protocol/message.js";
import { sourceChanged } from "../source-changed.js";
import { onAbort } from "../../on-abort.js";
import { BodyQueue } from "./body-queue.js";
import { type BodyReader, bodyReader } from "./body-reader.js";
import { HEAD_LIMIT, parseHead, type ResponseHead, UnusualResponse } from "./response-head.js";

const SMALL_BUFFER = 16 * 1024;
const LARGE_BUFFER = 512 * 1024;
/** Bodies up to this size leave in one write with the head. */
const JOINED_BODY = 64 * 1024;

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

/** A request under way. */
interface Exchange {
  readonly method: string;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
  /** Stops listening for an abort. */
  readonly release: (() => void) | undefined;
  readonly queue: BodyQueue;
  reader: BodyReader | undefined;
  keepAlive: boolean;
  /** The whole request has left, or the rest of it is not wanted. */
  sent: boolean;
  /** The body's source is being waited for. */
  starved: boolean;
  /** The whole answer has come. */
  complete: boolean;
  /** Whether bytes that belong to no answer may wait behind it: the last read left that open. */
  surplus: "none" | "possible" | "looked for";
}

export class Connection {
  /** Bytes of the current answer have arrived. */
  heard = false;
  readonly #socket: Socket;
  readonly #onFree: () => void;
  readonly #onGone: () => void;
  readonly #idleTimeout: number;
  #gone = false;
  #connected = false;
  #exchange: Exchange | undefined;
  #head: Buffer | undefined;
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

  get usable(): boolean {
    return this.#socket.writable && !this.#socket.destroyed;
  }

  /** Sends one request, its head written out already; resolves when the answer's head is there. */
  send(request: HttpRequest, head: Buffer, options: HandlerOptions): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted === true) {
        this.destroy();
        throw signal.reason;
      }
      const release =
        signal && onAbort(signal, (reason) => this.destroy(reason as Error | undefined));
      const exchange: Exchange = {
        method: request.method,
        resolve,
        reject,
        release,
        queue: new BodyQueue(
          () => this.#roomMade(exchange),
          () => {
            if (this.#exchange === exchange) this.destroy();
          },
        ),
        reader: undefined,
        keepAlive: false,
        sent: false,
        starved: false,
        complete: false,
        surplus: "none",
      };
      this.heard = false;
      this.#exchange = exchange;
      this.#socket.ref();
      if (this.#connected) this.#socket.setTimeout(this.#idleTimeout);
      void this.#write(head, request.body, options, exchange);
    });
  }

  /** Ends the connection; a request under way fails with the reason. */
  destroy(reason?: Error): void {
    this.#closed(reason);
    this.#socket.destroy();
  }

  /** Lets the process end while the connection waits for its next request. */
  rest(): void {
    this.#socket.setTimeout(Math.min(this.#idleTimeout, FREE_TIMEOUT));
    this.#socket.unref();
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
      const ours = exchange !== undefined && (exchange.starved || exchange.queue.full);
      if (ours || this.#socket.bytesRead !== seen) this.#socket.setTimeout(this.#idleTimeout);
      else this.destroy(failure("ETIMEDOUT", `nothing came for ${this.#idleTimeout / 1000} s`));
    });
  }

  async #write(
    head: Buffer,
    body: RequestBody | undefined,
    { onSent }: HandlerOptions,
    exchange: Exchange,
  ): Promise<void> {
    try {
      if (body === undefined || body.length === 0) {
        this.#socket.write(head);
      } else if (!(body instanceof Uint8Array)) {
        this.#socket.write(head);
        await this.#stream(body.open(), body.length!, onSent, exchange);
      } else if (body.length <= JOINED_BODY) {
        const joined = Buffer.allocUnsafe(head.length + body.length);
        joined.set(head, 0);
        joined.set(body, head.length);
        this.#socket.write(joined);
        onSent?.(body.length);
      } else {
        this.#socket.write(head);
        await this.#flush(body, exchange);
        onSent?.(body.length);
      }
      exchange.sent = true;
      this.#settle(exchange);
    } catch (error) {
      // Half a request has left; the connection is of no more use.
      if (this.#exchange === exchange) this.destroy(error as Error);
    }
  }

  async #stream(
    chunks: AsyncIterable<Uint8Array>,
    length: number,
    onSent: HandlerOptions["onSent"],
    exchange: Exchange,
  ): Promise<void> {
    let sent = 0;
    exchange.starved = true;
    for await (const chunk of chunks) {
      exchange.starved = false;
      if (exchange.sent || this.#exchange !== exchange) return;
      sent += chunk.length;
      if (sent > length) break;
      await this.#flush(chunk, exchange);
      onSent?.(chunk.length);
      exchange.starved = true;
    }
    exchange.starved = false;
    if (sent !== length) {
      throw sourceChanged(length, sent);
    }
  }

  /** Resolves when the bytes are the kernel's, so that their buffer may be used again. */
  #flush(bytes: Uint8Array, exchange: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => {
        // When the peer answered early and closed, the answer says why.
        if (error != null && exchange.reader === undefined) reject(error);
        else resolve();
      });
    });
  }

  #nextBuffer(): Buffer {
    const large = (this.#exchange?.reader?.expected ?? 0) > SMALL_BUFFER;
    const buffers = large ? this.#large : this.#small;
    return (buffers[this.#turn] ??= Buffer.allocUnsafeSlow(large ? LARGE_BUFFER : SMALL_BUFFER));
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
      const rest = exchange.reader === undefined ? this.#readHead(bytes, exchange) : bytes;
      if (rest === undefined) return true;
      const continued = rest === bytes;
      const pieces: Buffer[] = [];
      const complete = exchange.reader!.feed(rest, (piece) => pieces.push(piece));
      if (complete && exchange.reader!.excess) exchange.keepAlive = false;
      if (complete && !continued) {
        // A whole answer in one read is copied, so that the connection is free at once.
        exchange.queue.push(pieces.map((piece) => Buffer.from(piece)));
        this.#completed(exchange, full, true);
        return true;
      }
      if (exchange.queue.full) {
        // TLS delivers what it has decrypted even after the reading was stopped. The other two
        // buffers are held, so this one is needed again at once.
        exchange.queue.push(pieces.map((piece) => Buffer.from(piece)));
      } else if (pieces.length > 0) {
        exchange.queue.push(pieces);
        this.#turn = (this.#turn + 1) % 3;
      }
      if (complete) this.#completed(exchange, full, false);
      return !exchange.queue.full;
    } catch (error) {
      this.destroy(error as Error);
      return false;
    }
  }

  /** Takes the head, skipping interim answers; what follows it, or undefined while it is unfinished. */
  #readHead(bytes: Buffer, exchange: Exchange): Buffer | undefined {
    let all = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes]);
    this.#head = undefined;
    for (;;) {
      const end = all.indexOf("\r\n\r\n");
      if (end < 0 || end > HEAD_LIMIT) {
        if (all.length > HEAD_LIMIT) throw new UnusualResponse("the head is too long");
        this.#head = Buffer.from(all);
        return undefined;
      }
      const head = parseHead(all.toString("latin1", 0, end), exchange.method);
      all = all.subarray(end + 4);
      if (head.status >= 200) {
        this.#answer(head, exchange);
        return all;
      }
    }
  }

  #answer(head: ResponseHead, exchange: Exchange): void {
    exchange.reader = bodyReader(head.framing);
    exchange.keepAlive = head.keepAlive && head.framing.type !== "close";
    if (head.status >= 400 && !exchange.sent) {
      exchange.sent = true;
      exchange.keepAlive = false;
    }
    exchange.resolve({
      status: head.status,
      headers: head.headers,
      body: exchange.queue.chunks(),
    });
  }

  #roomMade(exchange: Exchange): void {
    if (this.#exchange !== exchange) return;
    if (exchange.complete) this.#settle(exchange);
    else this.#socket.resume();
  }

  #completed(exchange: Exchange, full: boolean, copied: boolean): void {
    exchange.complete = true;
    // A read that had room for more has taken all there was.
    const possible = full || (!copied && exchange.queue.full);
    if (possible && exchange.keepAlive) exchange.surplus = "possible";
    // Who reads to the end asks for the next thing: on this connection, if it is free by then.
    if (exchange.surplus === "none" || !exchange.sent) exchange.queue.end();
    this.#settle(exchange, copied);
  }

  /** Frees the connection once the request has left, the answer has come and its bytes are used. */
  #settle(exchange: Exchange, copied = false): void {
    if (this.#exchange !== exchange || !exchange.sent || !exchange.complete) return;
    if (!copied && !exchange.queue.empty) return;
    if (exchange.surplus !== "none") return this.#lookForSurplus(exchange);
    exchange.queue.end();
    exchange.release?.();
    this.#exchange = undefined;
    if (!exchange.keepAlive || !this.usable) return this.destroy();
    // The last read may have filled the queue, which stopped the reading.
    this.#socket.resume();
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
        this.#settle(exchange, true);
      }),
    );
  }

  #closed(reason: Error | undefined): void {
    if (!this.#gone) {
      this.#gone = true;
      this.#onGone();
    }
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    exchange.release?.();
    if (exchange.reader === undefined) {
      exchange.reject(
        reason ?? failure("ECONNRESET", "the connection was closed before an answer"),
      );
    } else if (exchange.complete || (reason === undefined && exchange.reader.endsByClose)) {
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
