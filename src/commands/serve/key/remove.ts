import { string as stringArg } from "@oclif/core/args";

import { BaseCommand } from "../../../cli/base.js";
import { AppError } from "../../../core/failures/errors.js";
import { closest } from "../../../core/suggest.js";

export default class KeyRemove extends BaseCommand {
  static override summary = "Remove an access key of the embedded store.";
  static override description = "A running server stops accepting it within a second.";
  static override examples = ["<%= config.bin %> <%= command.id %> AKIAEXAMPLE"];
  static override args = {
    accessKeyId: stringArg({ description: "the key's id", required: true, ignoreStdin: true }),
  };

  async run(): Promise<void> {
    const { args, context, output } = await this.open(KeyRemove);
    const { keys } = await context.store();
    const known = (await keys.list()).map(({ accessKeyId }) => accessKeyId);
    if (!known.includes(args.accessKeyId)) {
      const near = closest(args.accessKeyId, known);
      throw new AppError({
        kind: "not-found",
        code: "InvalidAccessKeyId",
        message: `the store has no access key ${args.accessKeyId}`,
        hint: near === undefined ? "pail serve key list" : `did you mean ${near}?`,
      });
    }
    await keys.remove(args.accessKeyId);
    output.result(
      { type: "access-key-removed", accessKeyId: args.accessKeyId },
      `removed access key ${args.accessKeyId}`,
    );
  }
}
