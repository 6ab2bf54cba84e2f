import { z } from "zod";

import { formatCount } from "../../text/format.js";
import { OBJECT_COLUMNS, objectRecord } from "../object-record.js";
import { collectPage } from "../page.js";
import { defined, keyText, table } from "../text.js";
import { defineTool } from "../tool.js";
import { cursor, maxKeys, name, part } from "./parameters.js";

export const listObjectsTool = defineTool({
  name: "list_objects",
  description: "List a bucket's objects, page by page; delimiter / groups them",
  access: "read",
  schema: {
    bucket_name: name,
    prefix: part.optional(),
    delimiter: part.optional(),
    details: z.boolean().optional().describe("etag, class"),
    max_keys: maxKeys,
    cursor,
  },
  handler: async (args, call) => {
    const { bucket_name: bucket, prefix, delimiter, max_keys: max } = args;
    const storage = await call.bucket(bucket, "read");
    const page = await collectPage(storage, { prefix, delimiter }, max, args.cursor, call.signal);

    const objects = page.entries.flatMap((entry) =>
      entry.type === "object" ? [objectRecord(entry, args.details)] : [],
    );
    const prefixes = page.entries.flatMap(({ type, key }) => (type === "prefix" ? [key] : []));
    const groups = delimiter ? `, ${formatCount(prefixes.length, "prefix", "prefixes")}` : "";
    const below = prefix ? ` with prefix ${keyText(prefix)}` : "";
    const lines = [
      `${formatCount(objects.length, "object")}${groups} in ${call.label(bucket)}${below}`,
      ...table(OBJECT_COLUMNS, objects),
      ...table(
        ["prefix"],
        prefixes.map((key) => ({ prefix: key })),
      ),
      ...(page.cursor === undefined ? [] : [`more: cursor=${page.cursor}`]),
    ];
    return {
      text: lines.join("\n"),
      structured: defined({
        alias: call.alias,
        bucket,
        objects,
        prefixes: delimiter ? prefixes : undefined,
        truncated: page.cursor !== undefined,
        cursor: page.cursor,
      }),
    };
  },
});
