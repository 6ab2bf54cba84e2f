import { formatCount } from "../../cli/format.js";
import { collectPage } from "../page.js";
import { isoDate, keyText, table } from "../text.js";
import { defineTool } from "../tool.js";
import { cursor, maxKeys, name, part } from "./parameters.js";

export const listObjectsTool = defineTool({
  name: "list_objects",
  title: "List objects",
  description: "List a bucket's objects, page by page; delimiter / groups them",
  access: "read",
  scope: "bucket",
  schema: {
    bucket_name: name,
    prefix: part.optional(),
    delimiter: part.optional(),
    max_keys: maxKeys,
    cursor,
  },
  annotations: { readOnlyHint: true },
  handler: async (args, call) => {
    const { bucket_name: bucket, prefix, delimiter, max_keys: max } = args;
    const storage = await call.bucket(bucket, "read");
    const page = await collectPage(storage, { prefix, delimiter }, max, args.cursor, call.signal);

    const objects = page.entries.flatMap((entry) =>
      entry.type === "object"
        ? [{ key: entry.key, size: entry.size, modified: isoDate(entry.lastModified) }]
        : [],
    );
    const prefixes = page.entries.flatMap(({ type, key }) => (type === "prefix" ? [key] : []));
    const lines = [
      `${formatCount(objects.length, "object")}${delimiter ? `, ${formatCount(prefixes.length, "prefix", "prefixes")}` : ""} in ${bucket}` +
        (prefix ? ` with prefix ${keyText(prefix)}` : ""),
    ];
    if (objects.length > 0) {
      lines.push(
        table(
          ["key", "size", "modified"],
          objects.map(({ key, size, modified }) => [key, size, modified]),
        ),
      );
    }
    if (prefixes.length > 0) {
      lines.push(
        table(
          ["prefix"],
          prefixes.map((key) => [key]),
        ),
      );
    }
    if (page.cursor !== undefined) lines.push(`more: cursor=${page.cursor}`);
    return {
      text: lines.join("\n"),
      structured: {
        bucket,
        objects,
        ...(delimiter ? { prefixes } : {}),
        truncated: page.cursor !== undefined,
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
      },
    };
  },
});
