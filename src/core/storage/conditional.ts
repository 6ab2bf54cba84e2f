/** Writes under a condition, as every service understands it. */
import { vendorHeader } from "../../protocol/dialect.js";
import { isAppError } from "../failures/errors.js";
import type { RequestSpec, SignedClient } from "../http/client.js";
import { judgeError } from "../http/retry.js";
import { bareETag, conditionHeaders } from "./object-headers.js";
import type { WriteCondition, WriteOptions, WriteResult } from "./storage.js";

/** A write of one object, which may have a condition. */
export interface OneWrite {
  readonly client: SignedClient;
  readonly bucket: string;
  readonly key: string;
  readonly options: Pick<WriteOptions, keyof WriteCondition | "signal" | "onRetry">;
  /** Sends it, with the headers of its condition. */
  send(
    condition: Record<string, string>,
    how: Pick<RequestSpec, "idempotent" | "onRetry">,
  ): Promise<WriteResult>;
  /** The ETag that an object of this content has; undefined when it cannot be known. */
  etag(): string | undefined | Promise<string | undefined>;
}

/**
 * Sends a write under its condition. It is not repeated where it may have been done. When its
 * answer is lost, or it is refused after it was sent again, what is there tells whether it was done: the
 * content that was sent, where something else was before.
 *
 * Ceph's older gateways compare If-Match with the ETag letter by letter, as it is without quotes: a
 * refusal is followed by one more try like that. First the object is looked at, since a service that
 * passes over such a header would replace what came meanwhile.
 */
export async function conditionally(write: OneWrite): Promise<WriteResult> {
  const { options } = write;
  if (unconditional(options)) {
    return write.send({}, { idempotent: true, onRetry: options.onRetry });
  }
  let repeated = false;
  const onRetry: RequestSpec["onRetry"] = (notice) => {
    repeated = true;
    options.onRetry?.(notice);
  };
  const send = (condition: Record<string, string>) =>
    write.send(condition, { idempotent: false, onRetry });
  const wanted = bareETag(options.ifMatch);
  try {
    return await send(conditionHeaders(options));
  } catch (error) {
    if (!isAppError(error)) throw error;
    const refused = error.code === "PreconditionFailed";
    const unheard = judgeError(error).retry === "idempotent" || (refused && repeated);
    if (unheard) {
      const own = await ownObject(write);
      if (own !== undefined && own.etag !== wanted) return own;
    }
    if (!refused || wanted === undefined || (await lookAt(write))?.etag !== wanted) throw error;
    return send({ "if-match": wanted });
  }
}

/** The object at the name, when it has the content of this write. */
export async function ownObject(write: OneWrite): Promise<WriteResult | undefined> {
  const [there, etag] = await Promise.all([lookAt(write), write.etag()]);
  return etag !== undefined && there?.etag === etag ? there : undefined;
}

/** The object at the name now; undefined also when that cannot be found out. */
async function lookAt(write: OneWrite): Promise<WriteResult | undefined> {
  const { client, bucket, key, options } = write;
  const spec = { method: "HEAD", bucket, key, signal: options.signal };
  // The error that led here is the one to tell.
  const response = await client.rawRequest(spec).catch(() => undefined);
  if (response?.status !== 200) return undefined;
  const { headers } = response;
  const versionId = headers[vendorHeader(client.dialect, "version-id")];
  return { etag: bareETag(headers["etag"]), versionId };
}

/**
 * A conditional write is not repeated when its answer was lost: had it succeeded, the repeat would
 * be refused.
 */
export function unconditional({ ifMatch, ifNoneMatch }: WriteCondition): boolean {
  return ifMatch === undefined && ifNoneMatch === undefined;
}
