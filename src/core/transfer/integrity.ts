/**
 * The proof of an upload: a checksum in a header where the endpoint takes one, the signed
 * SHA-256 of the body elsewhere, and both over plain http. The default checksum is CRC32: every
 * service that knows checksums knows it, parts combine into the whole object's value, and it
 * costs next to nothing.
 *
 * Services differ in how they refuse a checksum header; the refusal is met on the first upload,
 * the same bytes are sent again vouched for by their SHA-256, and the client remembers it for its
 * alias.
 */
import type { ChecksumAlgorithm } from "../../protocol/checksum.js";
import type { UploadChecksum } from "../config/types.js";
import { isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import type { WriteOptions } from "../storage/storage.js";
import { type Digests, digestPayload, type Payload } from "./body.js";

export const DEFAULT_CHECKSUM: ChecksumAlgorithm = "CRC32";

const REFUSALS = new Set(["NotImplemented", "InvalidRequest", "InvalidArgument"]);

export interface Integrity {
  /** The checksum uploads carry now; undefined for none. */
  readonly algorithm: ChecksumAlgorithm | undefined;
  /**
   * Calls `send` with the checksum to use and, when the endpoint refuses the default one, again
   * without. A refused checksum that was asked for by name is an error.
   */
  negotiate<T>(send: (algorithm: ChecksumAlgorithm | undefined) => Promise<T>): Promise<T>;
  /** The headers that have a payload verified; reads the payload. */
  vouch(payload: Payload, algorithm: ChecksumAlgorithm | undefined): Vouched | Promise<Vouched>;
}

export interface Vouched {
  /** Raw, big-endian. */
  readonly checksum: Buffer | undefined;
  readonly options: Pick<WriteOptions, "checksum" | "payload" | "payloadHash">;
}

/**
 * The integrity of uploads to one endpoint: what was `requested`, else what the endpoint is known
 * to need, else `preferred`.
 */
export function integrityOf(
  client: SignedClient,
  requested: UploadChecksum | undefined,
  preferred: ChecksumAlgorithm = DEFAULT_CHECKSUM,
): Integrity {
  const current = (): ChecksumAlgorithm | undefined => {
    const wanted = requested ?? client.uploadChecksum.known() ?? preferred;
    return wanted === "none" || wanted === "signed" ? undefined : wanted;
  };
  return {
    get algorithm() {
      return current();
    },
    negotiate: async (send) => {
      const algorithm = current();
      try {
        return await send(algorithm);
      } catch (error) {
        const refused = isAppError(error) && REFUSALS.has(error.code);
        if (!refused || algorithm === undefined || requested !== undefined) throw error;
        // If it was something else that was refused, this fails in the same way, and is thrown.
        const result = await send(undefined);
        // A copy brings its source's own checksum; where that is refused, the default may not be.
        const next = algorithm === DEFAULT_CHECKSUM ? "signed" : DEFAULT_CHECKSUM;
        await client.uploadChecksum.remember(next);
        return result;
      }
    },
    vouch: (payload, algorithm) => {
      const wanted = requested ?? client.uploadChecksum.known();
      const sha256 = !client.secure || (algorithm === undefined && wanted !== "none");
      const digests = digestPayload(payload, { algorithm, sha256 });
      return digests instanceof Promise
        ? digests.then((late) => vouchedBy(late, algorithm))
        : vouchedBy(digests, algorithm);
    },
  };
}

function vouchedBy(
  { checksum, sha256 }: Digests,
  algorithm: ChecksumAlgorithm | undefined,
): Vouched {
  const value = checksum?.toString("base64");
  return {
    checksum,
    options: {
      checksum: algorithm && value !== undefined ? { algorithm, value } : undefined,
      payload: sha256 === undefined ? "unsigned" : "signed",
      payloadHash: sha256,
    },
  };
}
