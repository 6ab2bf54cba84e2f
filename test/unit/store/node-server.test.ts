/** The server as a client meets it on the wire. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { HttpRequest } from "../../../src/protocol/message.js";
import { createStore, type Store } from "../../../src/store/index.js";
import type { AccessKey } from "../../../src/store/keys.js";
import { listen, type RunningServer } from "../../../src/store/node-server.js";
import { selfSigned } from "../../support/certificate.js";
import { signed, type SignOptions } from "../../support/signed-request.js";
import { until } from "../../support/until.js";

let directory: string;
let store: Store;
let server: RunningServer;
let credentials: AccessKey;
let host: string;
let port: number;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "pail-server-"));
  store = createStore({ directory });
  credentials = await store.keys.first();
  server = await listen(store, { host: "127.0.0.1", port: 0 });
  ({ host } = new URL(server.url));
  port = Number(new URL(server.url).port);
  await exchange(await sign({ method: "PUT", target: "/bucket" }));
});
afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

const sign = (options: Partial<SignOptions>) => signed({ credentials, host, ...options });

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function exchange(request: HttpRequest, tls?: { ca: string | Buffer }): Promise<Answer> {
  const send = tls === undefined ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    const { method, path, query, headers, body } = request;
    const target = query === "" ? path : `${path}?${query}`;
    const req = send(
      { host: "127.0.0.1", port, method, path: target, headers, agent: false, ...tls },
      (res) => {
        const pieces: Buffer[] = [];
        res.on("data", (piece: Buffer) => pieces.push(piece));
        res.on("error", reject);
        res.on("end", () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ status: res.statusCode!, headers: res.headers, body: text });
        });
      },
    );
    req.on("error", reject);
    req.end(body as Uint8Array | undefined);
  });
}

/** A raw connection: what is sent is exactly this. */
async function dial(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return { socket, received: () => text };
}

function wire(request: HttpRequest, more: Readonly<Record<string, string>> = {}): string {
  const headers = Object.entries({ ...request.headers, ...more });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${request.method} ${request.path} HTTP/1.1\r\n${lines}\r\n`;
}

const objects = async () => {
  const { body } = await exchange(await sign({ target: "/bucket" }));
  return [...body.matchAll(/<Key>([^<]*)/g)].map(([, key]) => key);
};

describe("the server", () => {
  it("asks for the body of an expecting client once its signature is good", async () => {
    const request = await sign({ method: "PUT", target: "/bucket/k", body: "hello" });
    const { socket, received } = await dial();
    socket.write(wire(request, { "content-length": "5", expect: "100-continue" }));
    await until(() => received().startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    socket.write("hello");
    await until(() => received().includes("HTTP/1.1 200 OK"));
    socket.destroy();
  });

  it("never asks an expecting client for a body it refuses", async () => {
    const request = await sign({ method: "PUT", target: "/bucket/k", body: "hello" });
    const { socket, received } = await dial();
    const forged = { ...request, path: "/bucket/other" };
    socket.write(wire(forged, { "content-length": "5", expect: "100-continue" }));
    await until(() => socket.closed);
    expect(received()).toMatch(/^HTTP\/1\.1 403 /);
    expect(received()).toContain("SignatureDoesNotMatch");
  });

  it("answers a refused upload while the client is still sending, then closes", async () => {
    const request = await sign({
      method: "PUT",
      target: "/none/k",
      payloadHash: "UNSIGNED-PAYLOAD",
    });
    const { socket, received } = await dial();
    socket.write(wire(request, { "content-length": String(1024 ** 3) }));
    socket.write(Buffer.alloc(1024 * 1024));
    await until(() => received().includes("NoSuchBucket"));
    expect(received()).toMatch(/connection: close/i);
    const piece = Buffer.alloc(1024 * 1024);
    const flood = setInterval(() => socket.write(piece), 1);
    await until(() => socket.closed);
    clearInterval(flood);
  });

  it("answers an upload that is refused in the middle of its body", async () => {
    const request = await sign({
      method: "PUT",
      target: "/bucket/k",
      payloadHash: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
      headers: { "x-amz-decoded-content-length": "2000000" },
    });
    const { socket, received } = await dial();
    socket.write(wire(request, { "content-length": "2000400" }));
    socket.write(`f4240;chunk-signature=${"0".repeat(64)}\r\n`);
    socket.write(Buffer.alloc(1_000_000));
    socket.write("\r\n");
    await until(() => received().includes("SignatureDoesNotMatch"));
    socket.destroy();
    expect(await objects()).toEqual([]);
  });

  it("keeps nothing of an upload whose client goes away, and goes on serving", async () => {
    const request = await sign({
      method: "PUT",
      target: "/bucket/half",
      payloadHash: "UNSIGNED-PAYLOAD",
    });
    const { socket } = await dial();
    socket.write(wire(request, { "content-length": "3000000" }));
    socket.write(Buffer.alloc(2_000_000));
    const temporary = () => readdirSync(join(directory, "tmp")).length;
    await until(() => temporary() > 0);
    socket.destroy();
    await until(() => temporary() === 0);
    expect(await objects()).toEqual([]);
  });

  it("releases an object whose reader goes away", async () => {
    const body = Buffer.alloc(20_000_000);
    await exchange(await sign({ method: "PUT", target: "/bucket/big", body }));
    const { socket, received } = await dial();
    socket.write(wire(await sign({ target: "/bucket/big" })));
    await until(() => received().length > 1000);
    socket.destroy();
    expect(await objects()).toEqual(["big"]);
  });

  it("answers anything that is not HTTP with 400", async () => {
    const { socket, received } = await dial();
    socket.write("nonsense\r\n\r\n");
    await until(() => socket.closed);
    expect(received()).toMatch(/^HTTP\/1\.1 400 [^]*<Code>BadRequest<\/Code>/);
  });

  it("accepts a head with the largest presigned URL, and refuses an endless one", async () => {
    const key = "%F0%9F%98%80".repeat(256);
    const answer = await exchange(
      await sign({ method: "PUT", target: `/bucket/${key}`, body: "" }),
    );
    expect(answer.status).toBe(200);
    const { socket, received } = await dial();
    socket.write(`GET /${"x".repeat(40_000)} HTTP/1.1\r\n\r\n`);
    await until(() => socket.closed);
    expect(received()).toContain("<Code>RequestHeaderSectionTooLarge</Code>");
  });

  it("ends a connection whose head comes byte by byte, and one that sends none", async () => {
    const hasty = await listen(store, { host: "127.0.0.1", port: 0, headTimeout: 200 });
    port = Number(new URL(hasty.url).port);
    const silent = await dial();
    const { socket, received } = await dial();
    socket.write("GET / HTTP/1.1\r\n");
    const drip = setInterval(() => socket.write("x"), 10);
    await until(() => socket.closed && silent.socket.closed);
    clearInterval(drip);
    expect(received()).toMatch(/^HTTP\/1\.1 400 [^]*<Code>RequestTimeout<\/Code>/);
    await hasty.close();
  });

  it("serves several requests on one connection", async () => {
    const { socket, received } = await dial();
    for (let count = 1; count <= 3; count++) {
      socket.write(wire(await sign({ method: "HEAD", target: "/bucket" })));
      await until(() => received().split("HTTP/1.1 200 OK").length - 1 === count);
    }
    socket.destroy();
  });

  it("keeps metadata in UTF-8", async () => {
    const headers = { "x-amz-meta-word": Buffer.from("żółw").toString("latin1") };
    const request = await sign({
      method: "PUT",
      target: "/bucket/k",
      body: "",
      headers: { "x-amz-meta-word": "żółw" },
    });
    const sent = await exchange({ ...request, headers: { ...request.headers, ...headers } });
    expect(sent.status).toBe(200);
    const read = await exchange(await sign({ method: "HEAD", target: "/bucket/k" }));
    expect(Buffer.from(String(read.headers["x-amz-meta-word"]), "latin1").toString()).toBe("żółw");
  });

  it("finishes a running request before it closes, and takes no more", async () => {
    const request = await sign({ method: "PUT", target: "/bucket/last", body: "hello" });
    const { socket, received } = await dial();
    const idle = await dial();
    socket.write(wire(request, { "content-length": "5", expect: "100-continue" }));
    await until(() => received().includes("100 Continue"));
    const closed = server.close();
    await until(() => idle.socket.closed);
    await expect(dial()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    socket.write("hello");
    await closed;
    await until(() => received().includes("HTTP/1.1 200 OK"));
    expect(received()).toMatch(/connection: close/i);
    server = await listen(store, { host: "127.0.0.1", port: 0 });
    ({ host } = new URL(server.url));
    port = Number(new URL(server.url).port);
    expect(await objects()).toEqual(["last"]);
  });

  it("rejects when the port is taken", async () => {
    await expect(listen(store, { host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  it("serves over TLS", async () => {
    const { cert, key } = selfSigned();
    const secure = await listen(store, { host: "127.0.0.1", port: 0, tls: { cert, key } });
    try {
      expect(secure.url).toMatch(/^https:/);
      ({ host } = new URL(secure.url));
      port = Number(new URL(secure.url).port);
      const answer = await exchange(await sign({ target: "/bucket" }), { ca: cert });
      expect(answer.status).toBe(200);
    } finally {
      await secure.close();
      ({ host } = new URL(server.url));
      port = Number(new URL(server.url).port);
    }
  });

  it("ends connections over TLS that never agree on it", async () => {
    const tls = selfSigned();
    const hasty = await listen(store, { host: "127.0.0.1", port: 0, tls, headTimeout: 200 });
    port = Number(new URL(hasty.url).port);
    const dialed = await Promise.all(
      ["", "\u0016\u0003\u0001"].map(async (text) => {
        const { socket } = await dial();
        socket.write(text);
        return socket;
      }),
    );
    await until(() => dialed.every(({ closed }) => closed));
    const { socket } = await dial();
    await hasty.close();
    await until(() => socket.closed);
  });
});
