import { string as stringArg } from "@oclif/core/args";

import { aliasLines, aliasRecord } from "../../cli/alias-lines.js";
import { BaseCommand } from "../../cli/base.js";

export default class AliasList extends BaseCommand {
  static override summary = "List aliases: name, endpoint, access key, where it is defined.";
  static override description = "Secrets are never shown.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> play --json",
  ];
  static override args = {
    name: stringArg({ description: "only this alias", ignoreStdin: true }),
  };

  async run(): Promise<void> {
    const { args, context, output } = await this.open(AliasList);
    const aliases =
      args.name === undefined ? await context.aliases() : [await context.alias(args.name)];
    const lines = aliasLines(aliases);
    aliases.forEach((alias, index) => output.result(aliasRecord(alias), lines[index]));
  }
}
