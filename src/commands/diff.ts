import { examples, one } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import {
  FILTER_RULES,
  filterFlags,
  noteIdlePatterns,
  readFilter,
  readSkipped,
  walkFlags,
} from "../cli/choice.js";
import { keyFlags } from "../cli/extras.js";
import { findingReportFlags, jobOf, withReport } from "../cli/report-flag.js";
import { runDiff, sides } from "../cli/run-sync.js";
import { compareFlags } from "../cli/sync-flags.js";
import { tuning, tuningFlags } from "../cli/transfer-flags.js";

export default class Diff extends BaseCommand {
  static override summary = "Say how two places differ: directories, buckets or prefixes.";
  static override description = `A line for each name: "<" only the first has it, ">" only the second, "!" both, and they differ: by size, time or checksum. Exit code 0 when they are the same, 5 when they differ, 7 when not everything could be read.

${FILTER_RULES}`;
  static override examples = examples({
    "photos local/backup/photos": "Compare a directory with a prefix",
    "--compare checksum play/site other/site": "Two services, by checksum and not by time",
  });
  static override args = {
    first: one("directory or alias/bucket/prefix"),
    second: one("what it is compared with"),
  };
  static override flags = {
    ...compareFlags,
    ...filterFlags,
    ...walkFlags,
    ...keyFlags,
    ...tuningFlags,
    ...findingReportFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Diff);
    const filter = await readFilter(session.context, flags, [args.first, args.second]);
    const request = {
      ...tuning(flags),
      ...(await sides(session, args.first, args.second, flags)),
      compare: flags.compare,
      filter,
      skipped: readSkipped(flags),
    };
    await withReport(session, flags.report, jobOf("diff", this.argv, filter), (_, found) =>
      runDiff(session, request, found),
    );
    noteIdlePatterns(session.output, flags, filter);
  }
}
