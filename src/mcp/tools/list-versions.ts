import { formatCount } from "../../text/format.js";
import { collectPage } from "../page.js";
import { defined, isoDate, table } from "../text.js";
import { defineTool } from "../tool.js";
import { cursor, maxKeys, name, part } from "./parameters.js";

export const listVersionsTool = defineTool({
  name: "list_versions",
  description: "List object versions and delete markers, newest first within a key",
  access: "read",
  schema: { bucket_name: name, prefix: part.optional(), max_keys: maxKeys, cursor },
  handler: async ({ bucket_name: bucket, prefix, max_keys: max, cursor }, call) => {
    const storage = await call.bucket(bucket, "read");
    const page = await collectPage(storage, { prefix, versions: true }, max, cursor, call.signal);
    const versions = page.entries.flatMap((entry) =>
      entry.type === "object"
        ? [
            {
              key: entry.key,
              version_id: entry.versionId,
              latest: entry.isLatest ?? false,
              deleted: entry.isDeleteMarker ?? false,
              size: entry.size,
              modified: isoDate(entry.lastModified),
            },
          ]
        : [],
    );
    const lines = [
      `${formatCount(versions.length, "version")} in ${call.label(bucket)}`,
      ...table(["key", "version_id", "latest", "deleted", "size", "modified"], versions),
      ...(page.cursor === undefined ? [] : [`more: cursor=${page.cursor}`]),
    ];
    return {
      text: lines.join("\n"),
      structured: defined({
        alias: call.alias,
        bucket,
        versions,
        truncated: page.cursor !== undefined,
        cursor: page.cursor,
      }),
    };
  },
});
