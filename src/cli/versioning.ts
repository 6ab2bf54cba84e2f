/** The parts that `version enable`, `suspend` and `status` share. */
import { many } from "./args.js";
import { BaseCommand } from "./base.js";
import { abortable } from "./interrupt.js";
import { remoteBucket } from "./locations.js";
import { requireBucket } from "./require-bucket.js";
import { forEachTarget } from "./several.js";

/** Sets the versioning of buckets where a state is given, and shows what it is. */
export abstract class VersioningCommand extends BaseCommand {
  static override args = { buckets: many("alias/bucket") };

  protected readonly state: "Enabled" | "Suspended" | undefined;

  async run(): Promise<void> {
    const { args, flags: _flags, ...session } = await this.open(VersioningCommand);
    const { context, output, signal } = session;
    await forEachTarget(session, args.buckets, async (text) => {
      const { alias, bucket } = await remoteBucket(context, text);
      const service = await context.buckets(alias);
      await requireBucket(service, { alias, bucket }, signal);
      const { state } = this;
      if (state !== undefined) await abortable(service.setVersioning(bucket, state), signal);
      const versioning = state ?? (await abortable(service.getVersioning(bucket), signal));
      const location = `${alias}/${bucket}`;
      output.result(
        { type: "versioning", location, versioning: versioning ?? null },
        `${location}: ${versioning?.toLowerCase() ?? "never enabled"}`,
      );
    });
  }
}
