import { string as stringArg } from "@oclif/core/args";
import { boolean } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { remoteBucket } from "../cli/locations.js";

export default class MakeBucket extends BaseCommand {
  static override summary = "Make a bucket.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/photos",
    "<%= config.bin %> <%= command.id %> -p --with-versioning local/photos",
  ];
  static override args = {
    bucket: stringArg({ description: "alias/bucket", required: true, ignoreStdin: true }),
  };
  static override flags = {
    "ignore-existing": boolean({
      char: "p",
      description: "Succeed when the bucket is already yours.",
    }),
    "with-versioning": boolean({ description: "Keep every version of every object." }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(MakeBucket);
    const { alias, bucket } = await remoteBucket(context, args.bucket);
    const service = await context.buckets(alias);
    const options = {
      ignoreExisting: flags["ignore-existing"],
      versioning: flags["with-versioning"],
    };
    await abortable(service.make(bucket, options), signal);
    output.result({ type: "bucket-made", alias, bucket }, `made ${alias}/${bucket}`);
  }
}
