import { z } from "zod";

import { formatCount } from "../../text/format.js";
import { SORT_ORDERS, search } from "../../core/search.js";
import { decodeCursor, encodeCursor } from "../cursor.js";
import { MAX_PAGE, SCAN_BUDGET } from "../limits.js";
import { OBJECT_COLUMNS, objectRecord } from "../object-record.js";
import { defined, table } from "../text.js";
import { defineTool } from "../tool.js";
import { cursor, date, maxKeys, name, part, size, timeOf } from "./parameters.js";

export const searchObjectsTool = defineTool({
  name: "search_objects",
  description:
    "Find objects: glob like **/*.{log,gz}, sizes, dates (ISO or 7d); sort ranks all matches",
  access: "read",
  schema: {
    bucket_name: name,
    prefix: part.optional(),
    glob: name.optional(),
    min_size: size,
    max_size: size,
    modified_after: date,
    modified_before: date,
    sort: z.enum(SORT_ORDERS).optional(),
    details: z.boolean().optional(),
    max_keys: maxKeys,
    cursor,
  },
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
        sort: args.sort,
        startAfter: decodeCursor(args.cursor).after,
        signal: call.signal,
      },
    );
    const objects = found.matches.map((entry) => objectRecord(entry, args.details));
    const next =
      found.resumeAfter === undefined
        ? undefined
        : encodeCursor({ after: found.resumeAfter, skip: 0 });
    const best = args.sort === undefined ? "" : `, the ${args.sort} ${objects.length} shown`;
    const lines = [
      `${formatCount(found.found, "match", "matches")} among ${formatCount(found.scanned, "object")} scanned in ${call.label(bucket)}${best}`,
      ...table(OBJECT_COLUMNS, objects),
      ...(next === undefined
        ? []
        : [
            found.stopped === "scan"
              ? `stopped after ${SCAN_BUDGET} objects; go on with cursor=${next}`
              : `stopped at max_keys; go on with cursor=${next}`,
          ]),
    ];
    return {
      text: lines.join("\n"),
      structured: defined({
        alias: call.alias,
        bucket,
        objects,
        found: found.found,
        scanned: found.scanned,
        truncated: next !== undefined,
        stopped: found.stopped,
        cursor: next,
      }),
    };
  },
});
