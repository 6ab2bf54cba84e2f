/**
 * Two addresses that tell whether a server runs, and whether its store can be used. No bucket can
 * have these names, and the answers say nothing that a stranger may not know.
 */
import type { HttpResponse } from "../protocol/message.js";
import type { Backend } from "./disk/index.js";
import type { StoreRequest } from "./request.js";
import { respond } from "./response.js";

/** The answer to `/_health` and `/_ready`; undefined for any other request. */
export async function probe(
  request: StoreRequest,
  backend: Backend,
  onError: (error: unknown) => void,
): Promise<HttpResponse | undefined> {
  const { method, bucket, hostBucket, key } = request;
  if ((method !== "GET" && method !== "HEAD") || key !== undefined) return undefined;
  if (hostBucket !== undefined) return undefined;
  if (bucket === "_health") return status(200, "ok");
  if (bucket !== "_ready") return undefined;
  try {
    await backend.listBuckets();
    return status(200, "ok");
  } catch (error) {
    onError(error);
    return status(503, "unavailable");
  }
}

function status(code: number, word: string): HttpResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return respond(code, headers, `{"status":"${word}"}\n`);
}
