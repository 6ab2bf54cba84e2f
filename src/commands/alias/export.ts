import { boolean } from "@oclif/core/flags";

import { any, examples } from "../../cli/args.js";
import { BaseCommand } from "../../cli/base.js";
import { usageError } from "../../core/failures/errors.js";

export default class AliasExport extends BaseCommand {
  static override summary = "Print aliases as pail keeps them.";
  static override description =
    "A configuration file with these aliases, or with all: for another machine, where it is config.json. Secrets are left out without --with-secrets.";
  static override examples = examples({
    "": "Show them, without secrets",
    "--with-secrets > config.json": "A copy for another machine",
  });
  static override args = { names: any("which; default: all of the file") };
  static override flags = {
    "with-secrets": boolean({ description: "Secret keys and session tokens, too." }),
  };

  async run(): Promise<void> {
    const { args, flags, context, output } = await this.open(AliasExport);
    const { aliases, version } = await context.config();
    const missing = args.names?.find((name) => !Object.hasOwn(aliases, name));
    if (missing !== undefined) {
      throw usageError(
        "UnknownAlias",
        `there is no alias "${missing}" in the configuration file`,
        "pail alias list",
      );
    }
    const wanted = Object.entries(aliases).filter(([name]) => args.names?.includes(name) ?? true);
    const shown = wanted.map(([name, { secretKey, sessionToken, ...rest }]) => {
      const secrets = { ...(secretKey && { secretKey }), ...(sessionToken && { sessionToken }) };
      return [name, flags["with-secrets"] ? { ...rest, ...secrets } : rest] as const;
    });
    const file = { version, aliases: Object.fromEntries(shown) };
    output.result(file, JSON.stringify(file, undefined, 2).split("\n"));
  }
}
