import { string as stringArg } from "@oclif/core/args";

import { BaseCommand } from "../cli/base.js";
import {
  FILTER_RULES,
  filterFlags,
  noteIdlePatterns,
  readFilter,
  readSkipped,
  walkFlags,
} from "../cli/choice.js";
import { runDiff, side } from "../cli/run-sync.js";
import { compareFlags } from "../cli/sync-flags.js";
import { tuning, tuningFlags } from "../cli/transfer-flags.js";

export default class Diff extends BaseCommand {
  static override summary = "Say how two places differ: directories, buckets or prefixes.";
  static override description = `A line for each name: "<" only the first has it, ">" only the second, "!" both, and they differ: by size, time or checksum. Exit code 0 when they are the same, 5 when they differ, 7 when not everything could be read.

${FILTER_RULES}`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> photos local/backup/photos",
    "<%= config.bin %> <%= command.id %> --compare checksum play/site other/site",
  ];
  static override args = {
    first: stringArg({
      description: "directory or alias/bucket/prefix",
      required: true,
      ignoreStdin: true,
    }),
    second: stringArg({
      description: "what it is compared with",
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = { ...compareFlags, ...filterFlags, ...walkFlags, ...tuningFlags };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Diff);
    const filter = await readFilter(flags);
    await runDiff(session, {
      ...tuning(flags),
      source: await side(session, args.first, "source"),
      target: await side(session, args.second, "source"),
      compare: flags.compare,
      filter,
      skipped: readSkipped(flags),
    });
    noteIdlePatterns(session.output, flags, filter);
  }
}
