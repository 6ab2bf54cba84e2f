/** Finds the operation of a request: by what it is on, its method, and its subresource. */
import { child, childText } from "../protocol/xml.js";
import type { Operation } from "./operations/call.js";
import {
  getBucketAcl,
  getObjectAcl,
  getOwnership,
  getPublicAccessBlock,
  putBucketAcl,
  putObjectAcl,
  putOwnership,
  putPublicAccessBlock,
  removeSetting,
} from "./operations/acl.js";
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
import { getCors, putCors } from "./operations/cors.js";
import { deleteObject, deleteObjects } from "./operations/delete.js";
import { getLifecycle, putLifecycle } from "./operations/lifecycle.js";
import { listObjects, listObjectsV2, listObjectVersions } from "./operations/list.js";
import { listParts, uploadPart, uploadPartCopy } from "./operations/part.js";
import { getPolicy, getPolicyStatus, putPolicy } from "./operations/policy.js";
import { getObject, headObject } from "./operations/read.js";
import {
  deleteBucketTagging,
  deleteObjectTagging,
  getBucketTagging,
  getObjectTagging,
  putBucketTagging,
  putObjectTagging,
} from "./operations/tagging.js";
import { keeping, missing, nothingToRemove, standard } from "./operations/unconfigured.js";
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
  "GET bucket?policy": getPolicy,
  "GET bucket?policyStatus": getPolicyStatus,
  "GET bucket?cors": getCors,
  "GET bucket?lifecycle": getLifecycle,
  "GET bucket?object-lock": missing("ObjectLockConfigurationNotFoundError"),
  "GET bucket?encryption": missing("ServerSideEncryptionConfigurationNotFoundError"),
  "GET bucket?website": missing("NoSuchWebsiteConfiguration"),
  "GET bucket?replication": missing("ReplicationConfigurationNotFoundError"),
  "GET bucket?publicAccessBlock": getPublicAccessBlock,
  "GET bucket?ownershipControls": getOwnership,
  "GET bucket?logging": standard("BucketLoggingStatus"),
  "GET bucket?notification": standard("NotificationConfiguration"),
  "GET bucket?accelerate": standard("AccelerateConfiguration"),
  "GET bucket?requestPayment": standard("RequestPaymentConfiguration", { Payer: "BucketOwner" }),
  "HEAD bucket": headBucket,
  "PUT bucket": createBucket,
  "PUT bucket?versioning": putBucketVersioning,
  "PUT bucket?tagging": putBucketTagging,
  "PUT bucket?acl": putBucketAcl,
  "PUT bucket?policy": putPolicy,
  "PUT bucket?cors": putCors,
  "PUT bucket?lifecycle": putLifecycle,
  "PUT bucket?publicAccessBlock": putPublicAccessBlock,
  "PUT bucket?ownershipControls": putOwnership,
  "PUT bucket?logging": keeping(
    "BucketLoggingStatus",
    (document) => child(document, "LoggingEnabled") !== undefined,
  ),
  "PUT bucket?notification": keeping(
    "NotificationConfiguration",
    (document) => document.children.length > 0,
  ),
  "PUT bucket?accelerate": keeping(
    "AccelerateConfiguration",
    (document) => childText(document, "Status") !== "Suspended",
  ),
  "PUT bucket?requestPayment": keeping(
    "RequestPaymentConfiguration",
    (document) => childText(document, "Payer") !== "BucketOwner",
  ),
  "DELETE bucket": deleteBucket,
  "DELETE bucket?tagging": deleteBucketTagging,
  "DELETE bucket?policy": removeSetting("policy"),
  "DELETE bucket?cors": removeSetting("cors"),
  "DELETE bucket?publicAccessBlock": removeSetting("publicAccessBlock"),
  "DELETE bucket?ownershipControls": removeSetting("ownership"),
  "DELETE bucket?lifecycle": removeSetting("lifecycle"),
  "DELETE bucket?website": nothingToRemove,
  "DELETE bucket?replication": nothingToRemove,
  "DELETE bucket?encryption": nothingToRemove,
  "DELETE bucket?analytics": nothingToRemove,
  "DELETE bucket?inventory": nothingToRemove,
  "DELETE bucket?metrics": nothingToRemove,
  "DELETE bucket?intelligent-tiering": nothingToRemove,
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
  "legal-hold",
  "metadataConfiguration",
  "metadataTable",
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

/** The name of a request: `PUT object?tagging`. Throws InvalidArgument when it has two names. */
export function nameOf(request: StoreRequest): string {
  const on =
    request.bucket === undefined ? "service" : request.key === undefined ? "bucket" : "object";
  const subresources = [...request.query.keys()].filter((name) => SUBRESOURCES.has(name));
  if (subresources.length > 1) {
    throw refuse(
      "InvalidArgument",
      `Conflicting query string parameters: ${subresources.join(", ")}`,
    );
  }
  const [subresource] = subresources;
  return `${request.method} ${on}${subresource === undefined ? "" : `?${subresource}`}`;
}

/** The operation of that name. Throws NotImplemented or MethodNotAllowed when there is none. */
export function route(request: StoreRequest, name: string): Operation {
  const copies = request.header(request.vendor("copy-source")) !== undefined;
  const operation =
    (copies ? OPERATIONS[`${name} from copy source`] : undefined) ?? OPERATIONS[name];
  if (operation !== undefined) return operation;
  if (name.includes("?")) throw notImplemented(name);
  const ResourceType = name.slice(name.indexOf(" ") + 1);
  throw refuse("MethodNotAllowed", undefined, { Method: request.method, ResourceType });
}
