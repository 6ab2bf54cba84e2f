/** The AWS SDK on a running store: prepares what pail is to find, and reads what it wrote. */
import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";

import type { RunningStore } from "./store.js";

/** Makes the SDK's client of a store. */
export function sdkFor(store: RunningStore): S3Client {
  return new S3Client({
    endpoint: store.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: store,
  });
}

/** Makes a bucket that holds these objects, key to content; anew when a test is tried again. */
export async function makeBucket(
  s3: S3Client,
  Bucket: string,
  objects: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<void> {
  try {
    await s3.send(new CreateBucketCommand({ Bucket }));
  } catch (error) {
    if (!(error instanceof BucketAlreadyOwnedByYou)) throw error;
    await removeBucket(s3, Bucket);
    await s3.send(new CreateBucketCommand({ Bucket }));
  }
  const put = ([Key, Body]: [string, string | Uint8Array]) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  await Promise.all(Object.entries(objects).map(put));
}

/** Removes a bucket with up to a thousand versions in it. */
async function removeBucket(s3: S3Client, Bucket: string): Promise<void> {
  const listed = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  const versions = [...(listed.Versions ?? []), ...(listed.DeleteMarkers ?? [])];
  await Promise.all(
    versions.map(({ Key, VersionId }) =>
      s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId })),
    ),
  );
  await s3.send(new DeleteBucketCommand({ Bucket }));
}

/** The keys of a bucket that begin with the prefix; a thousand at the most. */
export async function keysOf(s3: S3Client, Bucket: string, Prefix = ""): Promise<string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
  return Contents.map(({ Key }) => Key!);
}

/** The content of an object, as text. */
export async function textOf(s3: S3Client, Bucket: string, Key: string): Promise<string> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return await Body!.transformToString();
}
