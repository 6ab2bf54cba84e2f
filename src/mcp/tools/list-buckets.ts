import { formatCount } from "../../text/format.js";
import { isoDate, table } from "../text.js";
import { type Call, defineTool } from "../tool.js";

export const listBucketsTool = defineTool({
  name: "list_buckets",
  description: "List all buckets",
  access: "read",
  schema: {},
  handler: async (_args, call) => {
    const buckets = (await listBuckets(call)).map(({ name, created }) => ({
      name,
      created: isoDate(created),
    }));
    const lines = [`${formatCount(buckets.length, "bucket")} at ${call.alias}`];
    return {
      text: [...lines, ...table(["name", "created"], buckets)].join("\n"),
      structured: { alias: call.alias, buckets, total: buckets.length },
    };
  },
});

/**
 * The buckets a call may touch. Under an allow-list each of those is looked for by itself, since a
 * credential made for them may not be permitted to list the service's.
 */
export async function listBuckets(
  call: Call,
): Promise<{ name: string; created?: number | undefined }[]> {
  const service = await call.service("read");
  if (call.allowedBuckets === undefined) return service.list({ signal: call.signal });
  const found = await Promise.all(
    call.allowedBuckets.map(async (name) => ((await service.exists(name)) ? [{ name }] : [])),
  );
  return found.flat();
}
