import { basename } from "node:path";

import { contentTypeOf } from "../../core/content-type.js";
import { defined, facts } from "../text.js";
import { defineTool } from "../tool.js";
import { naming, runCopy } from "../transfer.js";
import { localPath, name } from "./parameters.js";

export const uploadFileTool = defineTool({
  name: "upload_file",
  title: "Upload file",
  description: "Upload a local file; replaces an existing object",
  access: "write",
  scope: "bucket",
  schema: {
    local_file_path: localPath,
    bucket_name: name,
    object_key: name,
    content_type: name.optional(),
    storage_class: name.optional(),
    cache_control: name.optional(),
  },
  annotations: { idempotentHint: true },
  handler: async (args, call) => {
    const { bucket_name: bucket, object_key: key } = args;
    const storage = await call.bucket(bucket, "write");
    const file = await call.files.reading(args.local_file_path);
    try {
      // By name, since what the engine reads is a descriptor without one.
      const contentType = args.content_type ?? contentTypeOf(basename(file.shown));
      const target = { type: "bucket", storage, key, alias: call.alias } as const;
      const written = await naming(file.shown, [file.path], () =>
        runCopy(call, { type: "path", path: file.path }, target, {
          contentType,
          ...(args.storage_class === undefined ? {} : { storageClass: args.storage_class }),
          ...(args.cache_control === undefined ? {} : { cacheControl: args.cache_control }),
        }),
      );
      const uploaded = defined({
        bucket,
        key,
        size: file.size,
        content_type: contentType,
        etag: written.etag,
        version_id: written.versionId,
      });
      return { text: `uploaded ${file.shown}\n${facts(uploaded)}`, structured: uploaded };
    } finally {
      await file.close();
    }
  },
});
