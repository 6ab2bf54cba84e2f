import { string } from "@oclif/core/flags";

import { examples, one } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { uploadLines, uploadRecord } from "../../cli/list-lines.js";
import { forEachPlace } from "../../cli/address.js";
import { ago } from "../../text/units.js";
import { findUploads } from "../../core/operations/uploads.js";

export default class UploadsList extends BaseCommand {
  static override summary = "List unfinished uploads.";
  static override description =
    "Parts of an upload that was interrupted stay at the service, and are paid for, until the upload goes on or is aborted. The target is a bucket, or a key with what is below it, or an alias with all of its buckets.";
  static override examples = examples({
    "local/backups": "Of a bucket",
    "local/backups/2025/ --older-than 7d": "Old ones, below a prefix",
  });
  static override args = { target: one("alias, alias/bucket or alias/bucket/key") };
  static override flags = {
    "older-than": string({ description: "Only those begun so long ago.", helpValue: "7d" }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(UploadsList);
    const { output, signal } = session;
    this.endWithReader();
    const olderThan = ago(flags["older-than"]);
    const line = uploadLines();
    const exact = { literal: true };
    await forEachPlace(session, [args.target], exact, async ({ storage, key, alias, bucket }) => {
      const label = `${alias}/${bucket}`;
      // With several buckets, each line says which one it is in.
      const whole = args.target.replace(/\/$/, "") === alias;
      for await (const page of findUploads(storage, { key, olderThan, signal })) {
        await output.page(
          page,
          (upload) => line(whole ? { ...upload, key: `${label}/${upload.key}` } : upload),
          (upload) => uploadRecord(upload, label),
        );
      }
    });
  }
}
