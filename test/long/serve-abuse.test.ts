/** `pail serve` against clients that break rules, connections and promises: it answers and lives on. */
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { type HttpRequest, readAll } from "../../src/protocol/message.js";
import { selfSigned } from "../support/certificate.js";
import { clientFor } from "../support/client.js";
import { createHome, type Home } from "../support/run.js";
import { type Serve, startServe } from "../support/serve.js";
import { signed, type SignOptions } from "../support/signed-request.js";
import { until } from "../support/until.js";

let home: Home;
let serve: Serve;
let client: SignedClient;

beforeAll(async () => {
  home = createHome();
  serve = await startServe(home);
  client = clientFor({ endpoint: serve.endpoint, credentials: serve });
  await client.request({ method: "PUT", bucket: "bucket" });
  await openBucket(client, "bucket").write("kept", Buffer.from("what was there"));
});
afterAll(async () => {
  client.close();
  expect(await serve.stop()).toBe(0);
  expect(serve.errors()).not.toMatch(/bug|unhandled|TypeError|\n\s+at /i);
  home.remove();
});

/** A raw connection: what is sent is exactly this. */
async function dial(
  endpoint = serve.endpoint,
): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(endpoint);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")));
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return { socket, received: () => text };
}

const sign = (options: Partial<SignOptions>) =>
  signed({ credentials: serve, host: new URL(serve.endpoint).host, ...options });

function wire(request: HttpRequest): string {
  const length = (request.body as Uint8Array | undefined)?.length;
  const headers = { ...request.headers, ...(length && { "content-length": String(length) }) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${request.path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const page of openBucket(client, "bucket").list({ prefix: "" })) {
    found.push(...page.map(({ key }) => key));
  }
  return found;
}

async function livesOn(): Promise<void> {
  const { body } = await openBucket(client, "bucket").read("kept");
  expect((await readAll(body, 100)).toString()).toBe("what was there");
  const left = () => readdirSync(join(home.directory, "store", "tmp"));
  await until(() => left().length === 0);
}

describe("serve", () => {
  const head = "GET /bucket HTTP/1.1\r\nhost: x\r\n";
  test.each([
    ["bytes of no protocol", Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7) % 256))],
    ["a TLS hello", Buffer.from("16030100a5010000a10303", "hex")],
    ["HTTP/2", Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")],
    ["a version nobody knows", Buffer.from("GET / HTTP/7.5\r\nhost: x\r\n\r\n")],
    ["a header without a colon", Buffer.from(`${head}nonsense\r\n\r\n`)],
    ["a NUL in a header", Buffer.from(`${head}a: b\u0000c\r\n\r\n`)],
    ["a header that is folded", Buffer.from(`${head}a: b\r\n c\r\n\r\n`)],
    ["two lengths", Buffer.from(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`)],
    ["a negative length", Buffer.from(`${head}content-length: -1\r\n\r\n`)],
    ["an endless length", Buffer.from(`${head}content-length: ${"9".repeat(40)}\r\n\r\n`)],
    [
      "a length beside chunks",
      Buffer.from(`${head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
    ["chunks without sizes", Buffer.from(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n\r\n`)],
    ["more headers than fit", Buffer.from(`${head}${"a: b\r\n".repeat(20_000)}\r\n`)],
    ["a header without end", Buffer.from(`${head}a: ${"x".repeat(100_000)}`)],
    ["a path that is no path", Buffer.from("GET :::%zz HTTP/1.1\r\nhost: x\r\n\r\n")],
    ["a path of bad escapes", Buffer.from("GET /%ff%fe%zz/%00 HTTP/1.1\r\nhost: x\r\n\r\n")],
    ["a star for a path", Buffer.from("OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n")],
    ["no host", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["a tunnel", Buffer.from("CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n")],
    ["an upgrade", Buffer.from(`${head}connection: upgrade\r\nupgrade: websocket\r\n\r\n`)],
    ["a method of its own", Buffer.from("BREW /bucket HTTP/1.1\r\nhost: x\r\n\r\n")],
  ])("refuses %s, never as its own failure", async (_, bytes) => {
    const { socket, received } = await dial();
    socket.write(bytes);
    await until(() => socket.readableEnded || received().includes("\r\n\r\n"));
    socket.destroy();
    // A tunnel is not even answered.
    if (received() !== "") expect(received()).toMatch(/^HTTP\/1\.1 (?:4\d\d|501) /);
    await livesOn();
  });

  test("answers any mutation of a good request without failing, and stores no half of one", async () => {
    const body = "b".repeat(300);
    const request = await sign({ method: "PUT", target: "/bucket/mutated", body });
    const good = Buffer.from(wire(request) + body, "latin1");
    const mutation = fc.record({
      at: fc.nat(good.length - 1),
      kind: fc.constantFrom("flip", "insert", "repeat", "cut"),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        let bytes = good;
        for (const { at, kind, byte } of mutations) {
          const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
          const changed: Record<typeof kind, Uint8Array[]> = {
            flip: [before, Buffer.of(byte), after.subarray(1)],
            insert: [before, Buffer.of(byte), after],
            repeat: [before, before, after],
            cut: [before],
          };
          bytes = Buffer.concat(changed[kind]);
        }
        const { socket, received } = await dial();
        socket.write(bytes);
        // Some wait for the rest of what they announce, for ever.
        const answered = () => socket.readableEnded || received().includes("\r\n\r\n");
        await vi.waitUntil(answered, { timeout: 100, interval: 2 }).catch(() => undefined);
        socket.destroy();
        expect(received()).not.toMatch(/^HTTP\/1\.1 5/m);
        for (const key of await keys()) {
          if (key === "kept") continue;
          const { body: stored } = await openBucket(client, "bucket").read(key);
          expect((await readAll(stored, 1000)).toString()).toBe(body);
          await client.request({ method: "DELETE", bucket: "bucket", key });
        }
      }),
      { numRuns: 150 },
    );
    await livesOn();
  });

  test("ends with a client that closes its own half, after a request or in the middle", async () => {
    const request = await sign({ method: "PUT", target: "/bucket/half", body: "x".repeat(1000) });
    for (const text of ["", wire(await sign({ target: "/bucket/kept" })), `${wire(request)}only`]) {
      const { socket } = await dial();
      socket.end(text);
      await until(() => socket.readableEnded || socket.closed);
      socket.destroy();
    }
    await livesOn();
    expect(await keys()).toEqual(["kept"]);
  });

  test("serves others while hundreds of connections wait, stall or send slowly", async () => {
    const request = await sign({ method: "PUT", target: "/bucket/slow", body: "x".repeat(1e5) });
    const openings = ["", "GET / HT", head, `${wire(request)}a bit`];
    const waiting = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const { socket } = await dial();
        socket.write(openings[index % openings.length]!);
        return socket;
      }),
    );
    expect(await keys()).toEqual(["kept"]);
    for (const socket of waiting) socket.resetAndDestroy();
    await livesOn();
    expect(await keys()).toEqual(["kept"]);
  });

  test.runIf(process.platform === "linux")(
    "keeps no files and no sockets of clients that went away",
    async () => {
      const descriptors = () => readdirSync(`/proc/${serve.pid}/fd`).length;
      const storage = openBucket(client, "bucket");
      await storage.write("large", Buffer.alloc(8 * 1024 * 1024));
      const before = descriptors();
      const get = wire(await sign({ target: "/bucket/large" }));
      const put = wire(
        await sign({ method: "PUT", target: "/bucket/gone", body: Buffer.alloc(5_000_000) }),
      );
      for (let round = 0; round < 40; round += 1) {
        const [reader, writer] = await Promise.all([dial(), dial()]);
        reader.socket.write(get);
        writer.socket.write(put + "x".repeat(200_000));
        await until(() => reader.received().length > 0);
        for (const { socket } of [reader, writer]) {
          if (round % 2 === 0) socket.resetAndDestroy();
          else socket.destroy();
        }
      }
      await client.request({ method: "DELETE", bucket: "bucket", key: "large" });
      await livesOn();
      await until(() => descriptors() <= before + 2);
      expect(await keys()).toEqual(["kept"]);
    },
  );
});

test("serve over TLS lives on after bytes that are not TLS, and beside hellos that never end", async () => {
  const { cert, key } = selfSigned();
  const [caFile, keyFile] = [join(home.directory, "cert.pem"), join(home.directory, "key.pem")];
  writeFileSync(caFile, cert);
  writeFileSync(keyFile, key);
  const secure = await startServe(home, ["--tls-cert", caFile, "--tls-key", keyFile]);
  const dialed = await Promise.all(
    ["", "GET / HTTP/1.1\r\nhost: x\r\n\r\n", "\u0016\u0003\u0001", "x".repeat(5_000)].map(
      async (text) => {
        const { socket } = await dial(secure.endpoint);
        socket.write(text);
        return { socket, text };
      },
    ),
  );
  const other = clientFor({ endpoint: secure.endpoint, credentials: secure, caFile });
  const { body } = await openBucket(other, "bucket").read("kept");
  expect((await readAll(body, 100)).toString()).toBe("what was there");
  for (const { socket, text } of dialed) {
    if (text.length > 3) await until(() => socket.readableEnded || socket.closed);
  }
  other.close();
  // Nor do they keep it from ending.
  expect(await secure.stop()).toBe(0);
  for (const { socket } of dialed) socket.destroy();
});
