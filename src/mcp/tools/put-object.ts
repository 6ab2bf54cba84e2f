import { z } from "zod";

import { contentTypeOf } from "../../core/content-type.js";
import { defined, facts } from "../text.js";
import { defineTool } from "../tool.js";
import { name, text } from "./parameters.js";

export const putObjectTool = defineTool({
  name: "put_object",
  title: "Put object",
  description: "Store text as an object; if_none_match refuses to replace one",
  access: "write",
  scope: "bucket",
  schema: {
    bucket_name: name,
    object_key: name,
    content: text,
    content_type: name.optional(),
    if_none_match: z.boolean().optional(),
  },
  annotations: { idempotentHint: true },
  handler: async ({ bucket_name: bucket, object_key: key, content, ...args }, call) => {
    const storage = await call.bucket(bucket, "write");
    const body = Buffer.from(content);
    const contentType = args.content_type ?? textTypeOf(key);
    const written = await storage.write(key, body, {
      contentType,
      signal: call.signal,
      ...(args.if_none_match ? { ifNoneMatch: "*" } : {}),
    });
    const stored = defined({
      bucket,
      key,
      size: body.length,
      content_type: contentType,
      etag: written.etag,
      version_id: written.versionId,
    });
    return { text: `stored\n${facts(stored)}`, structured: stored };
  },
});

/** By the key's extension; plain text when it says nothing, for text it is. */
function textTypeOf(key: string): string {
  const type = contentTypeOf(key);
  return type === "application/octet-stream" ? "text/plain; charset=utf-8" : type;
}
