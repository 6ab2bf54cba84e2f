import { examples } from "../cli/args.js";
import { PATTERN_RULE, readingOf } from "../cli/address.js";
import { atFlag } from "../cli/at-flag.js";
import { BaseCommand } from "../cli/base.js";
import { copyArgs, copyFlags, copyRequest, hintedAtRecursion } from "../cli/copy-request.js";
import { FILTER_RULES, noteIdlePatterns } from "../cli/choice.js";
import type { Output } from "../cli/output.js";
import { jobOf, replaceKnowingly, reportFlags, withReport } from "../cli/report-flag.js";
import { showTransfer } from "../cli/transfer-view.js";
import { copy } from "../core/operations/copy.js";

export default class Copy extends BaseCommand {
  static override summary = "Copy objects and files, in any direction.";
  static override description = `Local to bucket, bucket to local, bucket to bucket; within an alias the service copies by itself, across aliases the bytes stream through and never touch the disk. "-" is stdin or stdout.

A source keeps its own name below a bucket, a name ending in "/" or an existing directory. With -r, "photos" keeps its name at the target and "photos/" does not; so does a whole bucket. A whole alias is all of its buckets.

A download appears whole or not at all. An interrupted copy of a large object goes on where it was when the same command is given again.

${PATTERN_RULE} The matches of a source's pattern go below the target, under the names they have behind the last "/" before the first such character.

${FILTER_RULES}`;
  static override examples = examples({
    "1.txt local/demo": "Upload a file",
    "-r photos play/backup": "Upload a directory, under its name",
    "-r --exclude '*.tmp' play/backup/photos/ ./photos":
      "Download what is in a prefix, without its temporary files",
    "-r play/backup/ local/backup": "Copy what is in a bucket to another service",
    "$ tar c . | pail cp - local/demo/all.tar": "Upload what a program writes",
    "local/demo/all.tar - | tar t": "Write an object to a program",
  });
  static override args = copyArgs("copy");
  static override flags = { ...copyFlags("copy", "copied"), ...atFlag, ...reportFlags };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Copy);
    const { output, signal } = session;
    const asked = await copyRequest(session, args, flags, readingOf(flags));
    const { ifExists = flags.report === undefined ? undefined : replaceKnowingly } = asked;
    const request = { ...asked, ifExists };
    if (request.target.type === "stdio") this.endWithReader();
    const shown = request.target.type === "stdio" ? silent(output) : output;
    await withReport(session, flags.report, jobOf("cp", this.argv, asked.filter), (tee) =>
      showTransfer(shown, (follow) => copy({ ...request, signal, ...tee(follow) })),
    ).catch(async (error: unknown) => {
      throw await hintedAtRecursion(error, request, signal);
    });
    noteIdlePatterns(output, flags, request.filter);
  }
}

/** The object goes to stdout, so nothing else may. */
function silent(output: Output): Output {
  return {
    ...output,
    quiet: true,
    json: false,
    result: () => undefined,
    note: () => undefined,
  };
}
