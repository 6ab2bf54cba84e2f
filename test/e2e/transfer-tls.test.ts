/** Large transfers over TLS, where bodies are not hashed for the signature but carry a checksum. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { openBucket } from "../../src/core/storage/s3.js";
import { copy } from "../../src/core/operations/copy.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom } from "../support/bucket.js";
import { selfSigned } from "../support/certificate.js";
import { clientFor } from "../support/client.js";
import { type RunningStore, startStore } from "../support/store.js";

let store: RunningStore;
let storage: BucketStorage;
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "pail-tls-"));
  const tls = selfSigned();
  store = await startStore({ tls });
  const caFile = join(root, "ca.pem");
  writeFileSync(caFile, tls.cert);
  const client = clientFor({ endpoint: store.endpoint, credentials: store, caFile });
  await client.request({ method: "PUT", bucket: "bucket" });
  storage = openBucket(client, "bucket");
});
afterAll(async () => {
  storage.client.close();
  await store.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

describe("over TLS", () => {
  it.each([300_000, 12 * MIB, 40 * MIB + 17])(
    "%i bytes go up and come back the same",
    async (size) => {
      const content = pseudoRandom(size, 7);
      const file = { type: "path", path: join(root, "file") } as const;
      const back = { type: "path", path: join(root, "back") } as const;
      const object = { type: "bucket", storage, key: `k${size}`, alias: "t" } as const;
      writeFileSync(file.path, content);
      expect((await copy({ sources: [file], target: object })).failures).toEqual([]);
      expect((await storage.stat(object.key)).checksums.CRC32).toBeDefined();
      expect((await copy({ sources: [object], target: back })).failures).toEqual([]);
      expect(readFileSync(back.path).equals(content)).toBe(true);
    },
  );
});
