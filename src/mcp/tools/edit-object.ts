import { hash } from "node:crypto";

import { z } from "zod";

import { type AppError, invalidArgument, usageError } from "../../core/failures/errors.js";
import { noTags } from "../../core/journal/keep.js";
import { editedHeaders } from "../../core/storage/object-headers.js";
import { requirePermitted, writeObject } from "../change.js";
import { asText, readPiece } from "../content.js";
import { statOrTell } from "../missing.js";
import { keyText } from "../text.js";
import { defineTool, told } from "../tool.js";
import { name, text } from "./parameters.js";

/** Bytes of an object that is edited. */
const MOST_BYTES = 1024 * 1024;

export const editObjectTool = defineTool({
  name: "edit_object",
  description: "Replace text in an object, keeping the rest: find must occur once, or pass all",
  access: "write",
  toolset: "edit",
  schema: {
    bucket_name: name,
    object_key: name,
    find: text.refine((value) => value !== "", "must not be empty"),
    replace: text,
    all: z.boolean().optional(),
    if_match: name.optional(),
  },
  handler: async ({ bucket_name: bucket, object_key: key, find, replace, ...args }, call) => {
    const storage = await call.bucket(bucket, "write");
    const { signal } = call;
    const info = await statOrTell(storage, key, undefined, signal);
    // The state that is edited is the one that the caller knows, and the only one replaced.
    requirePermitted({ bucket, key }, call, info, { if_match: args.if_match ?? info.etag });
    const whole = { info, offset: 0, limit: MOST_BYTES, signal };
    const content = asText(await readPiece(storage, whole));
    if (content === undefined || content.end < info.size) throw notEditable(key, info.size);
    const parts = content.text.split(find);
    const found = parts.length - 1;
    if (found === 0 || (found > 1 && args.all !== true)) throw notOnce(key, found);
    const body = Buffer.from(parts.join(replace));
    const changed = await writeObject(
      call,
      { bucket, storage, key },
      { if_match: info.etag },
      async () => {
        const tags = await storage.getTags(key).catch(noTags);
        return storage.write(key, body, {
          ...editedHeaders(info),
          tags,
          signal,
          ifMatch: info.etag,
        });
      },
      hash("md5", body),
    );
    return told("edited", {
      at: call.at(),
      bucket,
      key,
      replacements: found,
      size: body.length,
      ...changed,
    });
  },
});

function notEditable(key: string, size: number): AppError {
  return usageError(
    "NotText",
    `${keyText(key)} is not UTF-8 text of at most ${MOST_BYTES} bytes (it has ${size})`,
    "download it, change it, and upload it with if_match",
  );
}

function notOnce(key: string, found: number): AppError {
  return invalidArgument(
    found === 0
      ? `${keyText(key)} does not contain find`
      : `${keyText(key)} contains find ${found} times`,
    found === 0
      ? "read it again with get_object, and give find exactly as it is there"
      : "give more of the text around it in find, or pass all: true",
  );
}
