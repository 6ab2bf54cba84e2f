/** The wire of stdio: one JSON-RPC message a line, in both directions. */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

import {
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  type Transport,
  parseJSONRPCMessage,
} from "@modelcontextprotocol/server";

import type { Flights } from "./flight.js";

type RequestId = string | number;

/** Characters of a line that is too long that are kept at each end, to find its id in. */
const KEPT = 1024;

export interface LinesOptions {
  /** Bytes of one message from the client; a longer one is answered with an error. */
  readonly maxBytes: number;
  /** It is told when answers have left. */
  readonly flights: Flights;
  /** It is told about every text that was read and is not a message. */
  readonly onProblem: (message: string) => void;
}

/**
 * A transport over two streams. Unlike the SDK's own it writes one message at a time, so that a
 * slow reader makes answers wait here and not in the stream; it answers lines that are not messages
 * or are too long; and it understands batches, which one version of the protocol has.
 */
export class Lines implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  private tail: Promise<void> = Promise.resolve();
  private closed = false;
  /** Answers to a batch that are still missing, by id. */
  private readonly batches = new Map<RequestId, Batch>();

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly options: LinesOptions,
  ) {}

  async start(): Promise<void> {
    const split = splitter(this.options.maxBytes, {
      line: (text) => this.read(text),
      tooLong: (start, end) => this.tooLong(start, end),
    });
    this.input.on("data", split);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    const batch = id === undefined ? undefined : this.batches.get(id);
    if (batch === undefined || id === undefined)
      return this.write(message, id === undefined ? [] : [id]);
    this.batches.delete(id);
    batch.answers.push(message);
    batch.missing.delete(id);
    return batch.missing.size > 0 ? Promise.resolve() : this.write(batch.answers, batch.ids);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.input.removeAllListeners("data");
    this.input.pause();
    // Some messages may never be written now, but nobody shall wait for them.
    this.options.flights.landAll();
    this.onclose?.();
  }

  /** Resolves when everything that was sent has been written. */
  async flushed(): Promise<void> {
    await this.tail;
  }

  /** Writes after all that was sent before, made into text only when its turn has come. */
  private write(value: unknown, ids: readonly RequestId[]): Promise<void> {
    this.tail = this.tail.then(async () => {
      try {
        if (this.output.destroyed || this.output.errored !== null) return;
        if (!this.output.write(`${JSON.stringify(value)}\n`)) await once(this.output, "drain");
      } catch (error) {
        // The reader has gone: the code that watches the stream ends the server.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      } finally {
        for (const id of ids) this.options.flights.land(id);
      }
    });
    return this.tail;
  }

  private read(text: string): void {
    if (text.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.refuse(null, PARSE_ERROR, "this line is not JSON");
    }
    if (!Array.isArray(value)) return this.deliver(value);
    if (value.length === 0) return this.refuse(null, INVALID_REQUEST, "an empty batch");
    const messages = value as unknown[];
    const ids = messages.flatMap((each) => (isRequest(each) ? [each.id] : []));
    const batch: Batch = { ids, missing: new Set(ids), answers: [] };
    for (const id of ids) this.batches.set(id, batch);
    for (const each of messages) this.deliver(each);
  }

  private deliver(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const id = (value as { id?: unknown } | null)?.id;
      const known = typeof id === "string" || typeof id === "number" ? id : null;
      return this.refuse(known, INVALID_REQUEST, "this is not a JSON-RPC 2.0 message");
    }
    if ("method" in message && message.method === "notifications/cancelled") {
      // No answer will come; in a batch it is not waited for either.
      const id = (message.params as { requestId?: RequestId } | undefined)?.requestId;
      if (id !== undefined) this.settleCancelled(id);
    }
    this.onmessage?.(message);
  }

  private settleCancelled(id: RequestId): void {
    this.options.flights.land(id);
    const batch = this.batches.get(id);
    this.batches.delete(id);
    batch?.missing.delete(id);
    if (batch?.missing.size === 0 && batch.answers.length > 0)
      void this.write(batch.answers, batch.ids);
  }

  private tooLong(start: string, end: string): void {
    const mebibytes = Math.floor(this.options.maxBytes / 1024 ** 2);
    this.refuse(
      idIn(start, end),
      INVALID_REQUEST,
      `this message is longer than ${mebibytes} MiB; use upload_file for large content`,
    );
  }

  private refuse(id: RequestId | null, code: number, message: string): void {
    this.options.onProblem(message);
    void this.write({ jsonrpc: "2.0", id, error: { code, message } }, id === null ? [] : [id]);
  }
}

interface Batch {
  readonly ids: readonly RequestId[];
  readonly missing: Set<RequestId>;
  readonly answers: JSONRPCMessage[];
}

function isRequest(value: unknown): value is { id: RequestId } {
  const { id, method } = (value ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === "string" && (typeof id === "string" || typeof id === "number");
}

/** The id of a message when only its two ends are known; it stands first or last in every SDK. */
function idIn(start: string, end: string): RequestId | null {
  const found =
    /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")/.exec(start) ??
    /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end);
  return found === null ? null : (JSON.parse(found[1]!) as RequestId);
}

/** Cuts a stream of bytes into lines; only the two ends of a line that is too long are kept. */
function splitter(
  maxBytes: number,
  found: { line(text: string): void; tooLong(start: string, end: string): void },
): (chunk: Buffer) => void {
  let decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  const take = (bytes: Buffer) => {
    length += bytes.length;
    if (length <= maxBytes) {
      parts.push(decoder.write(bytes));
      return;
    }
    const [start] = [parts.join("").slice(0, KEPT)];
    const end = (parts.length > 1 ? parts.at(-1)! : "") + bytes.subarray(-KEPT).toString("latin1");
    parts = [start, end.slice(-KEPT)];
  };
  return (chunk) => {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(0x0a, from);
      if (at < 0) break;
      take(chunk.subarray(from, at));
      from = at + 1;
      const [line, wasLong] = [parts, length > maxBytes];
      parts = [];
      length = 0;
      decoder = new StringDecoder("utf8");
      if (wasLong) found.tooLong(line[0] ?? "", line[1] ?? "");
      else found.line(line.join(""));
    }
    if (from < chunk.length) take(chunk.subarray(from));
  };
}
