import { formatCount } from "../../text/format.js";
import { search } from "../../core/search.js";
import { decodeCursor, encodeCursor } from "../cursor.js";
import { MAX_PAGE, SCAN_BUDGET } from "../limits.js";
import { OBJECT_COLUMNS, objectRecord } from "../object-record.js";
import { defined, table } from "../text.js";
import { defineTool } from "../tool.js";
import { cursor, date, maxKeys, name, part, size, timeOf } from "./parameters.js";

export const searchObjectsTool = defineTool({
  name: "search_objects",
  title: "Search objects",
  description: "Find objects by glob (**/*.log), size, or date (ISO or 7d)",
  access: "read",
  scope: "bucket",
  schema: {
    bucket_name: name,
    prefix: part.optional(),
    glob: name.optional(),
    min_size: size,
    max_size: size,
    modified_after: date,
    modified_before: date,
    max_keys: maxKeys,
    cursor,
  },
  annotations: { readOnlyHint: true },
  handler: async (args, call) => {
    const { bucket_name: bucket, prefix, glob, max_keys: limit } = args;
    const storage = await call.bucket(bucket, "read");
    const found = await search(
      storage,
      {
        prefix,
        glob,
        minSize: args.min_size,
        maxSize: args.max_size,
        newerThan: timeOf(args.modified_after, Date.now()),
        olderThan: timeOf(args.modified_before, Date.now()),
      },
      {
        // Never more than a page, whatever the schema would let through.
        limit: Math.min(limit, MAX_PAGE),
        scanLimit: SCAN_BUDGET,
        startAfter: decodeCursor(args.cursor).after,
        signal: call.signal,
      },
    );
    const objects = found.matches.map(objectRecord);
    const next =
      found.resumeAfter === undefined
        ? undefined
        : encodeCursor({ after: found.resumeAfter, skip: 0 });
    const lines = [
      `${formatCount(objects.length, "match", "matches")} among ${formatCount(found.scanned, "object")} scanned in ${bucket}`,
      ...table(OBJECT_COLUMNS, objects),
      ...(next === undefined ? [] : [`more to scan: cursor=${next}`]),
    ];
    return {
      text: lines.join("\n"),
      structured: defined({
        bucket,
        objects,
        scanned: found.scanned,
        truncated: next !== undefined,
        cursor: next,
      }),
    };
  },
});
