/** The contract on the embedded store: in process, over TCP, over TLS. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import { createStore } from "../../src/store/index.js";
import { selfSigned } from "../support/certificate.js";
import { clientFor } from "../support/client.js";
import { type RunningStore, startStore } from "../support/store.js";
import { newBucket } from "./bucket-place.js";
import { bucketContract } from "./bucket.js";
import { contract } from "./storage.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pail-contract-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe("in process", () => {
  let client: SignedClient;
  beforeAll(async () => {
    const { handler, keys } = createStore({ directory: join(directory, "in-process") });
    client = clientFor({ handler, credentials: await keys.first() });
  });

  contract("the embedded store in process", () => newBucket(client));
  bucketContract("the embedded store in process", () => newBucket(client));
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

describe("over TLS", () => {
  let store: RunningStore;
  let client: SignedClient;
  beforeAll(async () => {
    const tls = selfSigned();
    const caFile = join(directory, "ca.pem");
    await writeFile(caFile, tls.cert);
    store = await startStore({ tls });
    client = clientFor({ endpoint: store.endpoint, credentials: store, caFile });
  });
  afterAll(async () => {
    client.close();
    await store.close();
  });

  contract("the embedded store over TLS", () => newBucket(client));
  bucketContract("the embedded store over TLS", () => newBucket(client));
});
