import { string as stringArg } from "@oclif/core/args";

import { BaseCommand } from "../../cli/base.js";

export default class AliasRemove extends BaseCommand {
  static override summary = "Forget an alias and its credentials.";
  static override examples = ["<%= config.bin %> <%= command.id %> play"];
  static override args = {
    name: stringArg({ description: "the alias", required: true, ignoreStdin: true }),
  };

  async run(): Promise<void> {
    const { args, context, output } = await this.open(AliasRemove);
    await context.removeAlias(args.name);
    output.result({ type: "alias-removed", name: args.name }, `removed alias ${args.name}`);
  }
}
