import { z } from "zod";

import { defined, facts } from "../text.js";
import { defineTool } from "../tool.js";
import { name, part, versionId } from "./parameters.js";

export const setTagsTool = defineTool({
  name: "set_tags",
  title: "Set tags",
  description: "Replace the tags of an object or, without object_key, a bucket",
  access: "write",
  scope: "bucket",
  schema: {
    bucket_name: name,
    object_key: name.optional(),
    version_id: versionId,
    tags: z.record(part, part),
  },
  annotations: { idempotentHint: true },
  handler: async ({ bucket_name: bucket, object_key: key, version_id: versionId, tags }, call) => {
    const storage = await call.bucket(bucket, "write");
    if (key === undefined) {
      const service = await call.service("write");
      await service.setTags(bucket, tags);
    } else {
      await storage.setTags(key, tags, versionId === undefined ? {} : { versionId });
    }
    const record = defined({ bucket, key, version_id: versionId, tags });
    return { text: `tags set\n${facts(record)}`, structured: record };
  },
});
