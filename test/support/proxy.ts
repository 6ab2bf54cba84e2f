/**
 * A TCP proxy before a store, by which a test can send other answers, cut connections or stay
 * silent.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Proxy {
  readonly endpoint: string;
  /**
   * Sees each request first, and returns true when it has answered it. Default: all are passed on.
   */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Ends every connection at once. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy before `target`; requests keep their Host, so their signatures hold. */
export async function startProxy(target: string): Promise<Proxy> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    if (proxy.intercept(incoming, outgoing)) return;
    const { method, url: path, headers } = incoming;
    const forward = request(
      { host: to.hostname, port: to.port, method, path, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    const abandon = () => outgoing.destroy();
    forward.on("error", abandon);
    incoming.on("error", () => forward.destroy());
    outgoing.on("close", () => forward.destroy());
    incoming.pipe(forward);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: Proxy = {
    endpoint: `http://127.0.0.1:${port}`,
    intercept: () => false,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      proxy.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}

/** An S3 error answer. */
export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
  );
  return true;
}
