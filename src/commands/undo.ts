import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";

import { boolean } from "@oclif/core/flags";

import { examples, one, valueFlag } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { remote } from "../cli/locations.js";
import { place } from "../cli/places.js";
import { showTransfer } from "../cli/transfer-view.js";
import { AppError, usageError } from "../core/failures/errors.js";
import { shellWord } from "../core/failures/shell-word.js";
import { copy } from "../core/operations/copy.js";
import { undoReport, undoTo } from "../core/operations/undo.js";
import { canPutBack, readReport } from "../core/report.js";
import { formatCount } from "../text/format.js";
import { parseMoment } from "../text/units.js";

export default class Undo extends BaseCommand {
  static override summary =
    "Put back what a report says was done, or a versioned bucket as it was.";
  static override description = `A report is what sync, cp, mv and rm write with --report. In a versioned bucket everything it names is put back; elsewhere what was moved, and what a sync kept with --backup, and what was not there before goes. Only what is still as the report left it is touched.

With --to, everything at or below a location of a versioned bucket becomes what it was then. No version is destroyed by it.`;
  static override examples = examples({
    "sync.report": "Put back what a report says was done",
    "local/photos/2025 --to 2025-11-01T12:00:00Z --dry-run":
      "Show what would be put back, to have a prefix as it was",
  });
  static override args = {
    what: one("a report (a file, or alias/bucket/key), or with --to a location"),
  };
  static override flags = {
    to: valueFlag(
      "Put the location back as it was then: 2h, 2025-11-01, 2025-11-01T12:00:00Z.",
      "TIME",
    ),
    "dry-run": boolean({ description: "Say what would be put back; do nothing." }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Undo);
    const { context, output, signal } = session;
    const common = {
      dryRun: flags["dry-run"],
      signal,
      open: (alias: string, bucket: string) => context.bucket(alias, bucket),
    };
    if (flags.to !== undefined) {
      const { alias, bucket, key } = await remote(context, args.what, "bucket");
      const storage = await context.bucket(alias, bucket);
      const state = await (await context.buckets(alias)).getVersioning(bucket);
      if (state === undefined) {
        throw new AppError({
          kind: "conflict",
          code: "CannotUndo",
          message: `${alias}/${bucket} has no versions: what it was is not there any more`,
        });
      }
      const moment = parseMoment(flags.to);
      await showTransfer(output, (follow) =>
        undoTo({ ...common, ...follow }, { type: "bucket", alias, storage, key }, moment),
      );
      return;
    }
    await withFile(session, args.what, async (path) => {
      const { header, items } = readReport(path);
      let hopeless = 0;
      for (const item of items()) if (!canPutBack(item, header)) hopeless += 1;
      if (hopeless > 0) {
        const count = formatCount(hopeless, "item");
        output.note(`${count} can be put back only where a bucket keeps versions`);
      }
      await showTransfer(output, (follow) => undoReport({ ...common, ...follow }, header, items()));
    });
  }
}

/** Brings a report that is in a bucket here first. */
async function withFile(
  { context, signal }: Session,
  text: string,
  work: (path: string) => Promise<void>,
): Promise<void> {
  const source = await place(context, text, "source");
  if (source.type === "path") return work(source.path);
  const path = join(tmpdir(), `pail-report-${randomBytes(8).toString("hex")}`);
  try {
    const { failures } = await copy({ sources: [source], target: { type: "path", path }, signal });
    if (failures[0] !== undefined) throw failures[0].error;
    for (const { target, from } of readReport(path).items()) {
      if (target.type !== "file" && from?.type !== "file") continue;
      // Others may write to the bucket: what they say becomes no file of this machine unseen.
      throw usageError(
        "LocalFilesNamed",
        `${text} names files of this machine, so it is not taken from a bucket`,
        `look at it first: pail cp ${shellWord(text)} last.report, then pail undo last.report`,
      );
    }
    await work(path);
  } finally {
    rmSync(path, { force: true });
  }
}
