import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { examples, many } from "../../cli/args.js";
import { BaseCommand, type Session } from "../../cli/base.js";
import { place } from "../../cli/places.js";
import { AppError, usageError } from "../../core/failures/errors.js";
import { localError } from "../../core/failures/local.js";
import { copy } from "../../core/operations/copy.js";
import { mergeReports } from "../../core/split/merge.js";
import { formatCount, formatSize } from "../../text/format.js";

export default class ReportMerge extends BaseCommand {
  static override summary = "Prove from the reports of its shards that a job is whole.";
  static override description = `A job is whole when the ranges of its shards hold every name exactly once and the last run of each shard ended well. Prints the commands that are to be run again, one a line, and nothing when there are none.

Exit code 0 when the job is whole, 7 when shards are missing, unfinished or failed, 5 when the reports are not of one job or a diff found differences.`;
  static override examples = examples({
    "reports/": "All reports in a directory",
    "play/ops/run-7/": "All reports below a prefix",
    "$ pail report merge reports/ | parallel": "Run again what is not whole",
  });
  static override args = { reports: many("reports: files or objects, or what they are below") };

  async run(): Promise<void> {
    const { args, ...session } = await this.open(ReportMerge);
    const { output } = session;
    const scratch = mkdtempSync(join(tmpdir(), "pail-reports-"));
    try {
      const files: { path: string; name: string }[] = [];
      for (const text of args.reports) files.push(...(await filesOf(session, text, scratch)));
      if (files.length === 0) throw usageError("NotAReport", "there are no reports to merge");
      const { command, of, shards, items, bytes, again } = mergeReports(files);
      const open = shards.filter(({ why }) => why !== undefined);
      for (const { number, why, failures } of open) {
        const shard = `${number}/${of}`;
        for (const { name, code, message } of failures) {
          const error = new AppError({ kind: "partial", code, message });
          output.itemError({ type: "failed", shard, target: name }, error);
        }
        output.note(`shard ${shard} is not whole: ${why}`);
      }
      for (const line of again) output.result({ type: "again", command: line }, line);
      output.result({ type: "merged", command, shards: of, whole: of - open.length, items, bytes });
      const noun = command === "diff" ? "difference" : "object";
      const sums = `${formatCount(items, noun)}${command === "diff" ? "" : `, ${formatSize(bytes)}`}`;
      output.note(`${of - open.length} of ${formatCount(of, "shard")} whole: ${sums}`);
      if (open.length > 0) {
        const message = `${open.length} of ${formatCount(of, "shard")} not whole`;
        throw new AppError({ kind: "partial", code: "PartialFailure", message });
      }
      if (command === "diff" && items > 0) {
        throw new AppError({ kind: "conflict", code: "Different", message: sums });
      }
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }
}

/** The reports that a text names; those in a bucket are brought here first. */
async function filesOf({ context, signal }: Session, text: string, scratch: string) {
  const source = await place(context, text, "source");
  if (source.type === "stdio") throw usageError("NotAReport", "reports are read from files");
  let folder = source.type === "path" ? source.path : mkdtempSync(join(scratch, "r-"));
  if (source.type === "bucket") {
    const target = { type: "path", path: folder } as const;
    const { failures } = await copy({ sources: [source], target, recursive: true, signal });
    if (failures[0] !== undefined) throw failures[0].error;
  }
  try {
    if (!statSync(folder).isDirectory()) return [{ path: folder, name: text }];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => {
        const stats = statSync(join(folder, name));
        // A run that was killed before its first line has left an empty one.
        return stats.isFile() && stats.size > 0;
      })
      .map((name) => ({
        path: join(folder, name),
        name: source.type === "path" ? join(text, name) : name,
      }));
  } catch (error) {
    throw localError(error, "read", folder);
  }
}
