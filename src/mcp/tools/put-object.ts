import { hash } from "node:crypto";

import { z } from "zod";

import { contentTypeOf } from "../../core/content-type.js";
import { writeObject } from "../change.js";
import { defineTool, told } from "../tool.js";
import { name, replacing, text } from "./parameters.js";

export const putObjectTool = defineTool({
  name: "put_object",
  description: "Store text as an object; replaces only with if_match: its etag",
  access: "write",
  schema: {
    bucket_name: name,
    object_key: name,
    content: text,
    content_type: name.optional(),
    ...replacing,
    if_none_match: z.boolean().optional(),
  },
  // Said in the description of every write: what is there is never replaced unnamed.
  unlisted: ["if_exists", "if_none_match"],
  handler: async ({ bucket_name: bucket, object_key: key, content, ...args }, call) => {
    const storage = await call.bucket(bucket, "write");
    const body = Buffer.from(content);
    const contentType = args.content_type ?? textTypeOf(key);
    const ifMatch = args.if_none_match === true ? undefined : args.if_match;
    const changed = await writeObject(
      call,
      { bucket, storage, key },
      { if_exists: args.if_exists, if_match: ifMatch },
      (condition) => storage.write(key, body, { contentType, signal: call.signal, ...condition }),
      hash("md5", body),
    );
    return told("stored", {
      at: call.at(),
      bucket,
      key,
      size: body.length,
      content_type: contentType,
      ...changed,
    });
  },
});

/**
 * The type that the key's extension tells; plain text when it tells none, since the content is
 * text.
 */
function textTypeOf(key: string): string {
  const type = contentTypeOf(key);
  return type === "application/octet-stream" ? "text/plain; charset=utf-8" : type;
}
