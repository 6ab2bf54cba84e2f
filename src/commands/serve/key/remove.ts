import { examples, one } from "../../../cli/args.js";
import { BaseCommand } from "../../../cli/base.js";
import { AppError } from "../../../core/failures/errors.js";
import { closest } from "../../../core/suggest.js";

export default class KeyRemove extends BaseCommand {
  static override summary = "Remove an access key of the embedded store.";
  static override description = "A running server stops accepting it within a second.";
  static override examples = examples({ AKIAEXAMPLE: "Refuse this key from now on" });
  static override args = { accessKeyId: one("the key's id") };

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
