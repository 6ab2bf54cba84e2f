/** One object's HEAD, GET and PUT, and the copy of one, over the raw signed request. */
import { createHash } from "node:crypto";

import { vendorHeader } from "../../protocol/dialect.js";
import { type HttpResponse, type RequestBody, bodyChunks } from "../../protocol/message.js";
import { childText } from "../../protocol/xml.js";
import { type AppError, isAppError, unavailableError } from "../failures/errors.js";
import { ERROR_BODY_LIMIT, notS3Answer, readStart } from "../failures/map.js";
import type { RequestSpec, SignedClient } from "../http/client.js";
import { encodeComponent, encodeKey } from "../http/sign/canonical.js";
import { exactBody } from "./body.js";
import { requestDocument, requestDone } from "./documents.js";
import {
  UNKNOWN_SIZE,
  bareETag,
  checksumHeader,
  conditionHeaders,
  quoted,
  readInfo,
  writeHeaders,
} from "./object-headers.js";
import { conditionally } from "./conditional.js";
import type { CopyOptions, CopySource } from "./s3-types.js";
import type { ObjectInfo, OpenObject, ReadOptions, WriteOptions, WriteResult } from "./storage.js";

/** HEAD and GET of one bucket's objects. */
export function objectReader(client: SignedClient, bucket: string) {
  const { dialect } = client;
  const deleteMarker = vendorHeader(dialect, "delete-marker");
  let bucketSeen = false;

  // Asks for the bytes as they are stored: Google decompresses gzip for a client that does not say
  // it takes gzip, and a proxy may compress for one that does.
  const plain = { "accept-encoding": dialect.infix === "goog" ? "gzip" : "identity" };
  const wanted = { [vendorHeader(dialect, "checksum-mode")]: "ENABLED", ...plain };

  /** Asks for the checksums, too, unless the service is known to refuse that. */
  const ask = (spec: RequestSpec): Promise<HttpResponse> => {
    const send = (more: Readonly<Record<string, string>>) => {
      const headers = spec.headers === undefined ? more : { ...more, ...spec.headers };
      return client.request({ ...spec, headers }, (answer) => requireETag(spec, answer));
    };
    if (client.checksumMode.known() === "off") return send(plain);
    return send(wanted).catch(async (error: unknown) => {
      if (!isAppError(error) || error.code !== "NotImplemented") throw error;
      // If it was something else that is not implemented, this fails in the same way.
      const response = await send(plain);
      await client.checksumMode.remember("off");
      return response;
    });
  };

  /** A service that tells of an object gives its ETag; an answer without one is not from S3. */
  const requireETag = (spec: RequestSpec, { status, headers, body }: HttpResponse) => {
    if (headers["etag"] || headers[deleteMarker] === "true") return undefined;
    const error = notS3Answer(client.subject(spec), status, "it has no etag");
    // The other answer is read to its end, so that the connection can be used again.
    return readStart(body, ERROR_BODY_LIMIT).then(() => {
      throw error;
    });
  };

  /** A HEAD's 404 has no body that says whether the key or the bucket is missing. */
  const checkBucket = async (error: unknown): Promise<void> => {
    if (bucketSeen || !isAppError(error) || error.code !== "NoSuchKey") return;
    try {
      await client.request({ method: "HEAD", bucket });
      bucketSeen = true;
    } catch (other) {
      // A caller that may not ask about the bucket is still told about the key.
      if (isAppError(other) && other.code === "NoSuchBucket") throw other;
    }
  };

  const head = async (
    key: string,
    { versionId, signal }: { versionId?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<ObjectInfo> => {
    const spec = { method: "HEAD", bucket, key, query: { versionId }, signal };
    const response = await ask(spec);
    bucketSeen = true;
    const toldAt = Date.parse(response.headers["date"] ?? "");
    const info = readInfo(dialect, key, response.headers);
    return Number.isNaN(toldAt) ? info : { ...info, toldAt };
  };

  const stat = async (
    key: string,
    options: { versionId?: string | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<ObjectInfo> => {
    try {
      const info = await head(key, options);
      if (info.size === UNKNOWN_SIZE) throw withoutSize(`${bucket}/${key}`);
      return info;
    } catch (error) {
      await checkBucket(error);
      throw error;
    }
  };

  const read = async (key: string, options: ReadOptions = {}): Promise<OpenObject> => {
    const { versionId, range, ifMatch, signal, onRetry } = options;
    const spec: RequestSpec = {
      method: "GET",
      bucket,
      key,
      query: versionId === undefined ? undefined : { versionId },
      headers:
        range === undefined && ifMatch === undefined
          ? undefined
          : {
              ...conditionHeaders({ ifMatch }),
              range: range && `bytes=${range.start}-${range.end ?? ""}`,
            },
      signal,
      onRetry,
      tries: options.tries,
    };
    const response = await ask(spec);
    bucketSeen = true;
    const info = readInfo(dialect, key, response.headers);
    const { body, bytes } = response;
    if (range === undefined && bytes?.length === info.size) return { info, body, bytes };
    const checked = exactBody(response, range, `${bucket}/${key}`);
    if (info.size !== UNKNOWN_SIZE || range !== undefined) return { info, body: checked };
    // Compressing and streaming gateways leave the length out, but not always of a HEAD.
    const { size, etag } = await head(key, { versionId, signal }).catch(() => info);
    return { info: etag === info.etag ? { ...info, size } : info, body: checked };
  };

  return { stat, read };
}

/** Taken for 0, an unknown size would make an empty copy of the object. */
function withoutSize(about: string): AppError {
  return unavailableError("InvalidResponse", `the service does not say how large ${about} is`);
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
    const { checksum, payload, payloadHash, signal, onBytes } = options;
    const headers = writeHeaders(dialect, options);
    if (checksum) headers[checksumHeader(dialect, checksum.algorithm)] = checksum.value;
    const spec: RequestSpec = {
      method: "PUT",
      bucket,
      key,
      body,
      payload,
      payloadHash,
      signal,
      onSent: onBytes,
    };
    return conditionally({
      client,
      bucket,
      key,
      options,
      send: async (condition, how) => {
        const sent = { ...spec, ...how, headers: Object.assign(headers, condition) };
        return result(await requestDone(client, sent, "etag"));
      },
      etag: () => md5Of(body),
    });
  };

  const copyFrom = async (
    key: string,
    source: CopySource,
    options: CopyOptions = {},
  ): Promise<WriteResult> => {
    const { metadataDirective, storageClass, encryption, signal } = options;
    const own = metadataDirective === "REPLACE" ? options : { storageClass, encryption };
    const headers = {
      ...copySourceHeaders(client, source),
      ...writeHeaders(dialect, own),
      [vendorHeader(dialect, "metadata-directive")]: metadataDirective,
    };
    return conditionally({
      client,
      bucket,
      key,
      options,
      send: async (condition, how) => {
        const sent = { ...headers, ...condition };
        const spec: RequestSpec = { method: "PUT", bucket, key, signal, ...how, headers: sent };
        const answer = await requestDocument(client, spec, "CopyObjectResult", "ETag");
        return result(answer.response, childText(answer.document, "ETag"));
      },
      etag: () => bareETag(source.ifMatch),
    });
  };

  return { write, copyFrom };
}

/** The headers that name an object as the source of a copy. */
export function copySourceHeaders(
  { dialect }: SignedClient,
  { bucket, key, versionId, ifMatch }: CopySource,
): Record<string, string> {
  const version = versionId === undefined ? "" : `?versionId=${encodeComponent(versionId)}`;
  const source = vendorHeader(dialect, "copy-source");
  return {
    [source]: `/${bucket}/${encodeKey(key)}${version}`,
    ...(ifMatch === undefined ? {} : { [`${source}-if-match`]: quoted(ifMatch) }),
  };
}

/** The hex MD5 of a body; undefined when it cannot be read again. */
async function md5Of(body: RequestBody): Promise<string | undefined> {
  const digest = createHash("md5");
  try {
    for await (const chunk of bodyChunks(body)) digest.update(chunk);
  } catch {
    return undefined;
  }
  return digest.digest("hex");
}
