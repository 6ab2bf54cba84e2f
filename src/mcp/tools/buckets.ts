import { conflictError } from "../../core/failures/errors.js";
import { recorded } from "../change.js";
import type { Before } from "../../core/journal/types.js";
import type { BucketService } from "../../core/storage/s3-types.js";
import { orUnavailable } from "../unavailable.js";
import { requireBucketName } from "../policy.js";
import { facts, shortQuoted } from "../text.js";
import { type Call, type ToolResult, defineTool } from "../tool.js";
import { name } from "./parameters.js";

export const createBucketTool = defineTool({
  name: "create_bucket",
  description: "Create a bucket",
  access: "write",
  scope: "service",
  schema: { bucket_name: name },
  annotations: { destructiveHint: false },
  handler: async ({ bucket_name: bucket }, call) => {
    const service = await call.service("write");
    requireBucketName(bucket);
    await recorded(call, { bucket, key: "" }, "make-bucket", { type: "absent" }, async () => {
      // Amazon calls it a success to make what is there, and to undo that would remove it.
      const made = await service.make(bucket, { ignoreExisting: true });
      if (!made) throw conflictError("BucketAlreadyOwnedByYou", "you already have this bucket");
      return { type: "object" };
    });
    return toldOf(call, "created", bucket);
  },
});

export const deleteBucketTool = defineTool({
  name: "delete_bucket",
  description: "Delete an empty bucket",
  access: "write",
  scope: "service",
  schema: { bucket_name: name },
  handler: async ({ bucket_name: bucket }, call) => {
    const service = await call.service("write");
    requireBucketName(bucket);
    call.consent.permit(`Delete the bucket ${shortQuoted(call.label(bucket))}?`);
    const before = await keepSettings(service, bucket);
    await recorded(call, { bucket, key: "" }, "remove-bucket", before, async () => {
      await service.remove(bucket);
      return { type: "absent" };
    });
    return toldOf(call, "deleted", bucket);
  },
});

function toldOf(call: Call, did: "created" | "deleted", bucket: string): ToolResult {
  const how = { at: call.at(), undo: call.group() };
  const text = `${did} bucket ${call.label(bucket)}\n${facts(how)}`;
  return { text, structured: { [did]: bucket, ...how } };
}

/** The settings of a bucket that it can be given again. */
async function keepSettings(service: BucketService, bucket: string): Promise<Before> {
  const [versioning, tags] = await Promise.all([
    orUnavailable(service.getVersioning(bucket)),
    orUnavailable(service.getTags(bucket)),
  ]);
  const enabled = versioning === "Enabled" || versioning === "Suspended";
  return {
    type: "bucket",
    versioning: enabled ? versioning : undefined,
    tags: typeof tags === "string" ? {} : tags,
  };
}
