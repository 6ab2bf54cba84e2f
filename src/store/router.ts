/** Which operation a request is: by what it is on, its method, and its subresource. */
import type { Operation } from "./operations/call.js";
import { getObjectAttributes } from "./operations/attributes.js";
import {
  createBucket,
  deleteBucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listBuckets,
  putBucketVersioning,
} from "./operations/bucket.js";
import { completeUpload } from "./operations/complete.js";
import { copyObject } from "./operations/copy.js";
import { deleteObject, deleteObjects } from "./operations/delete.js";
import { listObjects, listObjectsV2, listObjectVersions } from "./operations/list.js";
import { listParts, uploadPart, uploadPartCopy } from "./operations/part.js";
import { getObject, headObject } from "./operations/read.js";
import {
  deleteBucketTagging,
  deleteObjectTagging,
  getBucketTagging,
  getObjectTagging,
  putBucketTagging,
  putObjectTagging,
} from "./operations/tagging.js";
import {
  getBucketAcl,
  getObjectAcl,
  missing,
  putBucketAcl,
  putObjectAcl,
  standard,
} from "./operations/unconfigured.js";
import { abortUpload, createUpload, listUploads } from "./operations/upload.js";
import { putObject } from "./operations/write.js";
import { notImplemented, refuse } from "./refuse.js";
import type { StoreRequest } from "./request.js";

const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET service": listBuckets,

  "GET bucket": listObjects,
  "GET bucket?list-type": listObjectsV2,
  "GET bucket?versions": listObjectVersions,
  "GET bucket?uploads": listUploads,
  "GET bucket?location": getBucketLocation,
  "GET bucket?versioning": getBucketVersioning,
  "GET bucket?tagging": getBucketTagging,
  "GET bucket?acl": getBucketAcl,
  "GET bucket?policy": missing("NoSuchBucketPolicy"),
  "GET bucket?policyStatus": missing("NoSuchBucketPolicy"),
  "GET bucket?cors": missing("NoSuchCORSConfiguration"),
  "GET bucket?lifecycle": missing("NoSuchLifecycleConfiguration"),
  "GET bucket?object-lock": missing("ObjectLockConfigurationNotFoundError"),
  "GET bucket?encryption": missing("ServerSideEncryptionConfigurationNotFoundError"),
  "GET bucket?website": missing("NoSuchWebsiteConfiguration"),
  "GET bucket?replication": missing("ReplicationConfigurationNotFoundError"),
  "GET bucket?publicAccessBlock": missing("NoSuchPublicAccessBlockConfiguration"),
  "GET bucket?ownershipControls": missing("OwnershipControlsNotFoundError"),
  "GET bucket?logging": standard("BucketLoggingStatus"),
  "GET bucket?notification": standard("NotificationConfiguration"),
  "GET bucket?accelerate": standard("AccelerateConfiguration"),
  "GET bucket?requestPayment": standard("RequestPaymentConfiguration", { Payer: "BucketOwner" }),
  "HEAD bucket": headBucket,
  "PUT bucket": createBucket,
  "PUT bucket?versioning": putBucketVersioning,
  "PUT bucket?tagging": putBucketTagging,
  "PUT bucket?acl": putBucketAcl,
  "DELETE bucket": deleteBucket,
  "DELETE bucket?tagging": deleteBucketTagging,
  "POST bucket?delete": deleteObjects,

  "GET object": getObject,
  "GET object?tagging": getObjectTagging,
  "GET object?attributes": getObjectAttributes,
  "GET object?acl": getObjectAcl,
  "GET object?uploadId": listParts,
  "HEAD object": headObject,
  "PUT object": putObject,
  "PUT object from copy source": copyObject,
  "PUT object?tagging": putObjectTagging,
  "PUT object?acl": putObjectAcl,
  "PUT object?uploadId": uploadPart,
  "PUT object?uploadId from copy source": uploadPartCopy,
  "POST object?uploads": createUpload,
  "POST object?uploadId": completeUpload,
  "DELETE object": deleteObject,
  "DELETE object?tagging": deleteObjectTagging,
  "DELETE object?uploadId": abortUpload,
};

/** Subresources of S3 that no operation above has; a parameter that is none of S3's is ignored. */
const OTHER_SUBRESOURCES = [
  "abac",
  "analytics",
  "intelligent-tiering",
  "inventory",
  "legal-hold",
  "metadataConfiguration",
  "metadataTable",
  "metrics",
  "renameObject",
  "restore",
  "retention",
  "select",
  "session",
  "torrent",
];

const SUBRESOURCES = new Set([
  ...OTHER_SUBRESOURCES,
  ...Object.keys(OPERATIONS)
    .map((name) => /\?([\w-]+)/.exec(name)?.[1])
    .filter((name) => name !== undefined),
]);

/** The operation of a request. Throws NotImplemented or MethodNotAllowed when there is none. */
export function route(request: StoreRequest): Operation {
  const on =
    request.bucket === undefined ? "service" : request.key === undefined ? "bucket" : "object";
  const subresources = [...request.query.keys()].filter((name) => SUBRESOURCES.has(name));
  const [subresource] = subresources;
  if (subresources.length > 1) {
    throw refuse(
      "InvalidArgument",
      `Conflicting query string parameters: ${subresources.join(", ")}`,
    );
  }
  const copies = request.header(request.vendor("copy-source")) !== undefined;
  const name = `${request.method} ${on}${subresource === undefined ? "" : `?${subresource}`}`;
  const operation =
    (copies ? OPERATIONS[`${name} from copy source`] : undefined) ?? OPERATIONS[name];
  if (operation !== undefined) return operation;
  if (subresource !== undefined) throw notImplemented(name);
  throw refuse("MethodNotAllowed", undefined, { Method: request.method, ResourceType: on });
}
