/** `--report`: what a command does, written down for `pail undo` and `pail report merge`. */

import { valueFlag } from "./args.js";
import type { Filter } from "../core/filter.js";
import type { ReportHeader } from "../core/report.js";
import type { Session } from "./base.js";
import type { Job, Reported } from "./write-report.js";

export const reportFlags = {
  report: valueFlag(
    'Write down what is done, in a file or an object, for pail undo; in one of its own below a place that ends in "/".',
    "PLACE",
    { exclusive: ["dry-run"] },
  ),
};

/** For commands that change nothing: of them only the report of a shard is of use. */
export const findingReportFlags = {
  report: valueFlag(
    'Write down that the shard is done, for pail report merge: a file, or below "PLACE/".',
    "PLACE",
    { dependsOn: ["shard"], helpGroup: "MANY MACHINES" },
  ),
};

/**
 * The `ifExists` of a copy whose report must tell new objects from replaced ones. A free name is
 * taken only while it is free, at the cost of a look.
 */
export async function replaceKnowingly(): Promise<"replace"> {
  return "replace";
}

/** The head of a report: of the command and, for a shard, how it is run again. */
export function jobOf(
  command: string,
  argv: readonly string[],
  { shard }: Filter = {},
): Pick<ReportHeader, "command" | "shard" | "words"> {
  if (shard === undefined) return { command };
  const words = argv.filter((word, index) => {
    return !/^--shard(=|$)/.test(word) && argv[index - 1] !== "--shard";
  });
  return { command, shard, words };
}

/**
 * Runs `work` and writes down what it does, where that was asked for. The report is whole as far as
 * the work came, also when it fails. One for a bucket goes there at the end.
 */
export async function withReport(
  session: Session,
  text: string | undefined,
  job: Job,
  work: Reported,
): Promise<void> {
  if (text === undefined) {
    return work(
      (follow) => follow,
      () => undefined,
    );
  }
  const { writeDown } = await import("./write-report.js");
  return writeDown(session, text, job, work);
}
