import { formatCount } from "../../text/format.js";
import { SCAN_BUDGET } from "../limits.js";
import { defined, facts, table } from "../text.js";
import { type Call, defineTool } from "../tool.js";
import { orUnavailable } from "../unavailable.js";
import { name, part } from "./parameters.js";

/** Groups that are shown, those with the most bytes first. */
const SHOWN = 50;

export const bucketInfoTool = defineTool({
  name: "bucket_info",
  description: "Count objects and bytes, also by group_by: / (sizes of folders); versioning, tags",
  access: "read",
  schema: { bucket_name: name, prefix: part.optional(), group_by: part.optional() },
  handler: async ({ bucket_name: bucket, prefix = "", group_by: delimiter }, call) => {
    const { groups, ...usage } = await countUsage(bucket, prefix, delimiter, call);
    const service = await call.service("read");
    const [versioning, tags] = await Promise.all([
      orUnavailable(service.getVersioning(bucket)),
      orUnavailable(service.getTags(bucket)),
    ]);
    const record = {
      alias: call.alias,
      bucket,
      versioning: versioning ?? "Disabled",
      tags,
      ...usage,
    };
    const shown = groups.slice(0, SHOWN);
    const rest = groups.length - shown.length;
    return {
      text: [
        facts(record),
        ...table(["prefix", "objects", "bytes"], shown),
        ...(rest > 0 ? [`and ${formatCount(rest, "smaller group")}`] : []),
      ].join("\n"),
      structured: defined({ ...record, groups: delimiter === undefined ? undefined : shown }),
    };
  },
});

/**
 * Objects and bytes, counted up to the scan budget; `complete` says whether that was all. Groups are
 * what follows the prefix up to the delimiter, the largest first.
 */
async function countUsage(
  bucket: string,
  prefix: string,
  delimiter: string | undefined,
  call: Call,
) {
  const storage = await call.bucket(bucket, "read");
  const groups = new Map<string, { prefix: string; objects: number; bytes: number }>();
  const total = { objects: 0, bytes: 0, complete: true };
  for await (const page of storage.list({ prefix, signal: call.signal })) {
    for (const entry of page) {
      if (entry.type !== "object") continue;
      if (total.objects === SCAN_BUDGET) {
        total.complete = false;
        break;
      }
      total.objects += 1;
      total.bytes += entry.size;
      if (!delimiter) continue;
      const end = entry.key.indexOf(delimiter, prefix.length);
      const name = end < 0 ? prefix : entry.key.slice(0, end + delimiter.length);
      const group = groups.get(name) ?? { prefix: name, objects: 0, bytes: 0 };
      group.objects += 1;
      group.bytes += entry.size;
      groups.set(name, group);
    }
    if (!total.complete) break;
    call.report(total.objects, undefined, `${total.objects} objects`);
  }
  return { ...total, groups: [...groups.values()].sort((a, b) => b.bytes - a.bytes) };
}
