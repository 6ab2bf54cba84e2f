import { z } from "zod";

import { conflictError } from "../../core/failures/errors.js";
import { statOrUndefined } from "../../core/operations/exists.js";
import { type Target, describe } from "../change.js";
import { CannotAsk } from "../files/guard.js";
import { statOrTell } from "../missing.js";
import { defined, facts } from "../text.js";
import { type Call, defineTool } from "../tool.js";
import { name, versionId } from "./parameters.js";

/** Seven days: more than a signature can be valid for (S3's own limit). */
const LONGEST_SECONDS = 604_800;

export const presignUrlTool = defineTool({
  name: "presign_url",
  description: "Make a temporary URL that anyone can download or upload with",
  access: "write",
  schema: {
    bucket_name: name,
    object_key: name,
    method: z.enum(["GET", "PUT"]).default("GET"),
    expires_in: z.number().int().min(1).max(LONGEST_SECONDS).default(3600).describe("seconds"),
    version_id: versionId,
    content_type: name.optional(),
  },
  // It changes nothing, but hands out access: not for clients to approve unasked.
  annotations: { destructiveHint: false },
  handler: async (args, call) => {
    const { bucket_name: bucket, object_key: key, method, expires_in: expiresIn } = args;
    // A URL to upload with is a write, put off.
    const storage = await call.bucket(bucket, method === "PUT" ? "write" : "read");
    // A link to nothing looks like one to something until somebody follows it.
    const { version_id: versionId, content_type: contentType } = args;
    if (method === "GET") await statOrTell(storage, key, versionId, call.signal);
    else await askToOpen(call, { bucket, storage, key });
    const url = await storage.presign(method, key, expiresIn, { versionId, contentType });
    const signed = defined({
      url: url.href,
      at: call.at(),
      method,
      expires_in: expiresIn,
      note: call.isEmbedded ? "works while `pail serve` runs on this machine" : undefined,
    });
    return { text: facts(signed), structured: signed };
  },
});

/** A link to upload with would replace what is there without a question, whoever uses it. */
async function askToOpen(call: Call, target: Target): Promise<void> {
  const seen = await statOrUndefined(target.storage, target.key, call.signal);
  if (seen === undefined) return;
  const what = describe(call, target, seen);
  const question = `Make a link with which anybody can replace ${what}? It CANNOT be undone.`;
  await call.consent.approve(question).catch((error: unknown) => {
    if (!(error instanceof CannotAsk)) throw error;
    throw conflictError(
      "ObjectExists",
      `${what} exists, and whoever has the link could replace it`,
      "choose another key, or ask the person to make the link with pail share upload",
    );
  });
}
