import { examples } from "../cli/args.js";
import { confirmMatches, patternFlags, takingOf } from "../cli/taking.js";
import { BaseCommand } from "../cli/base.js";
import { copyArgs, copyFlags, copyRequest, hintedAtRecursion } from "../cli/copy-request.js";
import { FILTER_RULES, noteIdlePatterns } from "../cli/choice.js";
import { jobOf, replaceKnowingly, reportFlags, withReport } from "../cli/report-flag.js";
import { showTransfer } from "../cli/transfer-view.js";
import { move } from "../core/operations/move.js";

export default class Move extends BaseCommand {
  static override summary = "Move objects and files, in any direction.";
  static override description = `As cp copies, under the same names; then each source is removed, once its copy has been proven and only if it is still exactly what was copied. Everything that changed or appeared meanwhile stays and is named (exit code 7).

In a versioned bucket the source gets a delete marker and its versions stay; with --version-id, that version is removed for good. Metadata, tags and the storage class come along where the target takes them; what does not is named. Directories that the move has emptied are removed; "photos/" moves what is in it and leaves the directory.

pail finds out from the services whether source and target are the same object under two aliases; where they do not tell, nothing is moved.

${FILTER_RULES}`;
  static override examples = examples({
    "local/demo/old.txt local/demo/new.txt": "Rename an object",
    "-r local/demo/2024/ play/archive/2024/": "Move what is in a prefix to another service",
    "-r photos play/backup": "Move a directory into a bucket",
    "--if-exists keep-both play/inbox/report.pdf .":
      "Download and remove, and keep a file of that name",
  });
  static override args = copyArgs("move");
  static override flags = { ...copyFlags("move", "moved"), ...patternFlags, ...reportFlags };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Move);
    const { output, signal } = session;
    // A source that has nothing was moved already, or is mistyped: only its own split tells.
    const asked = await copyRequest(session, args, flags, takingOf(flags), args.sources);
    // A move to a bucket knows what it replaces.
    const asks = flags.report !== undefined && asked.target.type === "path";
    const { ifExists = asks ? replaceKnowingly : undefined } = asked;
    const request = { ...asked, ifExists };
    for (const place of request.sources) {
      if (place.type !== "bucket" || place.pattern === undefined || flags.pattern) continue;
      await confirmMatches(session, place, flags.recursive);
    }
    await withReport(session, flags.report, jobOf("mv", this.argv, asked.filter), (tee) =>
      showTransfer(output, (follow) => move({ ...request, signal, ...tee(follow) })),
    ).catch(async (error: unknown) => {
      throw await hintedAtRecursion(error, request, signal);
    });
    noteIdlePatterns(output, flags, request.filter);
  }
}
