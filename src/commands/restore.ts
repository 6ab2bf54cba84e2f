import { boolean, integer, option } from "@oclif/core/flags";

import { examples, many, valueFlag } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { FILTER_RULES, filterFlags, readFilter, requireChoice } from "../cli/choice.js";
import { remote, requireOne } from "../cli/locations.js";
import { forEachTarget, partial } from "../cli/several.js";
import { payerFlag } from "../cli/transfer-flags.js";
import { restore } from "../core/operations/restore.js";

const WORDS = {
  asked: "asked for",
  "under-way": "asked for before, not here yet",
  there: "here",
  active: "not archived",
} as const;

export default class Restore extends BaseCommand {
  static override summary = "Ask for archived objects, so that they can be read.";
  static override description = `Objects of the classes GLACIER and DEEP_ARCHIVE, and their like, have to be brought back before they are read: that takes minutes or hours, by the tier. They stay readable for the days asked; their class does not change. The same command later says how far it is.

${FILTER_RULES}`;
  static override examples = examples({
    "play/backup/2019.tar": "Ask for an archived object",
    "-r --days 3 --tier Bulk play/backup/2019/":
      "Everything below, for three days, at the lowest price",
  });
  static override args = { targets: many("alias/bucket/key") };
  static override flags = {
    recursive: boolean({ char: "r", description: "Everything below as well." }),
    days: integer({ description: "How long they stay readable.", min: 1, default: 7 }),
    tier: option({
      description: "How soon, and at what price. Default: Standard.",
      options: ["Expedited", "Standard", "Bulk"] as const,
      default: "Standard" as const,
    })(),
    "version-id": valueFlag("This version.", "ID", { exclusive: ["recursive", "files-from"] }),
    "dry-run": boolean({ description: "Say what would be asked for; ask for nothing." }),
    ...filterFlags,
    ...payerFlag,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Restore);
    const { context, output, signal } = session;
    const { targets } = args;
    const { days, tier, "version-id": versionId, "dry-run": dryRun } = flags;
    requireOne(targets, versionId);
    const filter = await readFilter(context, flags, targets);
    const recursive = flags.recursive || filter.names !== undefined;
    requireChoice(filter, recursive, targets);
    const count = { all: 0, failed: 0 };
    await forEachTarget(session, targets, async (text) => {
      const need = recursive ? "bucket" : "key";
      const { alias, bucket, key } = await remote(context, text, need);
      const storage = await context.bucket(alias, bucket);
      const request = { days, tier, recursive, filter, versionId, dryRun, signal };
      for await (const page of restore(storage, key, request)) {
        for (const { key, state, error } of page) {
          const location = `${alias}/${bucket}/${key}`;
          count.all += 1;
          if (error !== undefined) {
            count.failed += 1;
            output.itemError({ type: "failed", target: location }, error);
          } else
            output.result({ type: "restore", location, state }, `${location}: ${WORDS[state!]}`);
        }
        await output.flush();
      }
    });
    if (count.failed > 0) throw partial(count.failed, count.all, "object");
  }
}
