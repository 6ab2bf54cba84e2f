/** The hash, or the word, that stands for the body in a signature. */
import { createHash, hash } from "node:crypto";

import type { RequestBody, StreamBody } from "../../../protocol/message.js";
import { UNSIGNED_PAYLOAD } from "./types.js";

/** Hex SHA-256 of nothing. */
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * The payload hash of a body, late only for a stream that is signed: it is read once for its hash,
 * before it is read again to be sent. `secure` says that the channel keeps the body whole by
 * itself.
 */
export function payloadHash(
  body: RequestBody | undefined,
  payload: "signed" | "unsigned" | undefined,
  secure: boolean,
  signal?: AbortSignal,
): string | Promise<string> {
  if (body === undefined) return EMPTY_SHA256;
  if (payload === "unsigned") return UNSIGNED_PAYLOAD;
  if (body instanceof Uint8Array) return hash("sha256", body);
  if (payload === undefined && secure) return UNSIGNED_PAYLOAD;
  return hashStream(body, signal);
}

async function hashStream(body: StreamBody, signal: AbortSignal | undefined): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of body.open()) {
    signal?.throwIfAborted();
    digest.update(chunk);
  }
  return digest.digest("hex");
}
