/** Knows which connections of a server are busy, so that closing it can end the others at once. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  begin(socket: Socket): void;
  end(socket: Socket): void;
  /** Whether close was called. */
  readonly closing: () => boolean;
  /** Ends every connection on which no request runs, now and from now on. */
  close(): void;
  /** Ends every connection, whatever runs on it. */
  destroy(): void;
}

/**
 * Node's own notion of an idle connection leaves out those that never sent a request, so closing
 * would wait for them.
 */
export function trackConnections(server: Server, encrypted: boolean): Connections {
  const running = new Map<Socket, number>();
  /** Connections that are not encrypted yet, by peer: TLS makes another socket of each. */
  const greeting = new Map<string, Socket>();
  let closing = false;
  const change = (socket: Socket, by: number) => {
    const count = (running.get(socket) ?? 0) + by;
    running.set(socket, count);
    if (closing && count === 0) socket.destroySoon();
  };
  if (encrypted) {
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      greeting.set(peer, socket);
      socket.once("close", () => greeting.delete(peer));
    });
  }
  server.on(encrypted ? "secureConnection" : "connection", (socket: Socket) => {
    greeting.delete(peerOf(socket));
    running.set(socket, 0);
    socket.once("close", () => running.delete(socket));
  });
  return {
    begin: (socket) => change(socket, 1),
    end: (socket) => {
      if (!socket.destroyed) change(socket, -1);
    },
    closing: () => closing,
    close: () => {
      closing = true;
      for (const socket of greeting.values()) socket.destroy();
      for (const [socket, count] of running) if (count === 0) socket.destroy();
    },
    destroy: () => {
      for (const socket of [...greeting.values(), ...running.keys()]) socket.destroy();
    },
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
