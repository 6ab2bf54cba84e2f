/** RestoreObject: asks for an archived object. */
import type { SignedClient } from "../http/client.js";
import { requestDone, xmlRequest } from "./documents.js";
import type { Restore } from "./storage.js";

/** Makes the `restore` of one bucket. */
export function restorer(client: SignedClient, bucket: string) {
  return async (
    key: string,
    {
      days,
      tier,
      versionId,
      signal,
    }: Restore & { versionId?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<"asked" | "there"> => {
    const { body, headers } = xmlRequest("RestoreRequest", {
      Days: days === undefined ? undefined : String(days),
      GlacierJobParameters: { Tier: tier },
    });
    const query = { restore: "", versionId };
    const spec = { method: "POST", bucket, key, query, headers, body, idempotent: true, signal };
    const { status } = await requestDone(client, spec);
    // 202: the service begins to bring it. 200: it is here, and stays longer now.
    return status === 202 ? "asked" : "there";
  };
}
