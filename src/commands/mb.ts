import { boolean } from "@oclif/core/flags";

import { examples, many } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { abortable } from "../cli/interrupt.js";
import { forEachTarget } from "../cli/several.js";
import { remoteBucket } from "../cli/locations.js";

export default class MakeBucket extends BaseCommand {
  static override summary = "Make buckets.";
  static override examples = examples({
    "local/photos": "Make a bucket",
    "-p --with-versioning local/photos": "Make one that keeps versions, or leave it if it is there",
  });
  static override args = { buckets: many("alias/bucket") };
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
