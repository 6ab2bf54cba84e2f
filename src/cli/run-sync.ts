/** The shared parts of `sync`, `mirror` and the applying of a plan: flags, and shown runs. */
import { valueFlag } from "./args.js";
import { requireParent } from "./copy-request.js";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { boolean } from "@oclif/core/flags";

import { AppError, usageError } from "../core/failures/errors.js";
import { sync } from "../core/operations/sync.js";
import { type Waiting, watchSync } from "../core/operations/watch.js";
import type { SyncReport, SyncRequest } from "../core/sync/state.js";
import { type FileRef, nameOf, type ObjectRef } from "../core/ref.js";
import type { Compare } from "../core/sync/decide.js";
import { writePlan } from "../core/sync/plan.js";
import { backupOf } from "../core/sync/keep.js";
import { refAt, type Side, sideOf } from "../core/sync/sides.js";
import { formatCount, formatNumber } from "../text/format.js";
import { parseDuration } from "../text/units.js";
import {
  filterFlags,
  type FilterInput,
  noteIdlePatterns,
  readFilter,
  readSkipped,
  walkFlags,
} from "./choice.js";
import { contextAt } from "./at-flag.js";
import type { Session } from "./base.js";
import { type ExtrasInput, contextsWith, extrasFlags } from "./extras.js";
import { anywhere } from "./locations.js";
import type { Output } from "./output.js";
import { place } from "./places.js";
import { preserveFlags, readPreserve } from "./sync-flags.js";
import { headerFlags, objectHeaders, tuning, tuningFlags } from "./transfer-flags.js";
import { jobOf, withReport } from "./report-flag.js";
import { showSync, sideName } from "./sync-view.js";
import { showTransfer } from "./transfer-view.js";

export const runFlags = {
  ...extrasFlags,
  "dry-run": boolean({ description: "Say what would be done; do nothing." }),
  watch: boolean({
    description: "Keep the target like the source until it is interrupted.",
    exclusive: ["dry-run", "plan", "apply", "check", "at", "report"],
  }),
  interval: valueFlag(
    "With --watch, between two looks at a bucket, at least 1s. Default: 30s.",
    "TIME",
    { dependsOn: ["watch"] },
  ),
  ...preserveFlags,
  ...filterFlags,
  ...walkFlags,
  ...headerFlags,
  ...tuningFlags,
};

interface RunFlags
  extends
    FilterInput,
    NonNullable<Parameters<typeof readSkipped>[0]>,
    NonNullable<Parameters<typeof readPreserve>[0]>,
    NonNullable<Parameters<typeof objectHeaders>[0]>,
    NonNullable<Parameters<typeof tuning>[0]> {
  readonly "dry-run": boolean;
  readonly watch: boolean;
  readonly interval?: string | undefined;
}

/** The options of a run that the flags ask for. */
export async function runOptions(
  { context }: Session,
  flags: RunFlags,
  places: readonly (string | undefined)[] = [],
) {
  const named = places.flatMap((place) => place ?? []);
  return {
    ...objectHeaders(flags),
    ...tuning(flags),
    preserve: readPreserve(flags),
    filter: await readFilter(context, flags, named),
    skipped: readSkipped(flags),
    dryRun: flags["dry-run"],
  };
}

/** Makes the target like the source, once or with --watch for as long as nobody ends it. */
export async function runPlaces(
  session: Session,
  flags: RunFlags,
  request: AskedSync,
  files: ReportFiles = {},
): Promise<void> {
  const own = await Promise.all(
    [flags.split, files.report].map(async (text) =>
      text === undefined ? undefined : place(session.context, text, "target"),
    ),
  );
  const asked = { ...request, own: own.filter((one) => one !== undefined && one.type !== "stdio") };
  if (flags.watch) await runWatch(session, asked, flags.interval);
  else await runSync(session, asked, files);
  noteIdlePatterns(session.output, flags, request.filter ?? {});
}

const INTERVAL = "30s";

async function runWatch(session: Session, request: AskedSync, interval = INTERVAL): Promise<void> {
  const { output, signal } = session;
  const { source, filter } = request;
  const name = sideName(source);
  const onWaiting = (waiting: Waiting) => {
    const seconds = "milliseconds" in waiting ? waiting.milliseconds / 1000 : undefined;
    output.result({ type: "waiting", for: waiting.for, ...(seconds && { seconds }) });
    if (waiting.for === "changes") output.note(`waiting for changes below ${name}`);
    else if (waiting.for === "look") output.note(`looking at ${name} every ${seconds}s`);
    else {
      output.error(waiting.error);
      output.note(`trying again in ${seconds}s`);
    }
  };
  const failure = await watchSync({
    source,
    filter,
    signal,
    // The pause is at least a second.
    interval: Math.max(parseDuration(interval), 1) * 1000,
    onWaiting,
    pass: (device) => runSync(session, { ...request, device }, { watches: true }),
  });
  // An interrupted wait is a good end, unless the last pass failed.
  if (failure !== undefined) process.exitCode = failure.exitCode;
}

/** A directory or a prefix, as a side of a sync. Throws a usage error for anything else. */
export async function side(
  { context }: Session,
  text: string,
  role: "source" | "target",
): Promise<Side> {
  const found = await place(context, text, role);
  if (found.type === "stdio") {
    throw usageError(
      "InvalidLocation",
      "a stream has no names to compare",
      "name a directory or alias/bucket/prefix",
    );
  }
  if (found.type === "path" && role === "target") requireParent(found.path);
  return found;
}

type AskedSync = Omit<SyncRequest, "stateDir" | "signal" | "onEvent" | "progress">;

interface ReportFiles {
  readonly plan?: string | undefined;
  readonly report?: string | undefined;
  /** The words of the command, for its report. */
  readonly argv?: readonly string[] | undefined;
  /** It is one of many passes: one that changes nothing says nothing. */
  readonly watches?: boolean | undefined;
}

/** Both sides, each opened with the key and the time that are its own. */
export async function sides(
  session: Session,
  sourceText: string,
  targetText: string,
  flags: ExtrasInput & { readonly at?: string | undefined },
): Promise<{ readonly source: Side; readonly target: Side }> {
  const isLocal = (await anywhere(session.context, targetText)).type !== "remote";
  const { source, target } = contextsWith(session.context, flags, isLocal);
  const then = { ...session, context: contextAt(source, flags.at) };
  return {
    source: await side(then, sourceText, "source"),
    target: await side({ ...session, context: target }, targetText, "target"),
  };
}

/**
 * Runs a sync and shows it; with a plan's file, only writes that. Throws an error for changes that
 * were withheld, and failures as `showTransfer` does.
 */
export async function runSync(
  session: Session,
  request: AskedSync,
  { plan: planFile, report: reportFile, argv = [], watches = false }: ReportFiles = {},
): Promise<void> {
  const { output, context, signal } = session;
  const { source, target, backup, dryRun = false } = request;
  const at = new Date();
  const kept = backup && backupOf(sideOf(backup), at);
  const plan =
    planFile === undefined
      ? undefined
      : writePlan(planFile, {
          pail: "plan",
          version: 1,
          source: absolute(source),
          target: absolute(target),
          backup: backup && absolute(backup),
          made: new Date().toISOString(),
        });
  const shown = dryRun
    ? withoutLines(output)
    : watches
      ? { ...output, note: () => undefined }
      : output;
  let report: SyncReport | undefined;
  const job = jobOf("sync", argv, request.filter);
  const header = { ...job, target: rootOf(target), kept: kept && rootOf(kept) };
  try {
    await withReport(session, reportFile, header, async (tee) => {
      const failure = await showTransfer(shown, async (follow) => {
        report = await sync({
          ...request,
          at,
          stateDir: context.directories.state,
          signal,
          onPlanned: plan?.add,
          ...tee(follow),
        });
        return report;
      }).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const { summary, withheld } = report ?? {};
      const { new: added, changed, gone } = summary?.total ?? {};
      const idle = [added, changed, gone].every((tally) => tally?.items === 0);
      if (report !== undefined && !(watches && idle)) showSync(output, report, dryRun);
      if (withheld !== undefined && failure?.error instanceof AppError) {
        output.itemError({}, failure.error);
      }
      const end = withheld ?? failure?.error;
      if (end !== undefined) throw end;
    });
    plan?.end();
  } catch (error) {
    plan?.discard();
    throw error;
  }
}

/**
 * Compares two places, a line for each difference. Throws Different (exit code 5), or a partial
 * failure when not everything could be read.
 */
export async function runDiff(
  { output, context, signal }: Session,
  {
    compare,
    ...request
  }: Pick<SyncRequest, "source" | "target" | "filter" | "skipped" | "concurrency"> & {
    readonly compare: Compare;
  },
  found: (items: number, bytes: number) => void = () => undefined,
): Promise<void> {
  const { target } = request;
  if (target.type === "path" && !existsSync(target.path)) {
    const message = `${target.path}: no such directory`;
    throw new AppError({ kind: "not-found", code: "ENOENT", message });
  }
  let differences = 0;
  const report = await sync({
    ...request,
    choice: { compare, update: false, keepDiffering: false, remove: true },
    dryRun: true,
    stateDir: context.directories.state,
    signal,
    onPlanned: ({ name, reason, source, target }) => {
      differences += 1;
      const mark = reason === "new" ? "<" : reason === "extra" ? ">" : "!";
      const why = mark === "!" ? ` (${reason})` : "";
      output.result({ type: "difference", name, reason, source, target }, `${mark} ${name}${why}`);
    },
    onEvent: (event) => {
      if (event.type !== "failed") return;
      const { source, target } = event.item;
      output.itemError({ type: "failed", target: nameOf(source ?? target) }, event.error);
    },
  });
  const { total } = report.summary;
  const counts = {
    different: total.changed.items,
    first: total.new.items,
    second: total.gone.items,
  };
  output.result({
    type: "diff",
    ...counts,
    same: total.same.items,
    failed: report.failures.length,
  });
  const said = `${formatCount(differences, "difference")}, ${formatNumber(total.same.items)} the same`;
  if (report.failures.length > 0) {
    const message = `not everything could be read: ${said}`;
    throw new AppError({ kind: "partial", code: "PartialFailure", message });
  }
  found(differences, 0);
  if (differences > 0) throw new AppError({ kind: "conflict", code: "Different", message: said });
  output.note(said);
}

/** The root of a side, found again from anywhere. */
function rootOf(side: Side): ObjectRef | FileRef {
  const root = refAt(sideOf(side), { name: "" });
  return root.type === "file" ? { type: "file", path: resolve(root.path) } : root;
}

/** A plan may be applied from anywhere. */
function absolute(side: Side): string {
  return side.type === "path" ? resolve(side.path) : sideName(side);
}

/** A dry run's items are for programs; a person gets the summary. */
function withoutLines(output: Output): Output {
  return { ...output, result: (value) => output.result(value) };
}
