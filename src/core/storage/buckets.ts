/**
 * The control plane of one service. The frequent requests (list, exists, make, remove) go by the
 * raw signed request, because loading the SDK costs more than all the rest of such a command; so do
 * tags, as those of objects. All other settings of a bucket go by the SDK.
 */
import type { S3Client } from "@aws-sdk/client-s3";

import { vendorHeader } from "../../protocol/dialect.js";
import { child, childText, childrenOf } from "../../protocol/xml.js";
import { toAppError } from "../failures/map.js";
import { isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import { requestDocument, requestDone, xmlRequest } from "./documents.js";
import type { BucketEntry, BucketService } from "./s3-types.js";
import { tagging } from "./tags.js";

/** The buckets of the service that `client` speaks to. */
export function bucketService(client: SignedClient): BucketService {
  const list: BucketService["list"] = async ({ signal } = {}) => {
    const buckets: BucketEntry[] = [];
    let token: string | undefined;
    do {
      const query = { "continuation-token": token };
      const spec = { method: "GET", query, signal };
      const { document } = await requestDocument(client, spec, "ListAllMyBucketsResult");
      const all = child(document, "Buckets");
      for (const bucket of all === undefined ? [] : childrenOf(all, "Bucket")) {
        const created = Date.parse(childText(bucket, "CreationDate") ?? "");
        buckets.push({
          name: childText(bucket, "Name") ?? "",
          created: Number.isNaN(created) ? undefined : created,
        });
      }
      const next = childText(document, "ContinuationToken") || undefined;
      token = next === token ? undefined : next;
    } while (token !== undefined);
    return buckets;
  };

  const exists: BucketService["exists"] = async (bucket) => {
    try {
      await client.request({ method: "HEAD", bucket });
      return true;
    } catch (error) {
      if (isAppError(error) && error.code === "NoSuchBucket") return false;
      throw error;
    }
  };

  /** Whether the bucket is one of the account's own: a stranger's may be readable, but is not listed. */
  const isMine = (bucket: string): Promise<boolean> =>
    orDenied(list().then((all) => all.some(({ name }) => name === bucket)));

  const make: BucketService["make"] = async (bucket, options = {}) => {
    const { region } = client;
    // us-east-1 is the one region that must not be named
    // (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html).
    const configuration =
      region === "us-east-1"
        ? { headers: {} }
        : xmlRequest("CreateBucketConfiguration", { LocationConstraint: region });
    // Asked first: in us-east-1 making what is there succeeds, and so tells nothing.
    let made = !options.ignoreExisting || !(await orDenied(exists(bucket)));
    try {
      const lock = { [vendorHeader(client.dialect, "bucket-object-lock-enabled")]: "true" };
      const headers = options.lock ? { ...configuration.headers, ...lock } : configuration.headers;
      if (made) await requestDone(client, { method: "PUT", bucket, ...configuration, headers });
    } catch (error) {
      if (!isAppError(error) || !options.ignoreExisting) throw error;
      // Some services say of one's own bucket, too, that it is somebody else's.
      const mine =
        error.code === "BucketAlreadyOwnedByYou" ||
        (error.code === "BucketAlreadyExists" && (await isMine(bucket)));
      if (!mine) throw error;
      made = false;
    }
    if (options.versioning) await setVersioning(bucket, "Enabled");
    return made;
  };

  const remove: BucketService["remove"] = async (bucket) => {
    await requestDone(client, { method: "DELETE", bucket });
  };

  type Sdk = typeof import("@aws-sdk/client-s3");
  const bySdk = async <T>(
    doing: string,
    call: (s3: S3Client, sdk: Sdk) => Promise<T>,
  ): Promise<T> => {
    try {
      return await call(await client.sdk(), await import("@aws-sdk/client-s3"));
    } catch (error) {
      throw toAppError(error, doing);
    }
  };

  const getVersioning: BucketService["getVersioning"] = (bucket) =>
    bySdk(`versioning of ${bucket}`, async (s3, { GetBucketVersioningCommand }) => {
      const { Status } = await s3.send(new GetBucketVersioningCommand({ Bucket: bucket }));
      return Status;
    });

  const setVersioning: BucketService["setVersioning"] = (bucket, state) =>
    bySdk(`versioning of ${bucket}`, async (s3, { PutBucketVersioningCommand }) => {
      const VersioningConfiguration = { Status: state };
      await s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }));
    });

  const getTags: BucketService["getTags"] = async (bucket) => {
    try {
      return await tagging(client, bucket).getTags(undefined);
    } catch (error) {
      // S3's way of saying that there are none.
      if (isAppError(error) && error.code === "NoSuchTagSet") return {};
      throw error;
    }
  };

  const setTags: BucketService["setTags"] = (bucket, tags) =>
    tagging(client, bucket).setTags(undefined, tags);

  return { list, exists, make, remove, getVersioning, setVersioning, getTags, setTags };
}

/** The answer; no, for those who may not ask. */
async function orDenied(question: Promise<boolean>): Promise<boolean> {
  try {
    return await question;
  } catch (error) {
    if (isAppError(error) && error.kind === "denied") return false;
    throw error;
  }
}
