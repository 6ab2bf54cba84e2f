import { SCAN_BUDGET } from "../limits.js";
import { facts } from "../text.js";
import { type Call, defineTool } from "../tool.js";
import { orUnavailable } from "../unavailable.js";
import { name, part } from "./parameters.js";

export const bucketInfoTool = defineTool({
  name: "bucket_info",
  title: "Bucket info",
  description: "Show a bucket's versioning, tags, object count and total size",
  access: "read",
  scope: "bucket",
  schema: { bucket_name: name, prefix: part.optional() },
  annotations: { readOnlyHint: true },
  handler: async ({ bucket_name: bucket, prefix }, call) => {
    const usage = await countUsage(bucket, prefix, call);
    const service = await call.service("read");
    const [versioning, tags] = await Promise.all([
      orUnavailable(service.getVersioning(bucket)),
      orUnavailable(service.getTags(bucket)),
    ]);
    const record = { bucket, versioning: versioning ?? "Disabled", tags, ...usage };
    return { text: facts(record), structured: record };
  },
});

/** Objects and bytes, counted up to the scan budget; `complete` says whether that was all. */
async function countUsage(bucket: string, prefix: string | undefined, call: Call) {
  const storage = await call.bucket(bucket, "read");
  let objects = 0;
  let bytes = 0;
  for await (const page of storage.list({ prefix, signal: call.signal })) {
    for (const entry of page) {
      if (entry.type !== "object") continue;
      if (objects === SCAN_BUDGET) return { objects, bytes, complete: false };
      objects += 1;
      bytes += entry.size;
    }
    call.report(objects, undefined, `${objects} objects`);
  }
  return { objects, bytes, complete: true };
}
