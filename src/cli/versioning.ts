/** What `version enable`, `suspend` and `status` share. */
import { string as stringArg } from "@oclif/core/args";

import type { Session } from "./base.js";
import { abortable } from "./interrupt.js";
import { remoteBucket } from "./locations.js";
import { requireBucket } from "./require-bucket.js";
import { forEachTarget } from "./several.js";

export const versioningArgs = {
  buckets: stringArg({
    description: "alias/bucket",
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
};

/** Sets the versioning of buckets where a state is given, and shows what it is. */
export async function showVersioning(
  session: Session,
  buckets: readonly string[],
  state?: "Enabled" | "Suspended",
): Promise<void> {
  const { context, output, signal } = session;
  await forEachTarget(session, buckets, async (text) => {
    const { alias, bucket } = await remoteBucket(context, text);
    const service = await context.buckets(alias);
    await requireBucket(service, { alias, bucket }, signal);
    if (state !== undefined) await abortable(service.setVersioning(bucket, state), signal);
    const versioning = state ?? (await abortable(service.getVersioning(bucket), signal));
    const location = `${alias}/${bucket}`;
    output.result(
      { type: "versioning", location, versioning: versioning ?? null },
      `${location}: ${versioning?.toLowerCase() ?? "never enabled"}`,
    );
  });
}
