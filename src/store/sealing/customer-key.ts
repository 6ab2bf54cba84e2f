/**
 * Encryption with keys that customers keep (SSE-C): the key comes with each request and is not kept
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerSideEncryptionCustomerKeys.html).
 */
import { createHash, createHmac, randomBytes } from "node:crypto";

import type { ObjectRecord, Sealing } from "../records.js";
import type { OpenBlob } from "../disk/reader.js";
import { refuse } from "../refuse.js";
import type { StoreRequest } from "../request.js";
import { equalBytes } from "../verify/verify.js";
import { type SealedStream, unseal } from "./stream.js";

export interface CustomerKey {
  readonly bytes: Buffer;
  /** Base64. */
  readonly md5: string;
}

const NAME = "server-side-encryption-customer";

/** The key of a request, or of the source of its copy; undefined when there is none. */
export function customerKey(
  request: StoreRequest,
  of: "" | "copy-source-" = "",
): CustomerKey | undefined {
  const header = (name: string) => request.header(request.vendor(`${of}${NAME}-${name}`));
  const [algorithm, text, md5] = [header("algorithm"), header("key"), header("key-md5")];
  if (algorithm === undefined && text === undefined && md5 === undefined) return undefined;
  const invalid = (message: string) => refuse("InvalidArgument", message);
  if (algorithm === undefined || text === undefined || md5 === undefined) {
    throw invalid(
      "Requests specifying Server Side Encryption with Customer provided keys must provide an algorithm, a secret key and its MD5.",
    );
  }
  if (algorithm !== "AES256") {
    throw refuse("InvalidEncryptionAlgorithmError", undefined, { ArgumentValue: algorithm });
  }
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 32) throw invalid("The secret key was invalid for the specified algorithm.");
  if (createHash("md5").update(bytes).digest("base64") !== md5) {
    throw invalid("The calculated MD5 hash of the key did not match the hash that was provided.");
  }
  return { bytes, md5 };
}

/** A fresh salt; a stream sealed with it must be the only one. */
export function newSalt(): string {
  return randomBytes(32).toString("base64");
}

/** The data that an object keeps about its key: enough to know the key again. */
export function newSealing({ bytes }: CustomerKey): Sealing {
  const salt = newSalt();
  return { salt, check: checkOf(bytes, salt).toString("base64") };
}

function checkOf(key: Buffer, salt: string): Buffer {
  return createHmac("sha256", key).update(`pail sealed check 1 ${salt}`).digest();
}

/** Throws unless this is the object's key, or the object has none and none was sent. */
export function requireKey(sealing: Sealing | undefined, key: CustomerKey | undefined): void {
  if (sealing === undefined) {
    if (key === undefined) return;
    throw refuse("InvalidRequest", "The encryption parameters are not applicable to this object.");
  }
  if (key === undefined) {
    throw refuse(
      "InvalidRequest",
      "The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.",
    );
  }
  const expected = Buffer.from(sealing.check, "base64");
  if (!equalBytes(expected, checkOf(key.bytes, sealing.salt))) throw refuse("AccessDenied");
}

/** The headers by which an answer says that a key was used. */
export function keyHeaders(
  request: StoreRequest,
  key: CustomerKey | undefined,
): Record<string, string> {
  if (key === undefined) return {};
  return {
    [request.vendor(`${NAME}-algorithm`)]: "AES256",
    [request.vendor(`${NAME}-key-md5`)]: key.md5,
  };
}

/** The streams an object was sealed as. */
export function streamsOf({ sealing, size, parts }: ObjectRecord): SealedStream[] {
  if (parts === undefined) return [{ size, salt: sealing!.salt }];
  return parts.map((part) => ({ size: part.size, salt: part.salt! }));
}

/** An object's own bytes `start` to `end` inclusive; requireKey has accepted the key. */
export function readPlain(
  blob: OpenBlob,
  key: CustomerKey | undefined,
  start: number,
  end: number,
): AsyncIterable<Uint8Array> {
  if (key === undefined) return blob.read(start, end);
  const streams = streamsOf(blob.record);
  return unseal((from, to) => blob.read(from, to), key.bytes, streams, start, end);
}
