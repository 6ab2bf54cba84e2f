/** Objects as resources: `s3://{bucket}/{+key}`, with completion of both variables. */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpError, ReadResourceRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { AppError, isAppError } from "../core/failures/errors.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import { createCall } from "./call.js";
import { asText, mimeTypeOf, readPiece } from "./content.js";
import { errorResult } from "./errors.js";
import { MAX_INLINE_BYTES } from "./limits.js";
import type { ServerOptions } from "./options.js";
import type { Services } from "./services.js";
import type { Call } from "./tool.js";
import { listBuckets } from "./tools/list-buckets.js";

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
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

/** Registers the template, its completion and the reading of objects. */
export function registerObjects(
  mcp: McpServer,
  services: Services,
  options: ServerOptions,
  track: <T>(work: Promise<T>) => Promise<T>,
): void {
  const several = services.aliases.length > 1;
  const callFor = (alias: string | undefined, signal: AbortSignal): Call => {
    if (alias !== undefined && !services.aliases.includes(alias)) {
      throw new AppError({
        kind: "not-found",
        code: "UnknownAlias",
        message: `${alias} is not served`,
        hint: `use ${services.aliases.join(", ")}`,
      });
    }
    return createCall(services, options, { alias, signal, ask: undefined, notify: undefined });
  };
  const quietly = async (work: Promise<string[]>): Promise<string[]> => {
    try {
      return (await work).slice(0, MAX_COMPLETIONS);
    } catch (error) {
      // A suggestion that cannot be made is none; the call itself will say what is wrong.
      options.log.debug(`completion: ${errorResult(error, options.redact).content[0]?.text}`);
      return [];
    }
  };
  const never = new AbortController().signal;

  const template = new ResourceTemplate(
    several ? "s3://{alias}@{bucket}/{+key}" : "s3://{bucket}/{+key}",
    {
      list: undefined,
      complete: {
        alias: (value) => services.aliases.filter((name) => name.startsWith(value)),
        bucket: (value, context) =>
          quietly(
            track(completeBucket(value, () => callFor(context?.arguments?.["alias"], never))),
          ),
        key: (value, context) => {
          const { bucket, alias } = context?.arguments ?? {};
          if (bucket === undefined) return [];
          return quietly(track(completeKey(bucket, value, () => callFor(alias, never))));
        },
      },
    },
  );
  const read = async (uri: string, signal: AbortSignal) => {
    try {
      const { alias, bucket, key } = parseObjectUri(uri);
      const storage = await callFor(alias, signal).bucket(bucket, "read");
      return { contents: [{ uri, ...(await contents(storage, key, signal)) }] };
    } catch (error) {
      const missing = isAppError(error) && error.kind === "not-found";
      const { text } = errorResult(error, options.redact).content[0]!;
      throw new McpError(missing ? RESOURCE_NOT_FOUND : INVALID_PARAMS, text, { uri });
    }
  };
  mcp.registerResource("object", template, { title: "Object" }, (uri, _variables, { signal }) =>
    track(read(uri.href, signal)),
  );
  // In place of the SDK's own handler, which normalises the URI before anyone sees it: the dots of
  // `s3://b/a/../c` belong to the key.
  mcp.server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, { signal }) =>
    track(read(uri, signal)),
  );
}

/** The whole object. Throws EntityTooLarge when it does not fit an answer. */
async function contents(storage: BucketStorage, key: string, signal: AbortSignal) {
  const piece = await readPiece(storage, key, { offset: 0, limit: MAX_INLINE_BYTES, signal });
  const { size, contentType } = piece.info;
  const mimeType = mimeTypeOf(contentType);
  const text = asText(piece);
  if (piece.bytes.length < size || (text !== undefined && text.end < size)) {
    throw new AppError({
      kind: "usage",
      code: "EntityTooLarge",
      message: `the object has ${size} bytes; a resource is read whole`,
      hint: "call get_object, with an offset or with mode: download",
    });
  }
  return text === undefined
    ? { mimeType, blob: piece.bytes.toString("base64") }
    : { mimeType, text: text.text };
}

async function completeBucket(value: string, call: () => Call): Promise<string[]> {
  const buckets = await listBuckets(call());
  return buckets.map(({ name }) => name).filter((name) => name.startsWith(value));
}

async function completeKey(bucket: string, value: string, call: () => Call): Promise<string[]> {
  const storage = await call().bucket(bucket, "read");
  const pages = storage.list({ prefix: value, delimiter: "/", pageSize: MAX_COMPLETIONS });
  for await (const page of pages) return page.map(({ key }) => key);
  return [];
}
