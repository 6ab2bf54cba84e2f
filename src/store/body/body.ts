/**
 * A request's body as the operations read it: decoded, counted, and checked against everything the
 * request promised. The last check happens before the stream ends: a caller that reads to the end
 * has read what the client meant, and a caller that stages the bytes stages nothing else.
 */
import { type ChecksumAlgorithm, createChecksum } from "../../protocol/checksum.js";
import { bodyChunks, bodyLength } from "../../protocol/message.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import type { Authenticated } from "../verify/verify.js";
import { decodeChunked } from "./aws-chunked.js";
import { createSignatureChain, type SignatureChain } from "./chunk-signatures.js";
import { createDigests, type Digests } from "./digests.js";
import { checksumHeader, parseChecksum, promisedChecksum, promisedMd5 } from "./expected.js";

export interface IncomingBody {
  /** Bytes after decoding. */
  readonly length: number;
  /** The decoded bytes, once. Throws a StoreError when they are not what was promised. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The algorithm of the checksum that the client sent. */
  readonly promised: ChecksumAlgorithm | undefined;
  /** Whether the client sent a checksum or a Content-MD5. */
  readonly checked: boolean;
  /** The digests, once the chunks were read to the end. */
  digests(): Digests;
}

/**
 * Prepares the reading of a body; nothing is read yet. `algorithms` are computed besides what the
 * client promised. Throws when the headers contradict each other.
 */
export function openBody(
  request: StoreRequest,
  auth: Authenticated,
  algorithms: readonly ChecksumAlgorithm[] = [],
): IncomingBody {
  const streaming = auth.payloadHash.startsWith("STREAMING-");
  // The checksum that ends a multipart upload is the object's, not that of the list of parts.
  const completes = request.raw.method === "POST" && request.query.has("uploadId");
  const promised = completes ? undefined : promisedChecksum(request);
  const expectedMd5 = promisedMd5(request);
  const length = streaming ? decodedLength(request) : plainLength(request);

  const digest = createDigests(
    promised === undefined ? algorithms : [...algorithms, promised.algorithm],
  );
  const sha256 = /^[\da-f]{64}$/.test(auth.payloadHash) ? createChecksum("SHA256") : undefined;
  let digests: Digests | undefined;

  const decoded = async function* (): AsyncGenerator<Uint8Array, string> {
    if (streaming) return yield* dechunk(request, auth);
    yield* bodyChunks(request.raw.body);
    return "";
  };

  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const source = decoded();
    let received = 0;
    let trailer = "";
    try {
      for (;;) {
        const next = await source.next();
        if (next.done === true) {
          trailer = next.value;
          break;
        }
        received += next.value.length;
        if (received > length) throw refuse("IncompleteBody");
        digest.update(next.value);
        sha256?.update(next.value);
        yield next.value;
      }
    } finally {
      await source.return("");
    }
    if (received < length) throw refuse("IncompleteBody");

    digests = digest.finish();
    if (sha256 !== undefined && sha256.digest().toString("hex") !== auth.payloadHash) {
      throw refuse("XAmzContentSHA256Mismatch", undefined, {
        ClientComputedContentSHA256: auth.payloadHash,
      });
    }
    if (expectedMd5 !== undefined && !digests.md5.equals(expectedMd5)) throw refuse("BadDigest");
    if (promised !== undefined) {
      const { algorithm } = promised;
      const expected = promised.value ?? trailingChecksum(request, algorithm, trailer);
      if (!digests.checksums.get(algorithm)!.equals(expected)) {
        throw refuse(
          "BadDigest",
          `The ${algorithm} you specified did not match the calculated checksum.`,
        );
      }
    }
  };

  return {
    length,
    chunks: chunks(),
    promised: promised?.algorithm,
    checked: promised !== undefined || expectedMd5 !== undefined,
    digests: () => {
      if (digests === undefined) throw new Error("the body was not read to its end");
      return digests;
    },
  };
}

/** Decodes aws-chunked; returns the trailers, their signature checked and removed. */
async function* dechunk(
  request: StoreRequest,
  auth: Authenticated,
): AsyncGenerator<Uint8Array, string> {
  const signed = auth.payloadHash !== "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
  // Only a request that is signed with version 4 ever claims a streaming payload.
  const chain = signed ? createSignatureChain(auth.chunkSigning!) : undefined;
  const trailers = auth.payloadHash.endsWith("-TRAILER");
  const source = bodyChunks(request.raw.body);
  const tail = yield* decodeChunked(source, { signatures: chain, trailers });
  return trailers && chain !== undefined ? checkTrailers(request, chain, tail) : tail;
}

function checkTrailers(request: StoreRequest, chain: SignatureChain, tail: string): string {
  const name = request.vendor("trailer-signature");
  const lines = trailerLines(tail);
  const last = lines.pop();
  if (last?.[0] !== name) throw refuse("MalformedTrailerError");
  const canonical = lines.map(([header, value]) => `${header}:${value}\n`).join("");
  chain.endTrailers(canonical, last[1]);
  return canonical;
}

function trailingChecksum(
  request: StoreRequest,
  algorithm: ChecksumAlgorithm,
  trailer: string,
): Buffer {
  const name = request.vendor(checksumHeader(algorithm));
  const lines = trailerLines(trailer);
  if (lines.length !== 1 || lines[0]![0] !== name) throw refuse("MalformedTrailerError");
  return parseChecksum(lines[0]![1], algorithm, name);
}

/** Splits trailers into names and values. Some clients end a trailer with `\n\r\n`. */
function trailerLines(text: string): [name: string, value: string][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) throw refuse("MalformedTrailerError");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    });
}

function decodedLength(request: StoreRequest): number {
  const text = request.header(request.vendor("decoded-content-length"));
  if (text === undefined) throw refuse("MissingContentLength");
  return parseLength(text, request.vendor("decoded-content-length"));
}

function plainLength(request: StoreRequest): number {
  const text = request.header("content-length");
  if (text !== undefined) return parseLength(text, "content-length");
  const length = bodyLength(request.raw.body);
  if (length === undefined) throw refuse("MissingContentLength");
  return length;
}

function parseLength(text: string, header: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw refuse("InvalidArgument", `${header} must be a number of bytes.`, {
    ArgumentName: header,
    ArgumentValue: text,
  });
}
