import { string as stringArg } from "@oclif/core/args";
import { string } from "@oclif/core/flags";

import { BaseCommand } from "../../cli/base.js";
import { uploadLines, uploadRecord } from "../../cli/list-lines.js";
import { remote } from "../../cli/locations.js";
import { ago } from "../../cli/units.js";
import { findUploads } from "../../core/transfer/uploads.js";

export default class UploadsList extends BaseCommand {
  static override summary = "List unfinished uploads.";
  static override description =
    "Parts of an upload that was interrupted stay at the service, and are paid for, until the upload goes on or is aborted. The target is a bucket, or a key with what is below it.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/backups",
    "<%= config.bin %> <%= command.id %> local/backups/2025/ --older-than 7d",
  ];
  static override args = {
    target: stringArg({
      description: "alias/bucket or alias/bucket/key",
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    "older-than": string({ description: "Only those begun so long ago.", helpValue: "7d" }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(UploadsList);
    const { alias, bucket, key } = await remote(context, args.target, "bucket");
    const storage = await context.bucket(alias, bucket);
    const line = uploadLines();
    const olderThan = ago(flags["older-than"]);
    for await (const page of findUploads(storage, { key, olderThan, signal })) {
      await output.page(page, line, uploadRecord);
    }
  }
}
