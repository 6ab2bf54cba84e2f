import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from "node:net";
import { createServer as createTlsServer } from "node:tls";

import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";

import {
  createSocketTransport,
  type SocketTransportOptions,
} from "../../../../../src/core/http/socket/transport.js";
import {
  type HttpHandler,
  type HttpRequest,
  readAll,
} from "../../../../../src/protocol/message.js";
import { selfSigned } from "../../../../support/certificate.js";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const thing of open.splice(0)) thing.close();
});

const noFallback: HttpHandler = () => Promise.reject(new Error("fell back"));

function transport(overrides: Partial<SocketTransportOptions> = {}) {
  const made = createSocketTransport({
    concurrency: 8,
    connectTimeout: 10_000,
    idleTimeout: 10_000,
    tlsOptions: () => Promise.resolve({}),
    fallback: noFallback,
    ...overrides,
  });
  open.push(made);
  return made;
}

async function listen(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that answers every request with these bytes, cut where the sizes say. */
async function canned(answer: Buffer, cuts: readonly number[] = [], close = false) {
  return await listen(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => {
        let at = 0;
        for (const cut of cuts) {
          socket.write(answer.subarray(at, at + cut));
          at += cut;
        }
        socket.write(answer.subarray(at));
        if (close) socket.end();
      });
    }),
  );
}

function get(origin: string, extra: Partial<HttpRequest> = {}): HttpRequest {
  return { method: "GET", origin, path: "/b/k", query: "", headers: {}, ...extra };
}

describe("socket transport", () => {
  test("carries any body both ways, whatever its size and framing", async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        if (request.url === "/b/k?chunked") response.write(body.subarray(0, body.length >> 1));
        else response.setHeader("content-length", body.length);
        response.end(request.url === "/b/k?chunked" ? body.subarray(body.length >> 1) : body);
      });
    });
    const origin = await listen(server);
    const { handler } = transport();
    for (const size of [0, 1, 4096, 65_535, 65_536, 65_537, 3_000_000]) {
      for (const query of ["", "chunked"]) {
        const bytes = randomBytes(size);
        const stream = {
          length: size,
          async *open() {
            for (let at = 0; at < size; at += 100_000) yield bytes.subarray(at, at + 100_000);
          },
        };
        for (const body of [bytes, stream]) {
          const response = await handler(get(origin, { method: "PUT", query, body }));
          const back = await readAll(response.body, size);
          expect(createHash("md5").update(back).digest("hex")).toBe(
            createHash("md5").update(bytes).digest("hex"),
          );
        }
      }
    }
  });

  test("keeps a connection for the next request and never opens more than allowed", async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end("x".repeat(200_000)));
    server.on("connection", () => (connections += 1));
    const origin = await listen(server);
    const { handler } = transport({ concurrency: 3 });
    const once = async () => (await readAll((await handler(get(origin))).body, 1e6)).length;
    await Promise.all(Array.from({ length: 40 }, once));
    expect(await once()).toBe(200_000);
    expect(connections).toBeLessThanOrEqual(3);
  });

  test("reads an answer the same however the network cuts it", async () => {
    const text =
      'HTTP/1.1 200 OK\r\nETag: "e"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nT: v\r\n\r\n';
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12 }),
        async (cuts) => {
          const origin = await canned(Buffer.from(text), cuts);
          const response = await transport().handler(get(origin));
          expect(response.headers["etag"]).toBe('"e"');
          expect((await readAll(response.body, 100)).toString()).toBe("hello!");
          for (const thing of open.splice(0)) thing.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test("hands whatever is not plain HTTP/1.1 to the fallback, and remembers the origin", async () => {
    const odd = [
      "HTTP/2 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
      "HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n",
    ];
    for (const answer of odd) {
      let fallbacks = 0;
      const fallback: HttpHandler = () => {
        fallbacks += 1;
        return Promise.resolve({ status: 299, headers: {}, body: empty() });
      };
      const origin = await canned(Buffer.from(answer));
      const { handler } = transport({ fallback });
      expect((await handler(get(origin))).status, answer).toBe(299);
      expect((await handler(get(origin))).status, answer).toBe(299);
      expect(fallbacks).toBe(2);
    }
  });

  test("reports an answer that ends before its length", async () => {
    const origin = await canned(
      Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
      [],
      true,
    );
    const response = await transport().handler(get(origin));
    await expect(readAll(response.body, 100)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("never takes bytes after an answer for the next answer", async () => {
    const one = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
    const origin = await canned(Buffer.from(`${one}a${one}b`));
    const { handler } = transport();
    for (let i = 0; i < 3; i += 1) {
      const response = await handler(get(origin));
      expect((await readAll(response.body, 9)).toString()).toBe("a");
    }
  });

  // The sizes of buffers and of TLS records: a read ends just where the repeat begins.
  test.each([
    ["http:", 200],
    ["http:", 16_384],
    ["http:", 32_768],
    ["http:", 540_672],
    ["https:", 200],
    ["https:", 16_384],
    ["https:", 32_768],
    ["https:", 540_672],
  ])("never takes an answer that comes twice for the next one (%s, %i bytes)", async (...how) => {
    const [scheme, size] = how;
    const onSocket = (socket: Socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (request: Buffer) => {
        const path = request.toString("latin1").split(" ")[1]!;
        const head = `HTTP/1.1 200 OK\r\nx-for: ${path}\r\ncontent-length: `;
        const length = size - head.length - 4;
        const once = Buffer.alloc(size, "x");
        once.write(`${head}${length - String(length).length}\r\n\r\n`);
        socket.write(Buffer.concat([once, once]));
      });
    };
    const server =
      scheme === "http:" ? createTcpServer(onSocket) : createTlsServer(selfSigned(), onSocket);
    const origin = (await listen(server)).replace("http:", scheme);
    const { handler } = transport({
      tlsOptions: () => Promise.resolve({ rejectUnauthorized: false }),
    });
    for (let i = 0; i < 10; i += 1) {
      const response = await handler(get(origin, { path: `/${i}` }));
      await readAll(response.body, size);
      expect(response.headers["x-for"]).toBe(`/${i}`);
    }
  });

  test("sends again at once when a kept connection turns out closed", async () => {
    let requests = 0;
    const origin = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => undefined);
        let seen = 0;
        socket.on("data", () => {
          requests += 1;
          seen += 1;
          if (seen > 1) socket.destroy();
          else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        });
      }),
    );
    const { handler } = transport();
    for (let i = 0; i < 3; i += 1) {
      const response = await handler(get(origin));
      expect((await readAll(response.body, 9)).toString()).toBe("ok");
    }
    expect(requests).toBe(5);
  });

  test("accepts a refusal that comes before the whole body is sent", async () => {
    const origin = await listen(
      createTcpServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () =>
          socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"),
        );
      }),
    );
    let read = 0;
    const body = {
      length: 1e9,
      async *open() {
        const chunk = Buffer.alloc(1 << 20);
        for (let i = 0; i < 1000; i += 1) {
          read += 1;
          yield chunk;
        }
      },
    };
    const response = await transport().handler(get(origin, { method: "PUT", body }));
    expect(response.status).toBe(403);
    expect((await readAll(response.body, 9)).toString()).toBe("no");
    expect(read).toBeLessThan(1000);
  });

  test("stops a request when its signal aborts, under way or waiting for its turn", async () => {
    const origin = await listen(createTcpServer((socket) => socket.on("error", () => undefined)));
    const { handler } = transport({ concurrency: 1 });
    const abort = new AbortController();
    const running = [0, 1].map(() => handler(get(origin), { signal: abort.signal }));
    abort.abort(new Error("enough"));
    await Promise.all(running.map((request) => expect(request).rejects.toThrow("enough")));
  });

  test("refuses to send a header or path that would end its line early", async () => {
    const { handler } = transport();
    const origin = "http://127.0.0.1:1";
    await expect(handler(get(origin, { headers: { a: "b\r\nc: d" } }))).rejects.toThrow(TypeError);
    await expect(handler(get(origin, { path: "/a b" }))).rejects.toThrow(TypeError);
    await expect(handler(get(origin, { headers: { "a b": "c" } }))).rejects.toThrow(TypeError);
  });
});

async function* empty(): AsyncIterable<Uint8Array> {}
