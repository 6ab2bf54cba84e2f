/** Serving one client over stdin and stdout, from its first byte to its last. */
import { setTimeout as delay } from "node:timers/promises";
import type { Readable, Writable } from "node:stream";

import { serveStdio as serveSdk } from "@modelcontextprotocol/server/stdio";

import { type Flights, createFlights } from "./flight.js";
import { Lines } from "./lines.js";
import type { Log } from "./log.js";
import type { PailServer } from "./server.js";

/** Bytes of one message from the client; the text of a put_object is the largest. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** A call that runs when the client closes its end has this long to finish. */
const FINISH_MS = 1000;

/** An aborted call may take this long to clean up; clients kill a server after two to four. */
const CLEAN_UP_MS = 5000;

export interface StdioOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Fires on SIGTERM and SIGINT, and when stdout breaks. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Serves until stdin closes or the signal fires; the SDK itself would stay for as long as anything
 * is open. Then lets calls under way finish for a moment, aborts the rest, and resolves once they
 * have cleaned up.
 */
export async function serveStdio(
  makeServer: (flights: Flights) => PailServer,
  { stdin, stdout, signal, log }: StdioOptions,
): Promise<void> {
  const flights = createFlights();
  const onProblem = (message: string) => log.warn(message);
  const wire = new Lines(stdin, stdout, { maxBytes: MAX_MESSAGE_BYTES, flights, onProblem });
  // One for the connection; another, for a moment, while a client finds out what is spoken here.
  const servers: PailServer[] = [];
  const over = new Promise<"closed" | "aborted">((resolve) => {
    stdin.once("end", () => resolve("closed"));
    stdin.once("close", () => resolve("closed"));
    stdin.once("error", () => resolve("closed"));
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  const handle = serveSdk(
    () => {
      const server = makeServer(flights);
      servers.push(server);
      return server.mcp;
    },
    { transport: wire, onerror: (error) => log.warn(error.message) },
  );
  log.debug("connected");

  if ((await over) === "closed") await settled(servers, wire, FINISH_MS);
  await handle.close();
  if (!(await settled(servers, wire, CLEAN_UP_MS)))
    log.warn("a call did not end when it was aborted");
  log.debug("disconnected");
}

/** Whether every call has ended, and its answer been written, within a time. */
async function settled(servers: readonly PailServer[], wire: Lines, ms: number): Promise<boolean> {
  const timer = new AbortController();
  // A message that has just been read becomes a call in a later turn.
  const idle = (async () => {
    await nextTurn();
    await Promise.all(servers.map((server) => server.idle()));
    await nextTurn();
    await wire.flushed();
    return true;
  })();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([idle, late]);
  timer.abort();
  return done;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
