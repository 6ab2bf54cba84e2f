import { z } from "zod";

import { recorded } from "../change.js";
import { defined, facts } from "../text.js";
import { defineTool } from "../tool.js";
import { name, part, versionId } from "./parameters.js";

export const setTagsTool = defineTool({
  name: "set_tags",
  description: "Replace the tags of an object or, without object_key, a bucket",
  access: "write",
  toolset: "admin",
  schema: {
    bucket_name: name,
    object_key: name.optional(),
    version_id: versionId,
    tags: z.record(part, part),
  },
  handler: async ({ bucket_name: bucket, object_key: key, version_id: versionId, tags }, call) => {
    const storage = await call.bucket(bucket, "write");
    const service = await call.service("write");
    const version = versionId === undefined ? {} : { versionId };
    const before =
      key === undefined ? await service.getTags(bucket) : await storage.getTags(key, version);
    const target = { bucket, key: key ?? "", ...version };
    await recorded(call, target, "tags", { type: "tags", tags: before }, async () => {
      if (key === undefined) await service.setTags(bucket, tags);
      else await storage.setTags(key, tags, version);
      return { type: "tags", tags };
    });
    const undo = call.group();
    const record = defined({ at: call.at(), bucket, key, version_id: versionId, tags, undo });
    return { text: `tags set\n${facts(record)}`, structured: record };
  },
});
