/** An object's HTTP headers, in both directions. */
import { CHECKSUM_ALGORITHMS, type ChecksumAlgorithm } from "../../protocol/checksum.js";
import { type Dialect, vendorHeader } from "../../protocol/dialect.js";
import { MTIME } from "../local/times.js";
import { metadataName } from "../http/header-value.js";
import type { Encryption, ObjectHeaders, ObjectInfo, WriteOptions } from "./storage.js";

type Headers = Readonly<Record<string, string>>;

/** The headers that a service keeps with an object as they are. */
const KEPT_HEADERS = {
  contentType: "content-type",
  cacheControl: "cache-control",
  contentDisposition: "content-disposition",
  contentEncoding: "content-encoding",
  contentLanguage: "content-language",
  expires: "expires",
} as const satisfies Partial<Record<keyof ObjectHeaders, string>>;

export const KEPT_NAMES = Object.keys(KEPT_HEADERS) as (keyof typeof KEPT_HEADERS)[];

/** The fields that say how an object is stored; all else is left. */
export function headersOf(given: ObjectHeaders): ObjectHeaders {
  const names = [...KEPT_NAMES, "storageClass", "metadata"] as const;
  const set = names.filter((name) => given[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, given[name]]));
}

/** The header that carries a checksum: `x-amz-checksum-crc32`. */
export function checksumHeader(dialect: Dialect, algorithm: ChecksumAlgorithm): string {
  return namesOf(dialect).checksums[algorithm];
}

type Names = ReturnType<typeof namesFor>;

/** The names asked for with every object, each put together once for a dialect. */
const namesByDialect = new WeakMap<Dialect, Names>();

function namesOf(dialect: Dialect): Names {
  let names = namesByDialect.get(dialect);
  if (names === undefined) {
    names = namesFor(dialect);
    namesByDialect.set(dialect, names);
  }
  return names;
}

function namesFor(dialect: Dialect) {
  const name = (word: string) => vendorHeader(dialect, word);
  const checksum = (algorithm: string) => name(`checksum-${algorithm.toLowerCase()}`);
  return {
    checksums: Object.fromEntries(
      CHECKSUM_ALGORITHMS.map((algorithm) => [algorithm, checksum(algorithm)]),
    ) as Record<ChecksumAlgorithm, string>,
    checksumType: name("checksum-type"),
    deleteMarker: name("delete-marker"),
    encryption: name("server-side-encryption"),
    kmsKey: name("server-side-encryption-aws-kms-key-id"),
    customerAlgorithm: name("server-side-encryption-customer-algorithm"),
    metaPrefix: name("meta-"),
    partsCount: name("mp-parts-count"),
    storageClass: name("storage-class"),
    restore: name("restore"),
    versionId: name("version-id"),
  };
}

/** Checksums by algorithm, as response headers carry them. */
export function readChecksums(
  dialect: Dialect,
  headers: Headers,
): Partial<Record<ChecksumAlgorithm, string>> {
  const checksums: Partial<Record<ChecksumAlgorithm, string>> = {};
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = headers[checksumHeader(dialect, algorithm)];
    if (value) checksums[algorithm] = value;
  }
  return checksums;
}

/** An ETag as we keep it: without quotes and without the mark of a weak one. */
export function bareETag(etag: string | undefined): string | undefined {
  return etag?.replace(/^W\//, "").replaceAll('"', "") || undefined;
}

/** The size of an object whose answer does not tell it: it ends where its body ends. */
export const UNKNOWN_SIZE = Infinity;

/** Reads the answer to a HEAD or a GET. `size` is the whole object's, also for a partial answer. */
export function readInfo(dialect: Dialect, key: string, headers: Headers): ObjectInfo {
  const names = namesOf(dialect);
  const metadata: Record<string, string> = {};
  for (const name in headers) {
    if (!name.startsWith(names.metaPrefix)) continue;
    metadata[name.slice(names.metaPrefix.length)] = decodeWords(headers[name]!);
  }
  const total = /\/(\d+)$/.exec(headers["content-range"] ?? "")?.[1] ?? headers["content-length"];
  const modified = Date.parse(headers["last-modified"] ?? "");
  const parts = headers[names.partsCount];
  return {
    type: "object",
    key,
    size: Number(total ?? UNKNOWN_SIZE),
    lastModified: Number.isNaN(modified) ? undefined : modified,
    etag: bareETag(headers["etag"]),
    storageClass: headers[names.storageClass],
    versionId: headers[names.versionId],
    isDeleteMarker: headers[names.deleteMarker] === "true" ? true : undefined,
    contentType: headers["content-type"],
    cacheControl: headers["cache-control"],
    contentDisposition: headers["content-disposition"],
    contentEncoding: headers["content-encoding"],
    contentLanguage: headers["content-language"],
    expires: headers["expires"],
    metadata,
    checksums: readChecksums(dialect, headers),
    checksumType: headers[names.checksumType],
    partsCount: parts === undefined ? undefined : Number(parts),
    encryption: headers[names.encryption] ?? (headers[names.customerAlgorithm] && "SSE-C"),
    kmsKey: headers[names.kmsKey],
    restore: headers[names.restore],
  };
}

/** The headers that give an object its metadata. Throws InvalidMetadata for a name no header can carry. */
export function writeHeaders(
  dialect: Dialect,
  options: ObjectHeaders & Pick<WriteOptions, "tags" | "encryption">,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) headers[name] = value;
  };
  for (const name of KEPT_NAMES) add(KEPT_HEADERS[name], options[name]);
  const names = namesOf(dialect);
  add(names.storageClass, options.storageClass);
  add(names.encryption, options.encryption?.algorithm);
  add(names.kmsKey, options.encryption?.kmsKey);
  for (const [name, value] of Object.entries(options.metadata ?? {})) {
    add(vendorHeader(dialect, `meta-${metadataName(name).toLowerCase()}`), encodeWord(value));
  }
  if (options.tags !== undefined && Object.keys(options.tags).length > 0) {
    add(vendorHeader(dialect, "tagging"), encodeTags(options.tags));
  }
  return headers;
}

/** The encryption that an object keeps when it is written anew in its bucket: a key's, no default. */
export function ownEncryption({ encryption, kmsKey }: ObjectInfo): Encryption | undefined {
  return encryption?.startsWith("aws:kms") ? { algorithm: encryption, kmsKey } : undefined;
}

/** What an object keeps when its content is edited: all but the time that a file of it had. */
export function editedHeaders(info: ObjectInfo): ObjectHeaders & Pick<WriteOptions, "encryption"> {
  const { [MTIME]: _old, ...metadata } = info.metadata ?? {};
  return { ...headersOf({ ...info, metadata }), encryption: ownEncryption(info) };
}

/** The headers that make a write conditional. */
export function conditionHeaders(
  options: Pick<WriteOptions, "ifMatch" | "ifNoneMatch">,
): Record<string, string> {
  return {
    ...(options.ifMatch === undefined ? {} : { "if-match": quoted(options.ifMatch) }),
    ...(options.ifNoneMatch === undefined ? {} : { "if-none-match": options.ifNoneMatch }),
  };
}

/** An ETag as HTTP wants it; `*` stands for any. */
export function quoted(etag: string): string {
  return etag === "*" || etag.startsWith('"') ? etag : `"${etag}"`;
}

/** Tags as a query string; `%20` for a space, which every service reads the same way. */
function encodeTags(tags: Readonly<Record<string, string>>): string {
  return new URLSearchParams(tags).toString().replaceAll("+", "%20");
}

/**
 * RFC 2047, which S3 names for user metadata outside ASCII
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html).
 */
function encodeWord(value: string): string {
  if (/^[\t\u0020-\u007e]*$/.test(value)) return value;
  return `=?UTF-8?B?${Buffer.from(value, "utf8").toString("base64")}?=`;
}

function decodeWords(value: string): string {
  if (!value.includes("=?")) return value;
  return value
    .replaceAll(/(\?=)\s+(?==\?)/g, "$1")
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString("utf8")
        : Buffer.from(
            text
              .replaceAll("_", " ")
              .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            "latin1",
          ).toString("utf8"),
    );
}
