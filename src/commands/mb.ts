import { string as stringArg } from "@oclif/core/args";
import { boolean } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { forEachTarget } from "../cli/several.js";
import { remoteBucket } from "../cli/locations.js";

export default class MakeBucket extends BaseCommand {
  static override summary = "Make buckets.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/photos",
    "<%= config.bin %> <%= command.id %> -p --with-versioning local/photos",
  ];
  static override args = {
    buckets: stringArg({
      description: "alias/bucket",
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    "ignore-existing": boolean({
      char: "p",
      description: "Succeed when the bucket is already there.",
    }),
    "with-versioning": boolean({ description: "Keep every version of every object." }),
    "with-lock": boolean({
      description: "Let objects be locked: see pail lock.",
      exclusive: ["ignore-existing"],
    }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(MakeBucket);
    const { context, output, signal } = session;
    const options = {
      ignoreExisting: flags["ignore-existing"],
      versioning: flags["with-versioning"],
      lock: flags["with-lock"],
    };
    await forEachTarget(session, args.buckets, async (text) => {
      const { alias, bucket } = await remoteBucket(context, text);
      const service = await context.buckets(alias);
      const location = `${alias}/${bucket}`;
      if (await abortable(service.make(bucket, options), signal)) {
        output.result({ type: "bucket-made", location, alias, bucket }, `made ${location}`);
      } else {
        output.result({ type: "bucket-exists", location, alias, bucket }, `${location} was there`);
      }
    });
  }
}
