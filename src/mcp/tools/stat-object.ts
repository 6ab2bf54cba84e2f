import type { ObjectInfo } from "../../core/storage/storage.js";
import { statOrTell } from "../missing.js";
import { defined, facts, isoDate } from "../text.js";
import { defineTool } from "../tool.js";
import { orUnavailable } from "../unavailable.js";
import { name, versionId } from "./parameters.js";

export const statObjectTool = defineTool({
  name: "stat_object",
  description: "Show an object's size, type, checksums, metadata and tags",
  access: "read",
  schema: { bucket_name: name, object_key: name, version_id: versionId },
  handler: async ({ bucket_name: bucket, object_key: key, version_id: versionId }, call) => {
    const storage = await call.bucket(bucket, "read");
    const info = await statOrTell(storage, key, versionId, call.signal);
    const tags = await orUnavailable(storage.getTags(key, { versionId }));
    const record = {
      alias: call.alias,
      bucket,
      ...infoRecord(info),
      ...(isEmpty(tags) ? {} : { tags }),
    };
    return { text: facts(record), structured: record };
  },
});

/** The facts that a HEAD told, under the names the tools use. */
function infoRecord(info: ObjectInfo): Record<string, unknown> {
  return defined({
    key: info.key,
    size: info.size,
    modified: isoDate(info.lastModified),
    etag: info.etag,
    version_id: info.versionId,
    content_type: info.contentType,
    cache_control: info.cacheControl,
    content_disposition: info.contentDisposition,
    content_encoding: info.contentEncoding,
    content_language: info.contentLanguage,
    expires: info.expires,
    storage_class: info.storageClass,
    parts: info.partsCount,
    checksums: isEmpty(info.checksums) ? undefined : info.checksums,
    metadata: isEmpty(info.metadata) ? undefined : info.metadata,
  });
}

function isEmpty(record: Readonly<Record<string, unknown>> | string | undefined): boolean {
  return record === undefined || Object.keys(record).length === 0;
}
