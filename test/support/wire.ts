/** A wire between a client and a store that breaks at any byte, below HTTP: in a head, too. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Break {
  /** Matches the head of the request that is struck, as it is on the wire. */
  readonly on: RegExp;
  /** The side whose bytes are counted. */
  readonly of: "request" | "answer";
  /** How many of them pass, from the start of the head. */
  readonly after: number;
  /** A reset; an end as if the answer were whole; or no break, but the same bytes once more. */
  readonly by: "reset" | "end" | "repeat";
}

/** How many bytes a request and its answer were on the wire, and the heads they begin with. */
export type Sizes = Readonly<Record<Break["of"], { readonly head: number; readonly all: number }>>;

export interface Wire {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Strikes the connection under the next request that matches; tells whether it has. */
  breakOnce(one: Break): () => boolean;
  /** The sizes of the last matching request and its answer. */
  sizesOf(on: RegExp): Sizes;
  close(): Promise<void>;
}

interface Exchange {
  readonly text: string;
  readonly request: { head: number; all: number };
  readonly answer: { head: number; all: number };
  readonly broken: Break | undefined;
}

/** Starts a wire to an endpoint (`http://host:port`) on an ephemeral port. */
export async function startWire(endpoint: string): Promise<Wire> {
  const target = new URL(endpoint);
  const sockets = new Set<Socket>();
  const seen: Exchange[] = [];
  let armed: Break | undefined;

  const begin = (chunk: Buffer): Exchange => {
    const text = chunk.toString("latin1", 0, Math.max(0, chunk.indexOf("\r\n\r\n")));
    const broken = armed?.on.test(text) === true ? armed : undefined;
    if (broken !== undefined) armed = undefined;
    const none = { head: 0, all: 0 };
    const exchange = { text, request: { ...none }, answer: { ...none }, broken };
    seen.push(exchange);
    return exchange;
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let exchange: Exchange | undefined;
    const passed: Buffer[] = [];
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    /** Passes on the bytes that may pass, which arrive before the connection breaks. */
    const carry = (chunk: Buffer, of: Break["of"], onward: Socket) => {
      const { [of]: count, broken } = exchange!;
      const rest = broken?.of === of ? broken.after - count.all : Infinity;
      if (count.head === 0 && chunk.includes("\r\n\r\n")) {
        count.head = count.all + chunk.indexOf("\r\n\r\n") + 4;
      }
      count.all += chunk.length;
      if (broken?.by === "repeat" && broken.of === of) {
        passed.push(chunk);
        return void onward.write(chunk.length < rest ? chunk : Buffer.concat([chunk, ...passed]));
      }
      if (chunk.length < rest) return void onward.write(chunk);
      for (const socket of [client, upstream]) socket.removeAllListeners("data");
      onward.write(chunk.subarray(0, rest), () => {
        upstream.destroySoon();
        if (broken!.by === "end") client.end();
        else client.resetAndDestroy();
      });
    };
    client.on("data", (chunk) => {
      // One request at a time: what comes after an answer begins the next.
      if (exchange === undefined || exchange.answer.all > 0) exchange = begin(chunk);
      carry(chunk, "request", upstream);
    });
    upstream.on("data", (chunk) => carry(chunk, "answer", client));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakOnce: (one) => {
      armed = one;
      return () => armed !== one;
    },
    sizesOf: (on) => {
      const found = seen.findLast(({ text }) => on.test(text));
      if (found === undefined) throw new Error(`no request matched ${on}`);
      return found;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
