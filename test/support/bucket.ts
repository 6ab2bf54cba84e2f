/** A bucket on an embedded store of its own, to copy to and from. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { openBucket } from "../../src/core/storage/s3.js";
import type { TransferEvent } from "../../src/core/engine/events.js";
import type { Place } from "../../src/core/operations/types.js";
import { readAll } from "../../src/protocol/message.js";
import type { HttpHandler } from "../../src/protocol/message.js";
import { createStore, type Store } from "../../src/store/index.js";
import { clientFor } from "./client.js";

export interface TestBucket {
  readonly storage: BucketStorage;
  readonly store: Store;
  /** An empty directory for local files. */
  readonly directory: string;
  /** A directory for resume records. */
  readonly stateDir: string;
  /** A place in the bucket. */
  at(key: string): Extract<Place, { type: "bucket" }>;
  /** The same bucket through another handler, as another alias would see it. */
  through(handler: (inner: HttpHandler) => HttpHandler): Promise<BucketStorage>;
  /** Another bucket of the same store and client. */
  sibling(name: string): Promise<BucketStorage>;
  /** Writes a local file, directories on the way made, and returns its path. */
  file(name: string, content: string | Uint8Array): string;
  put(key: string, content: string | Uint8Array): Promise<void>;
  get(key: string): Promise<Buffer>;
  keys(prefix?: string): Promise<string[]>;
  close(): void;
}

/**
 * Makes a bucket named `bucket`; requests are answered in process, signed and verified. The service
 * is `ahead` of this machine, so that an object stored a moment ago is seconds old to it, and no
 * move has to wait.
 */
export async function startBucket({ ahead = 2_000 } = {}): Promise<TestBucket> {
  const root = mkdtempSync(join(tmpdir(), "pail-bucket-"));
  const directory = join(root, "files");
  mkdirSync(directory);
  const store = createStore({ directory: join(root, "store"), now: () => Date.now() + ahead });
  const credentials = await store.keys.first();
  const client = clientFor({ handler: store.handler, credentials });
  const make = async (name: string) => {
    await client.request({ method: "PUT", bucket: name });
    return openBucket(client, name);
  };
  const storage = await make("bucket");
  return {
    storage,
    store,
    directory,
    stateDir: join(root, "state"),
    at: (key) => ({ type: "bucket", storage, key, alias: "local" }),
    through: async (wrap) =>
      openBucket(clientFor({ handler: wrap(store.handler), credentials }), "bucket"),
    sibling: make,
    file: (name, content) => {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    put: async (key, content) => {
      await storage.write(key, Buffer.from(content));
    },
    get: async (key) => readAll((await storage.read(key)).body, 1024 ** 3),
    keys: async (prefix = "") => {
      const keys: string[] = [];
      for await (const page of storage.list({ prefix })) keys.push(...page.map(({ key }) => key));
      return keys;
    },
    close: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Keeps events by type. */
export function recorder() {
  const events: TransferEvent[] = [];
  return {
    onEvent: (event: TransferEvent) => {
      events.push(event);
    },
    of: <T extends TransferEvent["type"]>(type: T) =>
      events.filter((event): event is Extract<TransferEvent, { type: T }> => event.type === type),
  };
}

/** Bytes that look random, the same for the same seed. */
export function pseudoRandom(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = seed;
  for (let i = 0; i + 4 <= size; i += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes.writeInt32LE(state, i);
  }
  bytes.fill(seed & 0xff, size - (size % 4));
  return bytes;
}
