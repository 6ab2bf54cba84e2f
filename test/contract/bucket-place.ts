import { randomBytes } from "node:crypto";

import type { SignedClient } from "../../src/core/http/client.js";
import { bucketService } from "../../src/core/storage/buckets.js";
import type { BucketService, BucketStorage } from "../../src/core/storage/s3-types.js";
import { openBucket } from "../../src/core/storage/s3.js";
import type { RemoveTarget } from "../../src/core/storage/storage.js";

export interface BucketPlace {
  readonly storage: BucketStorage;
  readonly service: BucketService;
  close(): Promise<void>;
}

/** A new bucket of a service; `close` empties it, versions and unfinished uploads too. */
export async function newBucket(client: SignedClient): Promise<BucketPlace> {
  const name = `pail-${randomBytes(8).toString("hex")}`;
  const service = bucketService(client);
  const storage = openBucket(client, name);
  await service.make(name);
  return {
    storage,
    service,
    close: async () => {
      for await (const uploads of storage.listUploads()) {
        for (const { key, uploadId } of uploads) await storage.abortUpload(key, uploadId);
      }
      const left: RemoveTarget[] = [];
      for await (const page of storage.list({ versions: true })) left.push(...page);
      for (let i = 0; i < left.length; i += 1000) {
        const batch = left.slice(i, i + 1000).map(({ key, versionId }) => ({ key, versionId }));
        const failed = (await storage.remove(batch)).find(({ error }) => error !== undefined);
        if (failed) throw new Error(`${failed.key} stays: ${failed.error?.message}`);
      }
      await service.remove(name);
    },
  };
}
