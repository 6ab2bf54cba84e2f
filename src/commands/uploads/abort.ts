import { boolean, string } from "@oclif/core/flags";

import { examples, one } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { showTransfer } from "../../cli/transfer-view.js";
import { remote } from "../../cli/locations.js";
import { ago } from "../../text/units.js";
import { abortUploads } from "../../core/operations/uploads.js";

export default class UploadsAbort extends BaseCommand {
  static override summary = "Remove unfinished uploads with their parts.";
  static override description =
    'An upload that is still running ends in an error when it is aborted; --older-than leaves the young ones alone. The target is a bucket, or a key with what is below it: "foo" takes "foo" and "foo/…", never "foobar".';
  static override examples = examples({
    "local/backups --older-than 7d": "End those that are older than a week",
    "local/backups/2025.tar --dry-run": "Show the uploads first",
  });
  static override args = { target: one("alias/bucket or alias/bucket/key") };
  static override flags = {
    "older-than": string({ description: "Only those begun so long ago.", helpValue: "7d" }),
    "dry-run": boolean({ description: "Say what would be removed; remove nothing." }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(UploadsAbort);
    const { alias, bucket, key } = await remote(context, args.target, "bucket");
    const storage = await context.bucket(alias, bucket);
    const chosen = { alias, key, olderThan: ago(flags["older-than"]) };
    await showTransfer(
      output,
      (follow) => abortUploads(storage, { ...chosen, dryRun: flags["dry-run"], signal, ...follow }),
      "upload",
    );
  }
}
