import { boolean } from "@oclif/core/flags";

import { examples, one } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { FILTER_RULES } from "../cli/choice.js";
import { runFlags, runOptions, runPlaces, sides } from "../cli/run-sync.js";

export default class Mirror extends BaseCommand {
  static override summary = "Copy what the target lacks, as mc mirror does.";
  static override description = `The same as pail sync, in mc's words: what differs stays as it is without --overwrite, and what only the target has without --remove.

${FILTER_RULES}`;
  static override examples = examples({
    "photos local/backup/photos": "Copy what is missing, and leave what differs",
    "--overwrite --remove play/site other/site": "Replace what differs, and remove what is gone",
  });
  static override args = {
    source: one("directory or alias/bucket/prefix"),
    target: one("what is to become like it"),
  };
  static override flags = {
    overwrite: boolean({ description: "Replace what differs." }),
    remove: boolean({ description: "Remove what only the target has." }),
    ...runFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Mirror);
    await runPlaces(session, flags, {
      ...(await runOptions(session, flags, [args.source, args.target])),
      ...(await sides(session, args.source, args.target, flags)),
      choice: {
        compare: "auto",
        update: false,
        keepDiffering: !flags.overwrite,
        remove: flags.remove,
      },
    });
  }
}
