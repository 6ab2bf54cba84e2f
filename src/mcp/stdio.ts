/** Serving one client over stdin and stdout, from its first byte to its last. */
import { setTimeout as delay } from "node:timers/promises";
import type { Readable, Writable } from "node:stream";

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

import type { Log } from "./log.js";
import type { PailServer } from "./server.js";

/** Bytes of one message from the client; the text of a put_object is the largest. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** What runs when the client has closed its end may still finish for this long. */
const FINISH_MS = 1000;

/** What is aborted may take this long to clean up; clients kill a server after two to four. */
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
export async function serveStdio(server: PailServer, options: StdioOptions): Promise<void> {
  const { stdin, stdout, signal, log } = options;
  // One waits for the pipe to drain for each answer that is ready; hundreds may be.
  stdout.setMaxListeners(0);
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const over = new Promise<"closed" | "aborted">((resolve) => {
    stdin.once("end", () => resolve("closed"));
    stdin.once("close", () => resolve("closed"));
    stdin.once("error", () => resolve("closed"));
    Object.assign(server.mcp.server, {
      // A message that is too long to be read leaves nothing to go on with.
      onclose: () => resolve("aborted"),
      onerror: (error: Error) => log.warn(error.message),
    });
    if (signal.aborted) resolve("aborted");
    signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
  await server.mcp.connect(transport);
  log.debug("connected");

  if ((await over) === "closed") await settled(server, FINISH_MS);
  await server.mcp.close();
  if (!(await settled(server, CLEAN_UP_MS))) log.warn("a call did not end when it was aborted");
  log.debug("disconnected");
}

/** Whether every call has ended, and its answer been written, within a time. */
async function settled(server: PailServer, ms: number): Promise<boolean> {
  const timer = new AbortController();
  // What has just been read becomes a call in a later turn.
  const idle = (async () => {
    await nextTurn();
    await server.idle();
    await nextTurn();
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
