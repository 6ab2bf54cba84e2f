/** The contract on the embedded store, in process and over TCP; `test/long` has more ways to it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import { createStore } from "../../src/store/index.js";
import { clientFor } from "../support/client.js";
import { type RunningStore, startStore } from "../support/store.js";
import { newBucket } from "./bucket-place.js";
import { keepsAnyKeys } from "./any-keys.js";
import { bucketContract } from "./bucket.js";
import { contract } from "./storage.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pail-contract-"));
});
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

describe("in process", () => {
  let client: SignedClient;
  beforeAll(async () => {
    const { handler, keys } = createStore({ directory: join(directory, "in-process") });
    client = clientFor({ handler, credentials: await keys.first() });
  });

  contract("the embedded store in process", () => newBucket(client), { quick: true });
  bucketContract("the embedded store in process", () => newBucket(client));

  it("keeps any keys at all, in order", () => keepsAnyKeys(() => newBucket(client), 6));
});

describe("over TCP", () => {
  let store: RunningStore;
  let client: SignedClient;
  beforeAll(async () => {
    store = await startStore();
    client = clientFor({ endpoint: store.endpoint, credentials: store });
  });
  afterAll(async () => {
    client.close();
    await store.close();
  });

  contract("the embedded store over TCP", () => newBucket(client));
  bucketContract("the embedded store over TCP", () => newBucket(client), { reachable: true });
});
