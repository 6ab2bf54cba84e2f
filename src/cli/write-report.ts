/** Writing a report while the work is done; loaded only when one is asked for. */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TransferListener } from "../core/engine/events.js";
import { isAppError } from "../core/failures/errors.js";
import { shellWord } from "../core/failures/shell-word.js";
import { copy } from "../core/operations/copy.js";
import { joinKey } from "../core/operations/names.js";
import { refOf } from "../core/operations/sources.js";
import type { Place } from "../core/operations/types.js";
import { nameOf } from "../core/ref.js";
import { type ReportHeader, writeReport } from "../core/report.js";
import { formatCount } from "../text/format.js";
import type { Session } from "./base.js";
import { place } from "./places.js";

/** The work that a report is about. */
export type Job = Omit<ReportHeader, "pail" | "version" | "made">;

/** The part of a command that is written down. */
export type Reported = (
  /** Adds the report to a listener. */
  tee: <T extends { readonly onEvent?: TransferListener | undefined }>(follow: T) => T,
  /** Counts what is only looked at. */
  found: (items: number, bytes: number) => void,
) => Promise<void>;

/** As `withReport`, into a report that is asked for. */
export async function writeDown(
  { context, output }: Session,
  text: string,
  header: Job,
  work: Reported,
): Promise<void> {
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
  const { items, onlyVersions } = report.undoable;
  if (items > 0) {
    const name = target.type === "stdio" ? text : nameOf(refOf(target));
    const limit =
      onlyVersions === 0
        ? ""
        : ` (${formatCount(onlyVersions, "item")} only where versions are kept)`;
    output.note(`to undo it: pail undo ${shellWord(name)}${limit}`);
  }
  if (failure !== undefined) throw failure.error;
}

/** The report's own name: below a place that ends with `/` none is in the way of another. */
function fileOf(
  target: Place,
  { command, shard }: Pick<Job, "command" | "shard">,
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
