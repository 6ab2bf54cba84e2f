import { basename } from "node:path";

import { contentTypeOf } from "../../core/content-type.js";
import { writeObject } from "../change.js";
import { defineTool, told } from "../tool.js";
import { naming, placeOf, runCopy } from "../transfer.js";
import { localPath, name, replacing } from "./parameters.js";

export const uploadFileTool = defineTool({
  name: "upload_file",
  description: "Upload a local file; replaces only with if_match: the object's etag",
  access: "write",
  schema: {
    local_file_path: localPath,
    bucket_name: name,
    object_key: name,
    content_type: name.optional(),
    storage_class: name.optional(),
    cache_control: name.optional(),
    ...replacing,
  },
  unlisted: ["if_exists"],
  handler: async (args, call) => {
    const { bucket_name: bucket, object_key: key } = args;
    const storage = await call.bucket(bucket, "write");
    const file = await call.files.reading(args.local_file_path);
    try {
      // By name, since what the engine reads is a descriptor without one.
      const contentType = args.content_type ?? contentTypeOf(basename(file.shown));
      const target = { bucket, storage, key };
      const changed = await writeObject(call, target, args, (condition) =>
        naming(file.shown, [file.path], () =>
          runCopy(call, { type: "path", path: file.path }, placeOf(call, target), condition, {
            contentType,
            ...(args.storage_class === undefined ? {} : { storageClass: args.storage_class }),
            ...(args.cache_control === undefined ? {} : { cacheControl: args.cache_control }),
          }),
        ),
      );
      return told(`uploaded ${file.shown}`, {
        at: call.at(),
        bucket,
        key,
        size: file.size,
        content_type: contentType,
        ...changed,
      });
    } finally {
      await file.close();
    }
  },
});
