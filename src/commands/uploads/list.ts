import { BaseCommand } from "../../cli/base.js";
import { uploadLines, uploadRecord } from "../../cli/list-lines.js";
import { chooseUploads, uploadsArgs, uploadsFlags } from "../../cli/uploads-choice.js";
import { findUploads } from "../../core/operations/uploads.js";

export default class UploadsList extends BaseCommand {
  static override summary = "List unfinished uploads.";
  static override description =
    "Parts of an upload that was interrupted stay at the service, and are paid for, until the upload goes on or is aborted. The target is a bucket, or a key with what is below it.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> local/backups",
    "<%= config.bin %> <%= command.id %> local/backups/2025/ --older-than 7d",
  ];
  static override args = uploadsArgs;
  static override flags = uploadsFlags;

  async run(): Promise<void> {
    const { args, flags, context, output, signal } = await this.open(UploadsList);
    this.endWithReader();
    const { storage, alias, ...chosen } = await chooseUploads(context, args, flags);
    const line = uploadLines();
    for await (const page of findUploads(storage, { ...chosen, signal })) {
      await output.page(page, line, (upload) => uploadRecord(upload, `${alias}/${storage.bucket}`));
    }
  }
}
