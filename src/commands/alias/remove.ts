import { examples, one } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { usageError } from "../../core/failures/errors.js";

export default class AliasRemove extends BaseCommand {
  static override summary = "Forget an alias and its credentials.";
  static override examples = examples({ play: "Forget it" });
  static override args = { name: one("the alias") };

  async run(): Promise<void> {
    const { args, context, output } = await this.open(AliasRemove);
    if (!Object.hasOwn((await context.config()).aliases, args.name)) {
      const { origin } = await context.alias(args.name);
      throw usageError(
        "NotInConfig",
        `the alias ${args.name} is not in the config file: it is ${origin}`,
        origin === "built-in" ? undefined : `unset ${origin}`,
      );
    }
    await context.removeAlias(args.name);
    output.result({ type: "alias-removed", name: args.name }, `removed alias ${args.name}`);
  }
}
