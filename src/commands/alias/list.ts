import { examples, optional } from "../../cli/args.js";
import { aliasLines, aliasRecord } from "../../cli/alias-lines.js";
import { BaseCommand } from "../../cli/base.js";

export default class AliasList extends BaseCommand {
  static override summary = "List aliases: name, endpoint, access key, where it is defined.";
  static override description = "Secrets are never shown.";
  static override examples = examples({
    "": "All, with where each is defined",
    "play --json": "One, for a program",
  });
  static override args = { name: optional("only this alias") };

  async run(): Promise<void> {
    const { args, context, output } = await this.open(AliasList);
    const aliases =
      args.name === undefined ? await context.aliases() : [await context.alias(args.name)];
    const lines = aliasLines(aliases);
    aliases.forEach((alias, index) => output.result(aliasRecord(alias), lines[index]));
  }
}
