/** Objects as resources: `s3://{bucket}/{+key}`, with completion of both variables. */
import {
  INVALID_PARAMS,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

import { AppError, notFoundError, usageError } from "../core/failures/errors.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import { createCall } from "./call.js";
import { asText, mimeTypeOf, readPiece } from "./content.js";
import { errorResult } from "./errors.js";
import { MAX_INLINE_BYTES, MAX_RESULT_BYTES } from "./limits.js";
import type { ServerOptions } from "./options.js";
import type { Services } from "./services.js";
import { visibleText } from "./text.js";
import type { Call } from "./tool.js";
import { listBuckets } from "./tools/list-buckets.js";

/** The protocol's own bound on completion values. */
const MAX_COMPLETIONS = 100;

/** Where a resource URI leads. */
export interface ObjectAddress {
  readonly alias: string | undefined;
  readonly bucket: string;
  readonly key: string;
}

/**
 * Reads `s3://bucket/key` or `s3://alias@bucket/key`. Not by URL, which would resolve the dots and
 * slashes of the key: everything after the bucket, percent-decoded, is the key. Throws InvalidURI.
 */
export function parseObjectUri(uri: string): ObjectAddress {
  const match = /^s3:\/\/(?:([^/@]+)@)?([^/@]+)\/(.+)$/s.exec(uri);
  try {
    const [, alias, bucket, key] = match!;
    return {
      alias: alias === undefined ? undefined : decodeURIComponent(alias),
      bucket: decodeURIComponent(bucket!),
      key: decodeURIComponent(key!),
    };
  } catch (cause) {
    throw new AppError({
      kind: "usage",
      code: "InvalidURI",
      message: `${uri.slice(0, 200)} is not the URI of an object`,
      hint: "write it as s3://bucket/key, the key percent-encoded",
      cause,
    });
  }
}

/** The URI of an object; the alias is named only when several are served. */
export function objectUri(bucket: string, key: string, alias?: string): string {
  const path = key.split("/").map(encodeURIComponent).join("/");
  return `s3://${alias === undefined ? "" : `${encodeURIComponent(alias)}@`}${bucket}/${path}`;
}

/** The means that the server lends to the reading of objects. */
interface Serving {
  readonly track: <T>(work: Promise<T>) => Promise<T>;
  readonly onSent: (id: string | number, done: () => void) => void;
}

/** Offers the template, its completion and the reading of objects. */
export function registerObjects(
  mcp: Server,
  services: Services,
  options: ServerOptions,
  { track, onSent }: Serving,
): void {
  const several = services.aliases.length > 1;
  const callFor = (alias: string | undefined, { signal, id }: ServerContext["mcpReq"]): Call => {
    if (alias !== undefined && !services.aliases.includes(alias)) {
      throw notFoundError(
        "UnknownAlias",
        `${alias} is not served`,
        `use ${services.aliases.join(", ")}`,
      );
    }
    return createCall(services, options, {
      tool: "resources/read",
      alias,
      signal,
      canAsk: false,
      answers: new Map(),
      onSent: (done) => onSent(id, done),
      notify: undefined,
    });
  };
  const uriTemplate = several ? "s3://{alias}@{bucket}/{+key}" : "s3://{bucket}/{+key}";
  mcp.setRequestHandler("resources/list", () => ({ resources: [] }));
  mcp.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ name: "object", title: "Object", uriTemplate }],
  }));
  // By hand, since the SDK's own handler normalises the URI before anyone sees it: the dots of
  // `s3://b/a/../c` belong to the key.
  mcp.setRequestHandler("resources/read", ({ params: { uri } }, { mcpReq }) => {
    const read = async () => {
      try {
        const { alias, bucket, key } = parseObjectUri(uri);
        const call = callFor(alias, mcpReq);
        await call.room(MAX_INLINE_BYTES);
        const storage = await call.bucket(bucket, "read");
        return { contents: [{ uri, ...(await contents(storage, key, mcpReq.signal)) }] };
      } catch (error) {
        const { text } = errorResult(error, options.redact).content[0]!;
        throw new ProtocolError(INVALID_PARAMS, text, { uri });
      }
    };
    return track(read());
  });
  mcp.setRequestHandler("completion/complete", ({ params }, { mcpReq }) => {
    const { argument, context, ref } = params;
    const suggest = async () => {
      if (ref.type !== "ref/resource" || ref.uri !== uriTemplate) return [];
      const { alias, bucket } = context?.arguments ?? {};
      if (argument.name === "alias") {
        return services.aliases.filter((name) => name.startsWith(argument.value));
      }
      if (argument.name === "bucket") return completeBucket(argument.value, callFor(alias, mcpReq));
      if (argument.name !== "key" || bucket === undefined) return [];
      return completeKey(bucket, argument.value, callFor(alias, mcpReq));
    };
    const complete = async () => {
      const all = await suggest().catch((error: unknown): string[] => {
        // A failure here only means no suggestions; the call itself will say what is wrong.
        options.log.debug(`completion: ${errorResult(error, options.redact).content[0]?.text}`);
        return [];
      });
      const values = all.slice(0, MAX_COMPLETIONS);
      return { completion: { values, total: all.length, hasMore: all.length > values.length } };
    };
    return track(complete());
  });
}

/** The whole object. Throws EntityTooLarge when it does not fit an answer. */
async function contents(storage: BucketStorage, key: string, signal: AbortSignal) {
  const piece = await readPiece(storage, {
    info: await storage.stat(key, { signal }),
    offset: 0,
    limit: MAX_INLINE_BYTES,
    signal,
  });
  const { size, contentType } = piece.info;
  const mimeType = mimeTypeOf(contentType);
  const text = asText(piece);
  const shown = text && visibleText(text.text).text;
  const fits = Buffer.byteLength(JSON.stringify(shown ?? "")) <= MAX_RESULT_BYTES;
  if (!fits || piece.bytes.length < size || (text !== undefined && text.end < size)) {
    throw usageError(
      "EntityTooLarge",
      `the object has ${size} bytes; a resource is read whole`,
      "call get_object, with an offset or with mode: download",
    );
  }
  return shown === undefined
    ? { mimeType, blob: piece.bytes.toString("base64") }
    : { mimeType, text: shown };
}

async function completeBucket(value: string, call: Call): Promise<string[]> {
  const buckets = await listBuckets(call);
  return buckets.map(({ name }) => name).filter((name) => name.startsWith(value));
}

async function completeKey(bucket: string, value: string, call: Call): Promise<string[]> {
  const storage = await call.bucket(bucket, "read");
  const pages = storage.list({ prefix: value, delimiter: "/", pageSize: MAX_COMPLETIONS });
  for await (const page of pages) return page.map(({ key }) => key);
  return [];
}
