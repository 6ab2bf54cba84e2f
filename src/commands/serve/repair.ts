import { string } from "@oclif/core/flags";

import { BaseCommand } from "../../cli/base.js";
import { showChecked } from "../../cli/serve-check.js";

export default class ServeRepair extends BaseCommand {
  static override summary = "Check the embedded store, and remove what cannot be read.";
  static override description =
    "Removes damaged records, which are kept in the folder damaged/ of the store, and versions whose bytes are gone, so that their keys can be written again. Objects whose bytes have changed are named and left.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --bucket photos",
  ];
  static override flags = {
    bucket: string({ description: "One bucket instead of all.", helpValue: "NAME" }),
  };

  async run(): Promise<void> {
    const { flags, context, output, signal } = await this.open(ServeRepair);
    const store = await context.store();
    await showChecked(output, store.check({ bucket: flags.bucket, repair: true }), signal);
  }
}
