/** `--report`: what a command does, written down for `pail undo` and `pail report merge`. */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { string } from "@oclif/core/flags";

import type { TransferListener } from "../core/engine/events.js";
import { isAppError } from "../core/failures/errors.js";
import { shellWord } from "../core/failures/shell-word.js";
import type { Filter } from "../core/filter.js";
import { copy } from "../core/operations/copy.js";
import { joinKey } from "../core/operations/names.js";
import { refOf } from "../core/operations/sources.js";
import type { Place } from "../core/operations/types.js";
import { nameOf } from "../core/ref.js";
import { type ReportHeader, writeReport } from "../core/report.js";
import type { Session } from "./base.js";
import { place } from "./places.js";

export const reportFlags = {
  report: string({
    description:
      'Write down what is done, in a file or an object, for pail undo; in one of its own below a place that ends in "/".',
    helpValue: "PLACE",
  }),
};

/** For commands that change nothing: of them only the report of a shard is of use. */
export const findingReportFlags = {
  report: string({
    description:
      'Write down that the shard is done, for pail report merge: a file, or below "PLACE/".',
    helpValue: "PLACE",
    dependsOn: ["shard"],
    helpGroup: "MANY MACHINES",
  }),
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

type Follow = { readonly onEvent?: TransferListener | undefined };

/**
 * Runs `work` and writes down what it does; `tee` adds the report to a listener, `found` counts what
 * is only looked at. The report is whole as far as the work came, also when it fails. One for a
 * bucket goes there at the end.
 */
export async function withReport(
  session: Session,
  text: string | undefined,
  header: Omit<ReportHeader, "pail" | "version" | "made">,
  work: (
    tee: <T extends Follow>(follow: T) => T,
    found: (items: number, bytes: number) => void,
  ) => Promise<void>,
): Promise<void> {
  const nothing = () => undefined;
  if (text === undefined) return work((follow) => follow, nothing);
  const { context, output } = session;
  const made = new Date().toISOString();
  const target = fileOf(await place(context, text, "target"), header, made);
  const path =
    target.type === "path"
      ? target.path
      : join(tmpdir(), `pail-report-${randomBytes(8).toString("hex")}`);
  const report = writeReport(path, { pail: "report", version: 1, made, ...header });
  let failure: { readonly error: unknown } | undefined;
  try {
    await work(
      (follow) => ({
        ...follow,
        onEvent: (event, snapshot) => {
          report.onEvent(event, snapshot);
          follow.onEvent?.(event, snapshot);
        },
      }),
      report.found,
    );
  } catch (error) {
    failure = { error };
  }
  report.end(failure?.error);
  if (target.type !== "path") {
    // Also of a run that was interrupted: it says what was done.
    try {
      const { failures } = await copy({ sources: [{ type: "path", path }], target });
      if (failures[0] !== undefined) throw failures[0].error;
      rmSync(path);
    } catch (error) {
      output.note(`the report is in ${path}`);
      if (failure !== undefined && isAppError(error)) output.itemError({ target: text }, error);
      failure ??= { error };
    }
  }
  if (["sync", "cp", "mv", "rm"].includes(header.command)) {
    const name = target.type === "stdio" ? text : nameOf(refOf(target));
    output.note(`to undo it: pail undo ${shellWord(name)}`);
  }
  if (failure !== undefined) throw failure.error;
}

/** The report's own name: below a place that ends with `/` none is in the way of another. */
function fileOf(
  target: Place,
  { command, shard }: Pick<ReportHeader, "command" | "shard">,
  made: string,
): Place {
  const part = shard === undefined ? command : `${command}-${shard.number}-of-${shard.of}`;
  const name = `${part}-${made.replaceAll(/[:.]/g, "")}-${randomBytes(4).toString("hex")}.jsonl`;
  if (target.type === "bucket" && (target.key === "" || target.key.endsWith("/"))) {
    return { ...target, key: joinKey(target.key, name) };
  }
  if (target.type !== "path") return target;
  const isFolder = statSync(target.path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && !target.path.endsWith("/")) return target;
  mkdirSync(target.path, { recursive: true });
  return { ...target, path: join(target.path, name) };
}
