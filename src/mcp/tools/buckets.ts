import { requireBucketName } from "../policy.js";
import { defineTool } from "../tool.js";
import { name } from "./parameters.js";

export const createBucketTool = defineTool({
  name: "create_bucket",
  title: "Create bucket",
  description: "Create a bucket",
  access: "write",
  scope: "service",
  schema: { bucket_name: name },
  annotations: { destructiveHint: false },
  handler: async ({ bucket_name: bucket }, call) => {
    const service = await call.service("write");
    requireBucketName(bucket);
    await service.make(bucket);
    return { text: `created bucket ${bucket}`, structured: { created: bucket } };
  },
});

export const deleteBucketTool = defineTool({
  name: "delete_bucket",
  title: "Delete bucket",
  description: "Delete an empty bucket",
  access: "write",
  scope: "service",
  schema: { bucket_name: name },
  annotations: {},
  handler: async ({ bucket_name: bucket }, call) => {
    const service = await call.service("write");
    requireBucketName(bucket);
    await service.remove(bucket);
    return { text: `deleted bucket ${bucket}`, structured: { deleted: bucket } };
  },
});
