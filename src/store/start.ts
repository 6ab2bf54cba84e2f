/**
 * A store for somebody's tests, in one line: a folder of its own, credentials, a port or none, and
 * nothing left behind. This is the entry `pail-cli/store`.
 */
import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HttpHandler } from "../protocol/message.js";
import { answerFetch, sdkHandler } from "./start-adapters.js";
import { createStore, type Store } from "./index.js";
import { listen } from "./node-server.js";
import type { StartedStore, StartOptions } from "./start-types.js";

export type * from "./start-types.js";

const MEMORY = "/dev/shm";
/** No name that could be resolved (RFC 6761 §6.4). */
const NOWHERE = "http://store.invalid";

/** Starts a store. Rejects when the port cannot be had, or a name cannot be a bucket's. */
export async function startStore(options: StartOptions = {}): Promise<StartedStore> {
  const { buckets = [], region, port = 0, onError } = options;
  const credentials = options.credentials ?? {
    accessKeyId: `test${randomBytes(8).toString("hex")}`,
    secretAccessKey: randomBytes(20).toString("hex"),
  };
  const parent = options.memory === true && existsSync(MEMORY) ? MEMORY : tmpdir();
  const root = await mkdtemp(join(parent, "pail-test-"));
  const removeNow = () => rmSync(root, { recursive: true, force: true });
  // For tests that end without stopping it.
  process.once("exit", removeNow);

  let count = 0;
  let directory: string;
  const open = async (): Promise<Store> => {
    directory = join(root, String(count++));
    const store = createStore({ directory, region, root: credentials, onError });
    for (const name of buckets) await store.ensureBucket(name);
    return store;
  };
  const clear = async (): Promise<void> => {
    process.removeListener("exit", removeNow);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  };

  let current: Store;
  let server: Awaited<ReturnType<typeof listen>> | undefined;
  const handler: HttpHandler = (request, how) => current.handler(request, how);
  try {
    current = await open();
    if (port !== false) server = await listen({ handler }, { host: "127.0.0.1", port, onError });
  } catch (error) {
    await clear();
    throw error;
  }
  /** Removals that resets began; a request from before a reset may still be writing there. */
  const removals: Promise<void>[] = [];
  const endpoint = server?.url ?? NOWHERE;
  const home = region ?? "us-east-1";
  return {
    endpoint,
    region: home,
    credentials,
    client: {
      endpoint,
      region: home,
      credentials,
      forcePathStyle: true,
      requestHandler: sdkHandler(handler),
    },
    fetch: (input, init) => answerFetch(handler, new Request(input, init)),
    reset: async () => {
      const old = directory;
      current = await open();
      removals.push(rm(old, { recursive: true, force: true }).catch(() => undefined));
    },
    stop: async () => {
      await server?.close(0);
      await Promise.all(removals);
      await clear();
    },
  };
}
