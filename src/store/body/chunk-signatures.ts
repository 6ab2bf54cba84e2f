/** The chain of signatures in a signed aws-chunked body, each link over the one before. */
import { createHash } from "node:crypto";

import { refuse } from "../refuse.js";
import { hmac } from "../verify/scope.js";
import { type ChunkSigning, equalHex, sha256 } from "../verify/verify.js";
import type { ChunkSignatures } from "./aws-chunked.js";

const EMPTY_SHA256 = sha256("");

export interface SignatureChain extends ChunkSignatures {
  /** Checks the signature over the trailers, given as `name:value\n` lines. */
  endTrailers(canonicalTrailers: string, signature: string): void;
}

/** Starts the chain at the signature of the request's head. */
export function createSignatureChain(signing: ChunkSigning): SignatureChain {
  let previous = signing.seed;
  let hash = createHash("sha256");

  const verify = (kind: "PAYLOAD" | "TRAILER", hashes: string[], signature: string): void => {
    const head = [`${signing.algorithm}-${kind}`, signing.timestamp, signing.scope, previous];
    if (!equalHex(hmac(signing.key, [...head, ...hashes].join("\n")), signature)) {
      throw refuse("SignatureDoesNotMatch");
    }
    previous = signature;
  };
  return {
    update: (piece) => void hash.update(piece),
    endChunk: (signature) => {
      verify("PAYLOAD", [EMPTY_SHA256, hash.digest("hex")], signature);
      hash = createHash("sha256");
    },
    endTrailers: (canonical, signature) => verify("TRAILER", [sha256(canonical)], signature),
  };
}
