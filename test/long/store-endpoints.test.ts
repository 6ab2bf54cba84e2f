/** The contract on the embedded store in an invented dialect and over TLS, and on many random keys. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import type { Dialect } from "../../src/protocol/dialect.js";
import { createStore } from "../../src/store/index.js";
import { keepsAnyKeys } from "../contract/any-keys.js";
import { newBucket } from "../contract/bucket-place.js";
import { bucketContract } from "../contract/bucket.js";
import { contract } from "../contract/storage.js";
import { selfSigned } from "../support/certificate.js";
import { clientFor } from "../support/client.js";
import { type RunningStore, startStore } from "../support/store.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pail-contract-"));
});
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

describe("in an invented dialect", () => {
  const dialect: Dialect = {
    scheme: "ACME1",
    infix: "acme",
    service: "depot",
    terminator: "acme1_request",
  };
  let client: SignedClient;
  beforeAll(async () => {
    const { handler, keys } = createStore({ directory: join(directory, "dialect"), dialect });
    client = clientFor({ handler, dialect, credentials: await keys.first() });
  });

  contract("the embedded store in an invented dialect", () => newBucket(client));
  bucketContract("the embedded store in an invented dialect", () => newBucket(client));

  it("keeps any keys at all, in order", () => keepsAnyKeys(() => newBucket(client), 60));
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
