/** The contract on the embedded store: in process, over TCP, over TLS. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { SignedClient } from "../../src/core/http/client.js";
import type { Dialect } from "../../src/protocol/dialect.js";
import { createStore } from "../../src/store/index.js";
import { selfSigned } from "../support/certificate.js";
import { clientFor } from "../support/client.js";
import { type RunningStore, startStore } from "../support/store.js";
import { newBucket } from "./bucket-place.js";
import { bucketContract } from "./bucket.js";
import { bytesOf, contract, keys } from "./storage.js";

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

  it("keeps any keys at all, in order", async () => {
    const key = fc
      .oneof(
        fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
        fc.string({ unit: fc.constantFrom("a", "/", ".", "%", " ", "\n"), minLength: 1 }),
      )
      .filter((one) => Buffer.byteLength(one) <= 1024);
    const keySets = fc.uniqueArray(key, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(keySets, async (all) => {
        const place = await newBucket(client);
        const { storage } = place;
        for (const one of all) await storage.write(one, Buffer.from(one));
        const ordered = all.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(await keys(storage)).toEqual(ordered);
        for (const one of all) {
          expect((await bytesOf(storage, one)).toString()).toBe(one);
          expect(await keys(storage, { prefix: one, startAfter: one })).toEqual(
            ordered.filter((other) => other !== one && other.startsWith(one)),
          );
        }
        const results = await storage.remove(all.map((one) => ({ key: one })));
        expect(results).toEqual(all.map((one) => ({ key: one })));
        expect(await keys(storage)).toEqual([]);
        await place.close();
      }),
      { numRuns: 40 },
    );
  });
});

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
