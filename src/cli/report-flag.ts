/** `--report`: what a command does, written down for `pail undo`. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { string } from "@oclif/core/flags";

import type { TransferListener } from "../core/engine/events.js";
import { copy } from "../core/operations/copy.js";
import { type ReportHeader, writeReport } from "../core/report.js";
import type { Session } from "./base.js";
import { place } from "./places.js";

export const reportFlags = {
  report: string({
    description: "Write down what is done, in a file or an object, for pail undo.",
    helpValue: "PLACE",
  }),
};

/**
 * The `ifExists` of a copy whose report must tell new objects from replaced ones. A free name is
 * taken only while it is free, at the cost of a look.
 */
export async function replaceKnowingly(): Promise<"replace"> {
  return "replace";
}

type Follow = { readonly onEvent?: TransferListener | undefined };

/**
 * Runs `work` and writes down what it does; `tee` adds the report to a listener. The report is
 * whole as far as the work came, also when it fails. One for a bucket goes there at the end.
 */
export async function withReport(
  { context, output, signal }: Session,
  text: string | undefined,
  header: Pick<ReportHeader, "command" | "target" | "kept">,
  work: (tee: <T extends Follow>(follow: T) => T) => Promise<void>,
): Promise<void> {
  if (text === undefined) return work((follow) => follow);
  const target = await place(context, text, "target");
  const path =
    target.type === "path"
      ? target.path
      : join(tmpdir(), `pail-report-${randomBytes(8).toString("hex")}`);
  const made = new Date().toISOString();
  const report = writeReport(path, { pail: "report", version: 1, made, ...header });
  try {
    await work((follow) => ({
      ...follow,
      onEvent: (event, snapshot) => {
        report.onEvent(event, snapshot);
        follow.onEvent?.(event, snapshot);
      },
    }));
  } finally {
    report.end();
    if (target.type !== "path") {
      await copy({ sources: [{ type: "path", path }], target, signal });
      rmSync(path);
    }
    output.note(`to undo it: pail undo ${text}`);
  }
}
