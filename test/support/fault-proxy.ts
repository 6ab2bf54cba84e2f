/** A proxy between a client and a store that breaks their messages as networks and services do. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Fault {
  /** Which requests: `PUT /bucket/key?partNumber=1…`, `GET /bucket/key bytes=0-99`. */
  readonly on: RegExp;
  /** Only requests that carry this header. */
  readonly header?: string;
  /** How many of them; default all. */
  readonly times?: number;
  /** How many to let pass first. */
  readonly after?: number;
  readonly does:
    /** Answers with an error, without asking the store. */
    | { readonly type: "refuse"; readonly status: number; readonly code: string }
    /** Answers with a success of its own, without asking the store: 200, and text/html by default. */
    | { readonly type: "pretend"; readonly body: string; readonly headers?: Record<string, string> }
    /** Leaves the answer's length out: it ends where the connection does. */
    | { readonly type: "unsized" }
    /** Breaks the connection after so many bytes of the request's body have come. */
    | { readonly type: "reset-request"; readonly bytes: number }
    /** Breaks the connection after so many bytes of the answer's body have gone. */
    | { readonly type: "reset-response"; readonly bytes: number }
    /** Lets the store do it, and breaks the connection instead of passing the answer on. */
    | { readonly type: "lose-response" }
    /** Announces a length that is wrong by so many bytes. */
    | { readonly type: "wrong-length"; readonly by: number }
    /** Flips a bit of the byte at a position of the answer's body. */
    | { readonly type: "corrupt-response"; readonly at: number }
    /** Flips a bit of the byte at a position of the request's body. */
    | { readonly type: "corrupt-request"; readonly at: number }
    /** Passes the start of the answer's body on and then nothing more. */
    | { readonly type: "stall"; readonly bytes: number }
    /** Reads so many bytes of the request's body and then nothing more; the store never sees it. */
    | { readonly type: "stall-request"; readonly bytes: number }
    /** Lets the store do it, and never answers. */
    | { readonly type: "stall-response" };
}

export interface FaultProxy {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Adds a fault; returns how often it has struck. */
  inject(fault: Fault): () => number;
  /** Holds back the first so many of such requests until all of them have come. */
  gather(on: RegExp, count: number): void;
  /** Takes all faults back. */
  heal(): void;
  /** Calls back for every request that comes. */
  watch(seen: (line: string) => void): void;
  /** The most requests that were under way, and connections that were open, at once. */
  readonly most: { readonly requests: number; readonly connections: number };
  close(): Promise<void>;
}

interface Armed {
  readonly fault: Fault;
  seen: number;
  struck: number;
}

/** Starts a proxy to an endpoint (`http://host:port`) on an ephemeral port. */
export async function startFaultProxy(endpoint: string): Promise<FaultProxy> {
  const target = new URL(endpoint);
  const armed: Armed[] = [];
  const watchers: ((line: string) => void)[] = [];
  const sockets = new Set<Socket>();
  const most = { requests: 0, connections: 0 };
  let active = 0;
  let gathering: { readonly on: RegExp; readonly count: number } | undefined;
  const gathered: (() => void)[] = [];

  const strike = (line: string, headers: IncomingMessage["headers"]): Fault["does"] | undefined => {
    for (const one of armed) {
      const { on, header } = one.fault;
      if (!on.test(line) || (header !== undefined && !(header in headers))) continue;
      one.seen += 1;
      if (one.seen <= (one.fault.after ?? 0)) continue;
      if (one.struck >= (one.fault.times ?? Infinity)) continue;
      one.struck += 1;
      return one.fault.does;
    }
    return undefined;
  };

  const server = createServer((incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url} ${incoming.headers.range ?? ""}`;
    for (const seen of watchers) seen(line);
    active += 1;
    most.requests = Math.max(most.requests, active);
    outgoing.once("close", () => (active -= 1));
    const go = () => pass(incoming, outgoing, target, strike(line, incoming.headers));
    if (gathering?.on.test(line) !== true) return go();
    gathered.push(go);
    if (gathered.length < gathering.count) return;
    gathering = undefined;
    for (const each of gathered.splice(0)) each();
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    most.connections = Math.max(most.connections, sockets.size);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    inject: (fault) => {
      const one = { fault, seen: 0, struck: 0 };
      armed.push(one);
      return () => one.struck;
    },
    gather: (on, count) => {
      gathering = { on, count };
    },
    heal: () => {
      armed.length = 0;
    },
    watch: (seen) => {
      watchers.push(seen);
    },
    most,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: URL,
  does: Fault["does"] | undefined,
): void {
  incoming.on("error", () => undefined);
  if (does?.type === "stall-request") {
    let read = 0;
    incoming.on("data", (chunk: Buffer) => {
      read += chunk.length;
      if (read > does.bytes) incoming.pause();
    });
    return;
  }
  if (does?.type === "refuse") {
    const body = `<?xml version="1.0"?><Error><Code>${does.code}</Code><Message>injected</Message></Error>`;
    incoming.resume();
    incoming.once("end", () => {
      outgoing.writeHead(does.status, { "content-type": "application/xml" });
      outgoing.end(body);
    });
    return;
  }
  if (does?.type === "pretend") {
    incoming.resume();
    incoming.once("end", () => {
      outgoing.writeHead(200, { "content-type": "text/html", ...does.headers });
      outgoing.end(does.body);
    });
    return;
  }
  const onward = httpRequest({
    host: target.hostname,
    port: target.port,
    method: incoming.method,
    path: incoming.url,
    // As it came, Host and all: the signature covers it.
    headers: incoming.rawHeaders,
  });
  const drop = () => {
    onward.destroy();
    outgoing.socket?.resetAndDestroy();
  };
  onward.on("error", drop);
  outgoing.once("close", () => onward.destroy());
  onward.on("response", (answer) => {
    answer.on("error", drop);
    relayAnswer(answer, outgoing, does, drop);
  });
  relayRequest(incoming, onward, does, drop);
}

function relayRequest(
  incoming: IncomingMessage,
  onward: ClientRequest,
  does: Fault["does"] | undefined,
  drop: () => void,
): void {
  let position = 0;
  incoming.on("data", (chunk: Buffer) => {
    if (does?.type === "reset-request" && position + chunk.length >= does.bytes) return drop();
    const sent = does?.type === "corrupt-request" ? flip(chunk, does.at - position) : chunk;
    position += chunk.length;
    if (!onward.write(sent)) {
      incoming.pause();
      onward.once("drain", () => incoming.resume());
    }
  });
  incoming.once("end", () => {
    // An answer without a body has none to cut: the connection breaks after its head.
    if (does?.type === "reset-request") drop();
    else onward.end();
  });
}

function relayAnswer(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  does: Fault["does"] | undefined,
  drop: () => void,
): void {
  if (does?.type === "lose-response") {
    answer.resume();
    answer.once("end", drop);
    return;
  }
  if (does?.type === "stall-response") {
    answer.resume();
    return;
  }
  const headers = { ...answer.headers };
  if (does?.type === "wrong-length") {
    headers["content-length"] = String(Number(headers["content-length"]) + does.by);
  }
  if (does?.type === "unsized") {
    delete headers["content-length"];
    headers.connection = "close";
    outgoing.useChunkedEncodingByDefault = false;
  }
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  // A head without a body must leave, too.
  outgoing.flushHeaders();
  let position = 0;
  let isCut = false;
  answer.on("data", (chunk: Buffer) => {
    const cut = does?.type === "reset-response" || does?.type === "stall" ? does.bytes : Infinity;
    if (position + chunk.length > cut) {
      isCut = true;
      outgoing.write(chunk.subarray(0, cut - position));
      answer.pause();
      // The bytes written so far are to arrive before the connection breaks.
      if (does?.type === "reset-response") setImmediate(drop);
      return;
    }
    const sent = does?.type === "corrupt-response" ? flip(chunk, does.at - position) : chunk;
    position += chunk.length;
    if (!outgoing.write(sent)) {
      answer.pause();
      outgoing.once("drain", () => answer.resume());
    }
  });
  answer.once("end", () => {
    // A short answer has been read to its end all the same.
    if (isCut) return;
    if (does?.type === "wrong-length") outgoing.socket?.end();
    else outgoing.end();
  });
}

function flip(chunk: Buffer, at: number): Buffer {
  if (at < 0 || at >= chunk.length) return chunk;
  const changed = Buffer.from(chunk);
  changed[at]! ^= 1;
  return changed;
}
