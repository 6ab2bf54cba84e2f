/** Links that anybody can open. */
import { openBucket } from "../../core/storage/s3.js";
import type { ObjectRef } from "../state/types.js";
import type { Deps } from "./deps.js";

/** Where the embedded store is served by default: the built-in alias has no address of its own. */
const SERVED = "127.0.0.1:9000";

/** A link to an object, and what it takes for the link to work. */
export async function shareLink(
  context: Deps["context"],
  { alias, bucket, key, versionId }: ObjectRef,
  expiry: number,
): Promise<{ url: string; note?: string | undefined }> {
  const resolved = await context.alias(alias);
  const builtIn = resolved.origin === "built-in";
  const client = builtIn
    ? await context.connect({ ...resolved, url: new URL(`http://${SERVED}`) })
    : await context.client(alias);
  const storage = openBucket(client, bucket);
  const url = await storage.presign("GET", key, expiry, versionId ? { versionId } : {});
  const note = builtIn ? `it works while this runs: pail serve --address ${SERVED}` : undefined;
  return { url: url.href, note };
}
