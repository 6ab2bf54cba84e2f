/** What `sync`, `mirror` and the applying of a plan have in common: one run, shown. */
import { requireParent } from "./copy-request.js";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { AppError } from "../core/failures/errors.js";
import { sync } from "../core/operations/sync.js";
import type { SyncReport, SyncRequest } from "../core/sync/state.js";
import { type FileRef, nameOf, type ObjectRef } from "../core/ref.js";
import type { Compare } from "../core/sync/decide.js";
import { writePlan } from "../core/sync/plan.js";
import { backupOf } from "../core/sync/keep.js";
import { refAt, type Side, sideOf } from "../core/sync/sides.js";
import { formatCount } from "../text/format.js";
import type { Session } from "./base.js";
import type { Output } from "./output.js";
import { place } from "./places.js";
import { withReport } from "./report-flag.js";
import { showSync, sideName } from "./sync-view.js";
import { showTransfer } from "./transfer-view.js";

/** A directory or a prefix, as a side of a sync. Throws a usage error for anything else. */
export async function side(
  { context }: Session,
  text: string,
  role: "source" | "target",
): Promise<Side> {
  const found = await place(context, text, role);
  if (found.type === "stdio") {
    throw new AppError({
      kind: "usage",
      code: "InvalidLocation",
      message: "a stream has no names to compare",
      hint: "name a directory or alias/bucket/prefix",
    });
  }
  if (found.type === "path" && role === "target") requireParent(found.path);
  return found;
}

/**
 * Runs a sync and shows it; with a plan's file, does nothing but write that. Throws what was
 * withheld, and failures as `showTransfer` does.
 */
export async function runSync(
  session: Session,
  request: Omit<SyncRequest, "stateDir" | "signal" | "onEvent" | "progress">,
  { plan: planFile, report: reportFile }: { readonly plan?: string; readonly report?: string } = {},
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
  let report: SyncReport | undefined;
  let failure: { readonly error: unknown } | undefined;
  try {
    const header = { command: "sync", target: rootOf(target), kept: kept && rootOf(kept) };
    await withReport(session, dryRun ? undefined : reportFile, header, (tee) =>
      showTransfer(dryRun ? withoutLines(output) : output, async (follow) => {
        report = await sync({
          ...request,
          at,
          stateDir: context.directories.state,
          signal,
          onPlanned: plan?.add,
          ...tee(follow),
        });
        return report;
      }),
    );
  } catch (error) {
    failure = { error };
  }
  if (report !== undefined) showSync(output, report, dryRun);
  if (failure !== undefined || report?.withheld !== undefined) plan?.discard();
  else plan?.end();
  const { withheld } = report ?? {};
  if (withheld === undefined) {
    if (failure !== undefined) throw failure.error;
    return;
  }
  if (failure?.error instanceof AppError) output.itemError({}, failure.error);
  throw withheld;
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
  const said = `${formatCount(differences, "difference")}, ${total.same.items.toLocaleString("en-US")} the same`;
  if (report.failures.length > 0) {
    const message = `not everything could be read: ${said}`;
    throw new AppError({ kind: "partial", code: "PartialFailure", message });
  }
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
