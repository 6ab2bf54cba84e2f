import { boolean } from "@oclif/core/flags";

import { examples, many } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { remoteBucket } from "../cli/locations.js";
import { requireBucket } from "../cli/require-bucket.js";
import { forEachTarget } from "../cli/several.js";
import { showTransfer } from "../cli/transfer-view.js";
import { purge } from "../core/operations/purge.js";

export default class RemoveBucket extends BaseCommand {
  static override summary = "Remove buckets.";
  static override description =
    "A bucket with something in it stays, unless --force empties it first: every object, every version and delete marker, and every unfinished upload. There is no way back; --dry-run shows what it would be.";
  static override examples = examples({
    "local/photos": "Remove an empty bucket",
    "--force --dry-run local/photos": "Show what emptying it would remove",
    "--force local/photos": "Empty it and remove it",
  });
  static override args = { buckets: many("alias/bucket") };
  static override flags = {
    force: boolean({ description: "Empty it first." }),
    "dry-run": boolean({
      description: "Say what --force would remove; remove nothing.",
      dependsOn: ["force"],
    }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(RemoveBucket);
    await forEachTarget(session, args.buckets, (text) => removeBucket(session, text, flags));
  }
}

async function removeBucket(
  { context, output, signal }: Session,
  text: string,
  { force, "dry-run": dryRun }: { readonly force: boolean; readonly "dry-run": boolean },
): Promise<void> {
  const { alias, bucket } = await remoteBucket(context, text);
  const label = `${alias}/${bucket}`;
  const service = await context.buckets(alias);
  if (force) {
    await requireBucket(service, { alias, bucket }, signal);
    const storage = await context.bucket(alias, bucket);
    const all = "every object, version, delete marker and unfinished upload";
    if (!dryRun) output.note(`removing ${label} with ${all} in it`);
    await showTransfer(output, (follow) =>
      purge({ alias, storage, service, dryRun, signal, ...follow }),
    );
    if (dryRun) return;
  } else await abortable(service.remove(bucket), signal);
  output.result({ type: "bucket-removed", location: label, alias, bucket }, `removed ${label}`);
}
