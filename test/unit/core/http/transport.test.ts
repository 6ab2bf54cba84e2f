import { createServer } from "node:http";
import { request as connectTo } from "node:http";
import { connect } from "node:net";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { TransportOptions } from "../../../../src/core/http/transport.js";

import { readAll } from "../../../../src/protocol/message.js";
import { selfSigned } from "../../../support/certificate.js";
import { bodyOf, get, listen, serve, serveRaw, serveTls, stream, TRANSPORTS } from "./support.js";

describe.each(TRANSPORTS)("%s", (_name, create) => {
  const transport = (options: TransportOptions = {}) => {
    const made = create(options);
    onTestFinished(() => made.close());
    return made.handler;
  };

  describe("a request", () => {
    it("goes out with its path and query exactly as given", async () => {
      const origin = await serve((request, response) => response.end(request.url));
      const path = "/b/../a//./%2e%2E/x%20y";
      const answer = await transport()(get(origin, { path, query: "b=2&a=&a=1" }));
      expect((await readAll(answer.body, 1e3)).toString()).toBe(`${path}?b=2&a=&a=1`);
    });

    it("keeps one connection for requests that follow each other", async () => {
      const ports = new Set<number>();
      const origin = await serve((request, response) => {
        ports.add(request.socket.remotePort!);
        response.end(request.url === "/big" ? Buffer.alloc(200_000) : "small");
      });
      const send = transport();
      for (const path of ["/big", "/small", "/"]) {
        await readAll((await send(get(origin, { path }))).body, 1e6);
      }
      expect(ports.size).toBe(1);
    });

    it("whose small answer is not read does not keep its connection", async () => {
      const origin = await serve((_request, response) => response.end("small"));
      const send = transport({ concurrency: 1 });
      for (const method of ["GET", "HEAD", "GET"]) {
        expect((await send(get(origin, { method }))).status).toBe(200);
      }
    });

    it("opens no more connections than it may, and serves everything", async () => {
      let open = 0;
      let most = 0;
      const server = createServer((_request, response) => {
        setImmediate(() => response.end("x"));
      });
      server.on("connection", (socket) => {
        most = Math.max(most, ++open);
        socket.on("close", () => open--);
      });
      const origin = await listen(server);
      const send = transport({ concurrency: 3 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(get(origin))));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(most).toBe(3);
    });

    it("carries header values as UTF-8 both ways", async () => {
      const origin = await serve((request, response) => {
        const bytes = Buffer.from(request.headers["x-amz-meta-name"] as string, "latin1");
        response.setHeader("x-amz-meta-name", bytes.toString("latin1"));
        response.end(bytes);
      });
      const headers = { host: "h", "x-amz-meta-name": "grüße 😀" };
      const answer = await transport()(get(origin, { headers }));
      expect(answer.headers["x-amz-meta-name"]).toBe("grüße 😀");
      expect((await readAll(answer.body, 1e3)).toString("utf8")).toBe("grüße 😀");
    });

    it("is answered with a redirect, which is not followed", async () => {
      let requests = 0;
      const origin = await serve((_request, response) => {
        requests++;
        response.writeHead(307, { location: "/elsewhere" }).end();
      });
      expect((await transport()(get(origin))).status).toBe(307);
      expect(requests).toBe(1);
    });
  });

  describe("a request body", () => {
    it("is streamed whole, though each chunk is only lent, and every byte is counted", async () => {
      let received = Buffer.alloc(0);
      const origin = await serve((request, response) => {
        void bodyOf(request).then((body) => {
          received = body as Buffer<ArrayBuffer>;
          response.end();
        });
      });
      let sent = 0;
      const body = stream(700_000, 9);
      await transport()(
        get(origin, { method: "PUT", body, headers: { "content-length": String(body.length) } }),
        { onSent: (count) => (sent += count) },
      );
      expect(received.length).toBe(6_300_000);
      expect(sent).toBe(6_300_000);
      for (let index = 0; index < 9; index++) {
        const chunk = received.subarray(index * 700_000, (index + 1) * 700_000);
        expect(chunk.every((byte) => byte === index)).toBe(true);
      }
    });

    it("of unknown length goes out in chunks", async () => {
      const origin = await serve((request, response) => {
        void bodyOf(request).then((body) => {
          response.end(`${request.headers["transfer-encoding"]} ${body.length}`);
        });
      });
      const body = { ...stream(100_000, 3), length: undefined };
      const headers = { "transfer-encoding": "chunked" };
      const answer = await transport()(get(origin, { method: "PUT", body, headers }));
      expect((await readAll(answer.body, 1e3)).toString()).toBe("chunked 300000");
    });

    it("waits for the server's 100 Continue when told to", async () => {
      const server = createServer();
      const order: string[] = [];
      server.on("checkContinue", (request, response) => {
        order.push("asked");
        response.writeContinue();
        void bodyOf(request).then((body) => response.end(String(body.length)));
      });
      const origin = await listen(server);
      const body = {
        length: 3_000_000,
        open: async function* () {
          order.push("opened");
          yield Buffer.alloc(3_000_000);
        },
      };
      const headers = { "content-length": "3000000", expect: "100-continue" };
      const answer = await transport()(get(origin, { method: "PUT", body, headers }));
      expect((await readAll(answer.body, 1e3)).toString()).toBe("3000000");
      expect(order).toEqual(["asked", "opened"]);
    });

    it("is not read when the server refuses before it", async () => {
      const server = createServer();
      server.on("checkContinue", (_request, response) => response.writeHead(403).end("no"));
      const origin = await listen(server);
      let opened = false;
      const body = {
        length: 3_000_000,
        open: async function* () {
          opened = true;
          yield Buffer.alloc(3_000_000);
        },
      };
      const headers = { "content-length": "3000000", expect: "100-continue" };
      const answer = await transport()(get(origin, { method: "PUT", body, headers }));
      expect(answer.status).toBe(403);
      expect((await readAll(answer.body, 1e3)).toString()).toBe("no");
      expect(opened).toBe(false);
    });

    it("stops when the server answers early, and the answer arrives", async () => {
      const origin = await serve((request, response) => {
        request.once("data", () => {
          request.pause();
          response.writeHead(503).end("busy");
        });
      });
      let yielded = 0;
      let returned = false;
      const body = {
        length: 1e9,
        open: async function* () {
          try {
            for (; yielded < 1000; yielded++) yield Buffer.alloc(1e6);
          } finally {
            returned = true;
          }
        },
      };
      const answer = await transport()(
        get(origin, { method: "PUT", body, headers: { "content-length": "1000000000" } }),
      );
      expect(answer.status).toBe(503);
      expect((await readAll(answer.body, 1e3)).toString()).toBe("busy");
      await expect.poll(() => returned).toBe(true);
      expect(yielded).toBeLessThan(500);
    });

    it.each([
      [2, "ended early"],
      [4, "has grown"],
    ])("that turns out to have another length fails the request", async (count, how) => {
      const origin = await serve((request, response) => {
        void bodyOf(request).then(
          () => response.end(),
          () => undefined,
        );
      });
      const body = stream(1000, count, 3000);
      const request = get(origin, { method: "PUT", body, headers: { "content-length": "3000" } });
      await expect(transport()(request)).rejects.toMatchObject({
        code: "SourceChanged",
        kind: "conflict",
        message: expect.stringContaining(how),
      });
    });

    it("whose source fails rejects with the source's error", async () => {
      const origin = await serve((request, response) => {
        request.on("error", () => undefined);
        request.resume().on("end", () => response.end());
      });
      const broken = new Error("disk on fire");
      const body = {
        length: 10,
        // eslint-disable-next-line require-yield
        open: async function* () {
          throw broken;
        },
      };
      const request = get(origin, { method: "PUT", body, headers: { "content-length": "10" } });
      await expect(transport()(request)).rejects.toBe(broken);
    });
  });

  describe("an answer", () => {
    it.each([100, 1_000_000])("of %d bytes that ends early is an error", async (length) => {
      const origin = await serveRaw((socket) => {
        socket.once("data", () =>
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\nonly this`),
        );
      });
      const answer = await transport()(get(origin));
      await expect(readAll(answer.body, 1e7)).rejects.toMatchObject({ code: "ECONNRESET" });
    });

    it("in chunks that end early is an error", async () => {
      const origin = await serveRaw((socket) => {
        socket.once("data", () =>
          socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        );
      });
      const answer = await transport()(get(origin));
      await expect(readAll(answer.body, 1e7)).rejects.toMatchObject({ code: "ECONNRESET" });
    });

    it("left in the middle gives its connection up", async () => {
      let closed = false;
      const origin = await serve((_request, response) => {
        response.on("close", () => (closed = true));
        response.writeHead(200, { "content-length": 1e9 });
        const more = () => {
          if (!closed && response.write(Buffer.alloc(1e6))) setImmediate(more);
        };
        response.on("drain", more);
        more();
      });
      const answer = await transport()(get(origin));
      for await (const chunk of answer.body) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
      await expect.poll(() => closed).toBe(true);
    });

    it("that stops coming times out, but a slow reader does not", async () => {
      let release = (): void => undefined;
      const origin = await serve((request, response) => {
        response.writeHead(200, { "content-length": 3_000_000 });
        if (request.url === "/stuck") response.write("a");
        else response.end(Buffer.alloc(3_000_000));
      });
      const send = transport({ idleTimeout: 200 });
      const stuck = await send(get(origin, { path: "/stuck" }));
      await expect(readAll(stuck.body, 1e7)).rejects.toMatchObject({ code: "ETIMEDOUT" });

      const slow = await send(get(origin));
      const rest = new Promise<void>((resolve) => (release = resolve));
      setTimeout(release, 700);
      let size = 0;
      for await (const chunk of slow.body) {
        if (size === 0) await rest;
        size += chunk.length;
      }
      expect(size).toBe(3_000_000);
    });
  });

  describe("an abort", () => {
    const reason = new Error("enough");

    it("before, while waiting and while reading rejects with the signal's reason", async () => {
      let arrived = (): void => undefined;
      const origin = await serve((request, response) => {
        if (request.url === "/reading")
          response.writeHead(200, { "content-length": 1e9 }).write("x");
        arrived();
      });
      const send = transport();
      await expect(send(get(origin), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

      const waiting = new AbortController();
      arrived = () => waiting.abort(reason);
      await expect(send(get(origin), { signal: waiting.signal })).rejects.toBe(reason);

      arrived = () => undefined;
      const reading = new AbortController();
      const { signal } = reading;
      const answer = await send(get(origin, { path: "/reading" }), { signal });
      const read = readAll(answer.body, 1e10);
      reading.abort(reason);
      await expect(read).rejects.toBe(reason);
    });

    it("stops an upload whose server does not read", async () => {
      const origin = await serve((request) => request.pause());
      const controller = new AbortController();
      let sent = 0;
      const body = stream(1_000_000, 50);
      const upload = transport()(
        get(origin, {
          method: "PUT",
          body,
          headers: { "content-length": "50000000" },
        }),
        {
          signal: controller.signal,
          onSent: (count) => {
            sent += count;
            controller.abort(reason);
          },
        },
      );
      await expect(upload).rejects.toBe(reason);
      expect(sent).toBeLessThan(50e6);
    });
  });

  describe("connecting", () => {
    it("is refused where nothing listens", async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as { port: number };
      await new Promise((resolve) => server.close(resolve));
      await expect(transport()(get(`http://127.0.0.1:${port}`))).rejects.toMatchObject({
        code: "ECONNREFUSED",
      });
    });

    it("over TLS that never answers times out", async () => {
      const origin = await serveRaw(() => undefined);
      const send = transport({ connectTimeout: 50, insecure: true });
      await expect(send(get(origin.replace("http:", "https:")))).rejects.toMatchObject({
        code: "ETIMEDOUT",
        syscall: "connect",
      });
    });
  });

  describe("TLS", () => {
    const pair = selfSigned();
    const ok = (_request: unknown, response: { end(text: string): void }) => response.end("ok");

    it("refuses a certificate of an unknown authority", async () => {
      const origin = await serveTls(pair, ok);
      await expect(transport()(get(origin))).rejects.toMatchObject({
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      });
    });

    it("trusts the authority of a CA file, besides the usual ones", async () => {
      const origin = await serveTls(pair, ok);
      const caFile = join(await mkdtemp(join(tmpdir(), "pail-ca-")), "ca.pem");
      await writeFile(caFile, pair.cert);
      const answer = await transport({ caFile })(get(origin));
      expect((await readAll(answer.body, 10)).toString()).toBe("ok");
    });

    it("accepts any certificate when told to", async () => {
      const origin = await serveTls(pair, ok);
      expect((await transport({ insecure: true })(get(origin))).status).toBe(200);
    });

    it("names a CA file that is missing or holds no certificate", async () => {
      const caFile = join(await mkdtemp(join(tmpdir(), "pail-ca-")), "ca.pem");
      const origin = "https://127.0.0.1:1";
      await expect(transport({ caFile })(get(origin))).rejects.toMatchObject({
        kind: "not-found",
        message: expect.stringContaining(caFile),
      });
      await writeFile(caFile, "not a certificate");
      await expect(transport({ caFile })(get(origin))).rejects.toMatchObject({
        code: "BadCaFile",
        kind: "usage",
      });
    });
  });

  describe("a proxy", () => {
    const pair = selfSigned();

    /** A proxy for both schemes that writes down what it was asked. */
    async function proxy(answer = 200) {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(
          `${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`,
        );
        const onward = connectTo(request.url!, {
          method: request.method!,
          headers: request.headers,
        });
        onward.on("response", (message) => {
          response.writeHead(message.statusCode!, message.headers);
          message.pipe(response);
        });
        request.pipe(onward);
      });
      server.on("connect", (request, socket) => {
        asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`);
        if (answer !== 200) return socket.end(`HTTP/1.1 ${answer} No\r\nContent-Length: 0\r\n\r\n`);
        const [host, port] = request.url!.split(":");
        const onward = connect(Number(port), host, () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          socket.pipe(onward).pipe(socket);
        });
        onward.on("error", () => socket.destroy());
        return socket.on("error", () => onward.destroy());
      });
      return { asked, url: await listen(server) };
    }

    it("is asked in absolute form for http, with its own credentials", async () => {
      const { asked, url } = await proxy();
      const origin = await serve((request, response) =>
        response.end(
          `${request.url} ${request.headers.host} ${request.headers["proxy-authorization"]}`,
        ),
      );
      const env = { HTTP_PROXY: url.replace("http://", "http://user:pa%40ss@") };
      const answer = await transport({ env })(get(origin, { path: "/a//b", query: "x=1" }));
      const host = new URL(origin).host;
      const credentials = `Basic ${Buffer.from("user:pa@ss").toString("base64")}`;
      expect(asked).toEqual([`GET ${origin}/a//b?x=1 ${credentials}`]);
      expect((await readAll(answer.body, 1e3)).toString()).toContain(`/a//b?x=1 ${host}`);
    });

    it("is asked for a tunnel for https, and sees nothing of the request", async () => {
      const { asked, url } = await proxy();
      const origin = await serveTls(pair, (request, response) => response.end(request.url));
      const send = transport({ env: { https_proxy: url }, insecure: true });
      for (const path of ["/one", "/two"]) {
        const answer = await send(get(origin, { path, headers: { authorization: "secret" } }));
        expect((await readAll(answer.body, 1e3)).toString()).toBe(path);
      }
      expect(asked).toEqual([`CONNECT ${new URL(origin).host} `]);
    });

    it("that refuses the tunnel is named", async () => {
      const { url } = await proxy(407);
      const send = transport({ env: { HTTPS_PROXY: url }, insecure: true });
      await expect(send(get("https://127.0.0.1:1"))).rejects.toMatchObject({
        code: "EPROXY",
        message: `the proxy ${new URL(url).host} answered 407`,
      });
    });

    it("that is down is named, for either scheme, but its password is not shown", async () => {
      const proxy = "http://user:hunter2@127.0.0.1:1";
      const send = transport({ env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } });
      for (const scheme of ["http", "https"]) {
        await expect(send(get(`${scheme}://service.invalid`))).rejects.toMatchObject({
          code: "EPROXY",
          message: "the proxy 127.0.0.1:1 fails: ECONNREFUSED",
        });
      }
    });

    it("is not used for hosts in NO_PROXY", async () => {
      const { asked, url } = await proxy();
      const origin = await serve((_request, response) => response.end());
      const env = { HTTP_PROXY: url, NO_PROXY: "example.com,127.0.0.1" };
      expect((await transport({ env })(get(origin))).status).toBe(200);
      expect(asked).toEqual([]);
    });
  });
});
