import { string as stringArg } from "@oclif/core/args";
import { boolean } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import { FILTER_RULES } from "../cli/choice.js";
import { runFlags, runOptions, runPlaces, sides } from "../cli/run-sync.js";

export default class Mirror extends BaseCommand {
  static override summary = "Copy what the target lacks, as mc mirror does.";
  static override description = `The same as pail sync, in mc's words: what differs stays as it is without --overwrite, and what only the target has without --remove.

${FILTER_RULES}`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> photos local/backup/photos",
    "<%= config.bin %> <%= command.id %> --overwrite --remove play/site other/site",
  ];
  static override args = {
    source: stringArg({
      description: "directory or alias/bucket/prefix",
      required: true,
      ignoreStdin: true,
    }),
    target: stringArg({
      description: "what is to become like it",
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = {
    overwrite: boolean({ description: "Replace what differs." }),
    remove: boolean({ description: "Remove what only the target has." }),
    ...runFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Mirror);
    await runPlaces(session, flags, {
      ...(await runOptions(flags)),
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
