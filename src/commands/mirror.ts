import { string as stringArg } from "@oclif/core/args";
import { boolean } from "@oclif/core/flags";

import { BaseCommand } from "../cli/base.js";
import {
  FILTER_RULES,
  filterFlags,
  noteIdlePatterns,
  readFilter,
  readSkipped,
  walkFlags,
} from "../cli/choice.js";
import { runSync, side } from "../cli/run-sync.js";
import { preserveFlags, readPreserve } from "../cli/sync-flags.js";
import { headerFlags, objectHeaders, tuning, tuningFlags } from "../cli/transfer-flags.js";

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
    "dry-run": boolean({ description: "Say what would be done; do nothing." }),
    ...preserveFlags,
    ...filterFlags,
    ...walkFlags,
    ...headerFlags,
    ...tuningFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Mirror);
    const filter = await readFilter(flags);
    await runSync(session, {
      ...objectHeaders(flags),
      ...tuning(flags),
      preserve: readPreserve(flags),
      source: await side(session, args.source, "source"),
      target: await side(session, args.target, "target"),
      choice: {
        compare: "auto",
        update: false,
        keepDiffering: !flags.overwrite,
        remove: flags.remove,
      },
      filter,
      skipped: readSkipped(flags),
      dryRun: flags["dry-run"],
    });
    noteIdlePatterns(session.output, flags, filter);
  }
}
