/** Writes under a condition, as every service understands it. */
import { isAppError } from "../failures/errors.js";
import type { SignedClient } from "../http/client.js";
import { bareETag, conditionHeaders } from "./object-headers.js";
import type { WriteCondition } from "./storage.js";

/** The write that is made under a condition. */
interface Target {
  readonly client: SignedClient;
  readonly bucket: string;
  readonly key: string;
}

/**
 * Sends a write under its condition. Ceph's older gateways compare If-Match with the ETag letter by
 * letter, as it is without quotes: a refusal is followed by one more try like that. First the object is
 * looked at, since a service that passes over such a header would replace what came meanwhile.
 */
export function conditionally<T>(
  { client, bucket, key }: Target,
  { ifMatch, ifNoneMatch, signal }: WriteCondition & { readonly signal?: AbortSignal | undefined },
  send: (condition: Record<string, string>) => Promise<T>,
): Promise<T> {
  const sent = send(conditionHeaders({ ifMatch, ifNoneMatch }));
  const wanted = bareETag(ifMatch);
  if (wanted === undefined) return sent;
  return sent.catch(async (error: unknown) => {
    if (!isAppError(error) || error.code !== "PreconditionFailed") throw error;
    const { headers } = await client.request({ method: "HEAD", bucket, key, signal }).catch(() => {
      throw error;
    });
    if (bareETag(headers["etag"]) !== wanted) throw error;
    return send({ "if-match": wanted });
  });
}
