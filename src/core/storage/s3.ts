import type { SignedClient } from "../http/client.js";
import { lister } from "./list.js";
import { multipart } from "./multipart.js";
import { objectReader, objectWriter } from "./objects.js";
import { remover } from "./remove.js";
import { restorer } from "./restore.js";
import type { BucketStorage } from "./s3-types.js";
import { tagging } from "./tags.js";

/**
 * A bucket. Nothing is sent until a method is called, so the bucket need not exist.
 * Everything here goes by the raw signed request; the SDK is for buckets.ts.
 */
export function openBucket(client: SignedClient, bucket: string): BucketStorage {
  return {
    bucket,
    client,
    list: lister(client, bucket),
    remove: remover(client, bucket),
    restore: restorer(client, bucket),
    ...objectReader(client, bucket),
    ...objectWriter(client, bucket),
    ...multipart(client, bucket),
    ...tagging(client, bucket),
    presign: (method, key, expiresIn, { versionId, contentType } = {}) =>
      client.presign(
        { method, bucket, key, query: { versionId }, headers: { "content-type": contentType } },
        expiresIn,
      ),
  };
}
