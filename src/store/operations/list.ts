/** ListObjects, ListObjectsV2 and ListObjectVersions. */
import type { HttpResponse } from "../../protocol/message.js";
import type { XmlContent } from "../../protocol/xml.js";
import type { ListPage, ListQuery, ObjectRecord } from "../records.js";
import type { StoreRequest } from "../request.js";
import { respondXml } from "../response.js";
import { encodeKey } from "../uri.js";
import {
  bucketOf,
  type Call,
  formatToken,
  intParameter,
  invalidArgument,
  OWNER,
  parseToken,
  quoted,
} from "./call.js";

/** The most that are given at once. */
const MAX_KEYS = 1000;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html */
export async function listObjects(call: Call): Promise<HttpResponse> {
  const { request } = call;
  const bucket = bucketOf(call);
  const encode = keyEncoder(request);
  const query = listQuery(call, request.query.get("marker"));
  const page = await listPage(call, bucket, query, "listObjects");
  return respondXml("ListBucketResult", {
    Name: bucket,
    Prefix: encode(query.prefix),
    Marker: encode(query.after?.key ?? ""),
    MaxKeys: query.limit,
    ...shared(request, query, encode),
    IsTruncated: page.next !== undefined,
    // S3 gives it only with a delimiter; without one the last key serves.
    NextMarker: query.delimiter === "" ? undefined : page.next && encode(page.next.key),
    Contents: page.entries.map((record) => objectElement(record, encode, true)),
    CommonPrefixes: prefixes(page, encode),
  });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export async function listObjectsV2(call: Call): Promise<HttpResponse> {
  const { request } = call;
  const bucket = bucketOf(call);
  const type = request.query.get("list-type")!;
  if (type !== "2")
    throw invalidArgument("list-type", type, "Invalid List Type specified in Request");
  const encode = keyEncoder(request);
  const token = request.query.get("continuation-token");
  const startAfter = request.query.get("start-after");
  const withOwner = request.query.get("fetch-owner") === "true";
  const query = listQuery(call, token ? parseToken(token) : startAfter);
  const page = await listPage(call, bucket, query, "listObjects");
  return respondXml("ListBucketResult", {
    Name: bucket,
    Prefix: encode(query.prefix),
    ContinuationToken: token,
    NextContinuationToken: page.next && formatToken(page.next.key),
    StartAfter: startAfter === undefined ? undefined : encode(startAfter),
    KeyCount: page.entries.length + page.commonPrefixes.length,
    MaxKeys: query.limit,
    ...shared(request, query, encode),
    IsTruncated: page.next !== undefined,
    Contents: page.entries.map((record) => objectElement(record, encode, withOwner)),
    CommonPrefixes: prefixes(page, encode),
  });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html */
export async function listObjectVersions(call: Call): Promise<HttpResponse> {
  const { request } = call;
  const bucket = bucketOf(call);
  const encode = keyEncoder(request);
  const keyMarker = request.query.get("key-marker") ?? "";
  const versionMarker = request.query.get("version-id-marker") || undefined;
  if (versionMarker !== undefined && keyMarker === "") {
    throw invalidArgument(
      "version-id-marker",
      versionMarker,
      "A version-id marker cannot be specified without a key marker.",
    );
  }
  const query = listQuery(call, keyMarker, versionMarker);
  const page = await listPage(call, bucket, query, "listVersions");
  const head = {
    Name: bucket,
    Prefix: encode(query.prefix),
    KeyMarker: encode(keyMarker),
    VersionIdMarker: versionMarker ?? "",
    NextKeyMarker: page.next && encode(page.next.key),
    NextVersionIdMarker: page.next?.versionId,
    MaxKeys: query.limit,
    ...shared(request, query, encode),
    IsTruncated: page.next !== undefined,
  };
  // Versions and markers come mixed, in the order of their keys.
  const versions = page.entries.map((record) => versionElement(record, encode));
  const commonPrefixes = { CommonPrefixes: prefixes(page, encode) };
  return respondXml("ListVersionsResult", [head, ...versions, commonPrefixes]);
}

function listQuery(call: Call, after: string | undefined, versionId?: string): ListQuery {
  const { query } = call.request;
  return {
    prefix: query.get("prefix") ?? "",
    delimiter: query.get("delimiter") ?? "",
    after: after ? { key: after, versionId } : undefined,
    limit: Math.min(intParameter(call, "max-keys", MAX_KEYS), MAX_KEYS),
  };
}

async function listPage(
  call: Call,
  bucket: string,
  query: ListQuery,
  what: "listObjects" | "listVersions",
): Promise<ListPage<ObjectRecord>> {
  if (query.limit > 0) return call.backend[what](bucket, query);
  await call.backend.getBucket(bucket);
  return { entries: [], commonPrefixes: [] };
}

/** The elements by which every listing repeats how it was asked for. */
function shared(
  request: StoreRequest,
  query: ListQuery,
  encode: (key: string) => string,
): Record<string, XmlContent> {
  return {
    Delimiter: query.delimiter === "" ? undefined : encode(query.delimiter),
    EncodingType: request.query.get("encoding-type"),
  };
}

/** How keys are written: encoded when `encoding-type=url` asks for it. */
export function keyEncoder({ query }: StoreRequest): (key: string) => string {
  const type = query.get("encoding-type");
  if (type === undefined) return (key) => key;
  if (type === "url") return encodeKey;
  throw invalidArgument("encoding-type", type, "Invalid Encoding Method specified in Request");
}

function objectElement(
  record: ObjectRecord,
  encode: (key: string) => string,
  withOwner: boolean,
): XmlContent {
  return {
    Key: encode(record.key),
    LastModified: record.lastModified.toISOString(),
    ETag: quoted(record.etag),
    ChecksumAlgorithm: record.checksum?.algorithm,
    ChecksumType: record.checksum?.type,
    Size: record.size,
    Owner: withOwner ? OWNER : undefined,
    StorageClass: record.storageClass,
  };
}

function versionElement(record: ObjectRecord, encode: (key: string) => string): XmlContent {
  const common = {
    Key: encode(record.key),
    VersionId: record.versionId,
    IsLatest: record.isLatest,
    LastModified: record.lastModified.toISOString(),
  };
  if (record.deleteMarker) return { DeleteMarker: { ...common, Owner: OWNER } };
  return {
    Version: {
      ...common,
      ETag: quoted(record.etag),
      ChecksumAlgorithm: record.checksum?.algorithm,
      ChecksumType: record.checksum?.type,
      Size: record.size,
      Owner: OWNER,
      StorageClass: record.storageClass,
    },
  };
}

function prefixes(page: ListPage<unknown>, encode: (key: string) => string): XmlContent {
  return page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) }));
}
