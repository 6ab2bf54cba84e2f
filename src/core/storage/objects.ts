/** One object's HEAD, GET and PUT, and the copy of one, over the raw signed request. */
import { vendorHeader } from "../../protocol/dialect.js";
import type { HttpResponse, RequestBody } from "../../protocol/message.js";
import { childText } from "../../protocol/xml.js";
import { AppError, isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import { exactBody } from "./body.js";
import { requestDocument } from "./documents.js";
import {
  bareETag,
  checksumHeader,
  conditionHeaders,
  quoted,
  readInfo,
  writeHeaders,
} from "./object-headers.js";
import type { CopyOptions, CopySource } from "./s3-types.js";
import type { ObjectInfo, OpenObject, ReadOptions, WriteOptions, WriteResult } from "./storage.js";

/** HEAD and GET of one bucket's objects. */
export function objectReader(client: SignedClient, bucket: string) {
  const { dialect } = client;
  let bucketSeen = false;

  // Asks for the checksums, and for the bytes as they are stored: Google decompresses gzip for
  // whom does not say that it takes gzip, and a proxy may compress for whom does.
  const wanted = {
    [vendorHeader(dialect, "checksum-mode")]: "ENABLED",
    "accept-encoding": dialect.infix === "goog" ? "gzip" : "identity",
  };

  /** A HEAD's 404 has no body that says whether the key or the bucket is missing. */
  const checkBucket = async (error: unknown): Promise<void> => {
    if (bucketSeen || !isAppError(error) || error.code !== "NoSuchKey") return;
    try {
      await client.request({ method: "HEAD", bucket });
      bucketSeen = true;
    } catch (other) {
      // Who may not ask about the bucket is still told about the key.
      if (isAppError(other) && other.code === "NoSuchBucket") throw other;
    }
  };

  const stat = async (
    key: string,
    options: { versionId?: string; signal?: AbortSignal } = {},
  ): Promise<ObjectInfo> => {
    const { versionId, signal } = options;
    try {
      const spec = { method: "HEAD", bucket, key, query: { versionId }, headers: wanted, signal };
      const { headers } = await client.request(spec);
      bucketSeen = true;
      if (headers["content-length"] === undefined) throw withoutSize(`${bucket}/${key}`);
      return readInfo(dialect, key, headers);
    } catch (error) {
      await checkBucket(error);
      throw error;
    }
  };

  const read = async (key: string, options: ReadOptions = {}): Promise<OpenObject> => {
    const { versionId, range, ifMatch, signal, onRetry } = options;
    const headers =
      range === undefined && ifMatch === undefined
        ? wanted
        : {
            ...wanted,
            ...conditionHeaders({ ifMatch }),
            range: range && `bytes=${range.start}-${range.end ?? ""}`,
          };
    const query = versionId === undefined ? undefined : { versionId };
    const response = await client.request({
      method: "GET",
      bucket,
      key,
      query,
      headers,
      signal,
      onRetry,
    });
    bucketSeen = true;
    const info = readInfo(dialect, key, response.headers);
    const { body, bytes } = response;
    if (range === undefined && bytes?.length === info.size) return { info, body, bytes };
    return { info, body: exactBody(response, range, `${bucket}/${key}`) };
  };

  return { stat, read };
}

/** Taken for 0, an unknown size would make an empty copy of the object. */
function withoutSize(about: string): AppError {
  return new AppError({
    kind: "unavailable",
    code: "InvalidResponse",
    message: `the service does not say how large ${about} is`,
  });
}

/** PUT and server-side copy into one bucket. */
export function objectWriter(client: SignedClient, bucket: string) {
  const { dialect } = client;

  const result = ({ headers }: HttpResponse, etag = headers["etag"]): WriteResult => ({
    etag: bareETag(etag),
    versionId: headers[vendorHeader(dialect, "version-id")],
  });

  const write = async (
    key: string,
    body: RequestBody,
    options: WriteOptions = {},
  ): Promise<WriteResult> => {
    const { checksum, payload, payloadHash, signal, onBytes, onRetry } = options;
    const headers = Object.assign(writeHeaders(dialect, options), conditionHeaders(options));
    if (checksum) headers[checksumHeader(dialect, checksum.algorithm)] = checksum.value;
    const response = await client.request({
      method: "PUT",
      bucket,
      key,
      headers,
      body,
      payload,
      payloadHash,
      idempotent: unconditional(options),
      signal,
      onSent: onBytes,
      onRetry,
    });
    if (response.bytes === undefined) await drain(response);
    return result(response);
  };

  const copyFrom = async (
    key: string,
    source: CopySource,
    options: CopyOptions = {},
  ): Promise<WriteResult> => {
    const { metadataDirective, storageClass, signal } = options;
    const { document, response } = await requestDocument(client, {
      method: "PUT",
      bucket,
      key,
      headers: {
        ...copySourceHeaders(client, source),
        ...writeHeaders(dialect, metadataDirective === "REPLACE" ? options : { storageClass }),
        ...conditionHeaders(options),
        [vendorHeader(dialect, "metadata-directive")]: metadataDirective,
      },
      idempotent: unconditional(options),
      signal,
    });
    return result(response, childText(document, "ETag"));
  };

  return { write, copyFrom };
}

/** The headers that name an object as the source of a copy. */
export function copySourceHeaders(
  { dialect }: SignedClient,
  { bucket, key, versionId, ifMatch }: CopySource,
): Record<string, string> {
  const version = versionId === undefined ? "" : `?versionId=${encodeURIComponent(versionId)}`;
  const path = key.split("/").map(encodeSegment).join("/");
  const source = vendorHeader(dialect, "copy-source");
  return {
    [source]: `/${bucket}/${path}${version}`,
    ...(ifMatch === undefined ? {} : { [`${source}-if-match`]: quoted(ifMatch) }),
  };
}

/**
 * A conditional write is not repeated when its answer was lost: had it succeeded, the repeat would
 * be refused, and the caller told that somebody else had written.
 */
export function unconditional(options: Pick<WriteOptions, "ifMatch" | "ifNoneMatch">): boolean {
  return options.ifMatch === undefined && options.ifNoneMatch === undefined;
}

/** Reads what is left of an answer, so that its connection can be used again. */
export async function drain({ body }: HttpResponse): Promise<void> {
  for await (const _ of body);
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
