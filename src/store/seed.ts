/** Filling a store from a folder: each folder in it is a bucket, each file below that an object. */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Backend } from "./disk/index.js";
import { createDigests, digesting } from "./body/digests.js";
import { StoreError } from "./errors.js";
import { isBucketName } from "./operations/bucket-name.js";
import { DEFAULT_CHECKSUM, staging, storedChecksum } from "./operations/write.js";
import { refuse } from "./refuse.js";

export interface Seeded {
  /** Made, because they were not there. */
  readonly objects: number;
  /** Left as they were. */
  readonly present: number;
  /** Paths within the folder of what is no file: links, sockets, files beside the buckets. */
  readonly skipped: readonly string[];
}

/** Makes the bucket unless it is there. Throws InvalidBucketName. */
export async function ensureBucket(backend: Backend, name: string, region: string): Promise<void> {
  if (!isBucketName(name)) {
    throw refuse("InvalidBucketName", `${name} cannot be the name of a bucket.`, {
      BucketName: name,
    });
  }
  try {
    await backend.createBucket(name, region);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "BucketAlreadyOwnedByYou")) throw error;
  }
}

/**
 * Makes the buckets and objects of a folder that are not there yet; what is there stays as it is.
 * `typeOf` tells a content type by a file's name.
 */
export async function seed(
  backend: Backend,
  folder: string,
  region: string,
  typeOf: (name: string) => string,
): Promise<Seeded> {
  let objects = 0;
  let present = 0;
  const skipped: string[] = [];

  const put = async (bucket: string, key: string, path: string): Promise<void> => {
    const digests = createDigests([DEFAULT_CHECKSUM]);
    const chunks = digesting(createReadStream(path) as AsyncIterable<Uint8Array>, digests);
    await staging(backend.stage(chunks), (blob) => {
      const { md5, ...rest } = digests.finish();
      const init = {
        headers: { "content-type": typeOf(key) },
        metadata: {},
        storageClass: "STANDARD",
        tags: {},
        etag: md5.toString("hex"),
        checksum: storedChecksum({ md5, ...rest }, DEFAULT_CHECKSUM),
      };
      // Somebody else may write it meanwhile, and theirs stays.
      return backend.putObject(bucket, key, blob, init, { ifNoneMatch: ["*"] });
    });
    objects += 1;
  };

  const walk = async (bucket: string, prefix: string): Promise<void> => {
    const entries = await readdir(join(folder, bucket, prefix), { withFileTypes: true });
    for (const entry of entries) {
      const key = prefix + entry.name;
      if (entry.isDirectory()) await walk(bucket, `${key}/`);
      else if (!entry.isFile()) skipped.push(join(bucket, key));
      else if (await isThere(backend, bucket, key)) present += 1;
      else await put(bucket, key, join(folder, bucket, key));
    }
  };

  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) {
      skipped.push(entry.name);
      continue;
    }
    await ensureBucket(backend, entry.name, region);
    await walk(entry.name, "");
  }
  return { objects, present, skipped };
}

async function isThere(backend: Backend, bucket: string, key: string): Promise<boolean> {
  try {
    return !(await backend.headObject(bucket, key)).deleteMarker;
  } catch (error) {
    if (error instanceof StoreError && error.code === "NoSuchKey") return false;
    throw error;
  }
}
