import { string } from "@oclif/core/flags";

import { BaseCommand } from "../../../cli/base.js";

export default class KeyCreate extends BaseCommand {
  static override summary = "Make an access key for the embedded store.";
  static override description = "The secret is shown now and never again.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --description laptop --json",
  ];
  static override flags = {
    description: string({ description: "What it is for." }),
  };

  async run(): Promise<void> {
    const { flags, context, output } = await this.open(KeyCreate);
    const { keys } = await context.store();
    const { accessKeyId, secretAccessKey, created } = await keys.create({
      description: flags.description,
    });
    output.result(
      { type: "access-key", accessKeyId, secretAccessKey, created: created.toISOString() },
      [`access key  ${accessKeyId}`, `secret key  ${secretAccessKey}`],
    );
    output.note("the secret is not shown again");
  }
}
