/**
 * Making one place like another: two listings, a decision about each pair, copies as they are found
 * and removals at the end. What holds whatever happens:
 *
 * - Nothing is replaced or removed but what was seen: each write and removal is pinned to it.
 * - Nothing is removed before every copy has succeeded and both listings have ended well, nor while
 *   something could not be read; see guard.ts.
 * - What is not copied is known to be equal; what was once known (fingerprints) is believed only
 *   while both sides are still in the states it speaks of.
 */
import { shellWord } from "../failures/shell-word.js";
import { codeOf } from "../failures/local.js";
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { TransferItem } from "../engine/events.js";
import type { TransferReport } from "../engine/report.js";
import { createRun, type Run } from "../engine/run.js";
import { forEachItem, readAhead } from "../engine/stream.js";
import { AppError, drifted } from "../failures/errors.js";
import type { Filter } from "../filter.js";
import { fileState, type Preserve } from "../local/attributes.js";
import { PID } from "../../system/process.js";
import { createLineFile, type LineWriter, readLineFile } from "../local/line-file.js";
import type { DiskProblem } from "../local/list.js";
import { nameOf } from "../ref.js";
import type { ObjectHeaders } from "../storage/storage.js";
import { type Choice, decide, differing, type Fingerprint, type Verdict } from "../sync/decide.js";
import { type Fingerprints, openFingerprints } from "../sync/fingerprints.js";
import { type DeleteLimit, withheld } from "../sync/guard.js";
import { backupOf, type Keep, keeper, removeFile } from "../sync/keep.js";
import { look } from "../sync/look.js";
import { requireApart } from "../sync/overlap.js";
import { type Listed, mergePairs, type Pair } from "../sync/pairs.js";
import type { PlanItem } from "../sync/plan.js";
import { listSide, refAt, type Side, sideOf, sourceAt } from "../sync/sides.js";
import { type PlanSummary, startSummary } from "../sync/summary.js";
import { requirePartSize } from "../transfer/sizes.js";
import { removeObject } from "./removal.js";
import { targetWork, type Work } from "./targets.js";
import type { RunControl, TuningOptions } from "./types.js";

export interface SyncRequest extends ObjectHeaders, TuningOptions, RunControl {
  readonly source: Side;
  readonly target: Side;
  readonly choice: Choice;
  /** Names that take part, on both sides; others are neither copied nor extra. */
  readonly filter?: Filter | undefined;
  /** Which of what is listed takes part, by size and time. */
  readonly takes?: ((listed: Listed) => boolean) | undefined;
  readonly deleteLimit?: DeleteLimit | undefined;
  readonly allowEmptySource?: boolean | undefined;
  /** Where to what is replaced or removed is copied first: below this, by the time of the run. */
  readonly backup?: Side | undefined;
  /** The time of the run. Default: now. */
  readonly at?: Date | undefined;
  readonly preserve?: Preserve | undefined;
  /** Says what would be done, and does nothing. */
  readonly dryRun?: boolean | undefined;
  /** A plan to carry out instead of comparing: exactly that, while both sides are as it saw them. */
  readonly plan?: (() => Iterable<PlanItem>) | undefined;
  /** Told of each thing to do, in about the order of the names, removals last. */
  readonly onPlanned?: ((item: PlanItem) => void) | undefined;
  /** For resume records and fingerprints. */
  readonly stateDir?: string | undefined;
}

export interface SyncReport extends TransferReport {
  readonly summary: PlanSummary;
  /** Why what only the target has was not removed. */
  readonly withheld: AppError | undefined;
  /** Where what was replaced or removed was kept. */
  readonly kept: Side | undefined;
}

/** Groups a summary tells apart. */
const GROUPS = 16;

/**
 * Makes the target like the source. A failed item is counted and the rest goes on; what stops the
 * whole run is thrown: a source that is not there (before anything is done), a listing that fails,
 * an abort.
 */
export async function sync(asked: SyncRequest): Promise<SyncReport> {
  requirePartSize(asked.partSize);
  const [source, target] = [sideOf(asked.source), sideOf(asked.target)];
  const request = { ...asked, source, target };
  requireApart(source, target, request.backup);
  if (request.plan === undefined && source.type === "path") requireDirectory(source.path);
  const run = createRun(request);
  const state = createState(run, request);
  let complete = false;
  try {
    const found = request.plan === undefined ? compared(state) : planned(state, request.plan());
    await forEachItem(readAhead(found), run.objects, run.signal, (one) => settle(state, one));
    run.emit({ type: "counted" });
    requireSource(state);
    complete = !run.signal.aborted;
    if (complete) await removeExtra(state);
  } catch (error) {
    if (!run.signal.aborted) throw error;
  } finally {
    state.extra?.discard();
    if (request.dryRun === true) state.fingerprints.drop();
    else state.fingerprints.keep(complete && request.plan === undefined);
  }
  const report = run.report();
  const { summary, kept } = state;
  return { ...report, summary: summary.end(GROUPS), withheld: state.withheld, kept };
}

function requireDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  throw new AppError({
    kind: "usage",
    code: "NotADirectory",
    message: `${path} is a file: a sync is of directories and prefixes`,
    hint: `pail cp ${shellWord(path)} TARGET`,
  });
}

/** Tells a directory from another that takes its place: what is mounted there can go away. */
function deviceOf(side: Side): string {
  if (side.type !== "path") return "";
  const there = statSync(side.path, { throwIfNoEntry: false });
  return there === undefined ? "" : `${there.dev} ${there.ino}`;
}

interface State {
  readonly run: Run;
  readonly request: SyncRequest;
  readonly local: "source" | "target" | undefined;
  readonly work: Work;
  readonly keep: Keep | undefined;
  readonly kept: Side | undefined;
  readonly summary: ReturnType<typeof startSummary>;
  readonly fingerprints: Fingerprints;
  /** What only the target has waits on the disk, however much it is. */
  extra: LineWriter | undefined;
  extras: number;
  /** The source directory itself, as it was when the run began. */
  readonly device: string;
  sourceItems: number;
  targetItems: number;
  unread: number;
  failed: number;
  withheld: AppError | undefined;
}

function createState(run: Run, request: SyncRequest): State {
  const { source, target, backup, stateDir } = request;
  const kept =
    backup === undefined ? undefined : backupOf(sideOf(backup), request.at ?? new Date());
  const name = (side: Side) =>
    side.type === "path"
      ? resolve(side.path)
      : `${side.storage.client.endpoint.href} ${side.storage.bucket}/${side.key}`;
  return {
    run,
    request,
    local: source.type === "path" ? "source" : target.type === "path" ? "target" : undefined,
    work: targetWork(run, { ...request, sources: [], target }, true),
    keep: kept && keeper(run, target, kept, request),
    kept,
    summary: startSummary(),
    fingerprints: openFingerprints(stateDir, name(source), name(target)),
    extra: undefined,
    extras: 0,
    device: deviceOf(source),
    sourceItems: 0,
    targetItems: 0,
    unread: 0,
    failed: 0,
    withheld: undefined,
  };
}

/** A pair about which something is to be done, or to be found out. */
interface Task {
  readonly pair: Pair;
  readonly verdict: Extract<Verdict, { do: "copy" | "look" }>;
  /** Takes what is known of the pair in the end. */
  readonly note: (fingerprint: Fingerprint | undefined) => void;
}

/** Compares the two listings: yields what takes work, counts what is the same, sets extras aside. */
async function* compared(state: State): AsyncGenerator<Task[]> {
  const { run, request, local, fingerprints, summary } = state;
  const { source, target, choice, filter, takes = () => true } = request;
  const list = (side: Side, mayBeMissing: boolean) =>
    listSide(side, {
      filter,
      withoutMarkers: local !== undefined,
      mayBeMissing,
      signal: run.signal,
      onProblem: (problem) => tellUnread(state, side, problem),
    });
  for await (const pairs of mergePairs(list(source, false), list(target, true))) {
    const tasks: Task[] = [];
    for (const pair of pairs) {
      const { name } = pair;
      if (pair.source !== undefined) state.sourceItems += 1;
      if (pair.target !== undefined) state.targetItems += 1;
      if (!takes(pair.source ?? pair.target!)) continue;
      const known = fingerprints.of(name);
      const verdict = decide(pair, choice, local, known);
      if (verdict.do === "remove") setAside(state, pair.target!);
      else if (verdict.do === "nothing") {
        summary.add(
          name,
          verdict.why === "same" ? "same" : "left",
          (pair.source ?? pair.target!).size,
        );
        if (known !== undefined && verdict.why === "same") fingerprints.expect(name)(known);
      } else tasks.push({ pair, verdict, note: fingerprints.expect(name) });
    }
    yield tasks;
  }
}

/** The tasks of a plan; its removals wait like any. */
async function* planned(state: State, items: Iterable<PlanItem>): AsyncGenerator<Task[]> {
  for (const item of items) {
    const { name, reason } = item;
    const pair: Pair = {
      name,
      source: item.source && { ...item.source, name },
      target: item.target && { ...item.target, name },
    };
    // A plan was judged by whoever applies it: its removals are not guarded by numbers again.
    if (item.do === "remove") setAside(state, pair.target!);
    else yield [{ pair, verdict: { do: "copy", reason }, note: () => undefined }];
  }
}

function tellUnread(state: State, side: Side, { key, error }: DiskProblem): void {
  const { run, request } = state;
  const ref = refAt(side, { name: key });
  const isSource = side === request.source;
  run.emit({ type: "planned", items: 1, bytes: 0 });
  const target = isSource ? refAt(request.target, { name: key }) : ref;
  run.failed(
    run.item({ action: "copy", source: isSource ? ref : undefined, target, size: undefined }),
    error,
  );
  state.unread += 1;
}

function setAside(state: State, listed: Listed): void {
  state.extras += 1;
  state.summary.add(listed.name, "gone", listed.size);
  if (state.extra === undefined) {
    const { stateDir } = state.request;
    const directory = stateDir === undefined ? tmpdir() : join(stateDir, "sync");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const name = `extra-${randomBytes(6).toString("hex")}.jsonl.${PID}`;
    state.extra = createLineFile(join(directory, name));
  }
  state.extra.add(listed);
}

/** A prefix that has nothing is a name that is not there, unless an empty one was asked for. */
function requireSource({ request, sourceItems, unread }: State): void {
  const { source, allowEmptySource, plan } = request;
  if (plan !== undefined || allowEmptySource === true || sourceItems + unread > 0) return;
  if (source.type === "path" || source.key === "") return;
  throw new AppError({
    kind: "not-found",
    code: "NoSuchKey",
    message: `there is nothing below ${nameOf(refAt(source, { name: "" }))}`,
    hint: "to empty the target, add --delete --allow-empty-source",
  });
}

/** Runs one task to its end; resolves with what the gate counts. */
async function settle(state: State, { pair, verdict, note }: Task): Promise<number> {
  const { run, request, summary } = state;
  const source = pair.source!;
  const item = (reason: TransferItem["reason"]) =>
    run.item({
      action: actionOf(request),
      source: refAt(request.source, source),
      target: refAt(request.target, { name: pair.name }),
      size: source.size,
      reason,
    });
  let fingerprint: Fingerprint | undefined;
  try {
    const found = verdict.do === "look" ? await lookAt(state, pair) : verdict;
    if (found.do === "copy") {
      run.emit({ type: "planned", items: 1, bytes: source.size });
      summary.add(pair.name, pair.target === undefined ? "new" : "changed", source.size);
      fingerprint = await copyPair(state, pair, item(found.reason));
    } else {
      const same = found.do === "nothing" && found.why === "same";
      summary.add(pair.name, same ? "same" : "left", source.size);
      if (same) fingerprint = fingerprintOf(state, source, pair.target!.etag);
    }
  } catch (error) {
    // The look failed: nothing was planned for it yet.
    run.emit({ type: "planned", items: 1, bytes: 0 });
    state.failed += 1;
    run.failed(item(undefined), error);
  }
  note(fingerprint);
  return 1;
}

async function lookAt({ run, request }: State, pair: Pair): Promise<Verdict> {
  const both = { source: pair.source!, target: pair.target! };
  const { source, target, choice } = request;
  const found = await look(run, source, target, both, choice.compare);
  if (found === "same") return { do: "nothing", why: "same" };
  return differing(found, both.source, both.target, choice);
}

/** Copies one thing over exactly what was seen there; resolves with what is then known of the two. */
async function copyPair(
  state: State,
  { source: listed, target }: Pair,
  item: TransferItem,
): Promise<Fingerprint | undefined> {
  const { run, request, work, keep } = state;
  const source = listed!;
  const { name, size, reason } = { ...source, reason: item.reason! };
  request.onPlanned?.({
    do: "copy",
    name,
    reason,
    source: seen(source),
    target: target && seen(target),
  });
  if (request.dryRun === true) {
    run.emit({ type: "skipped", item, reason: "dry-run" });
    return undefined;
  }
  run.emit({ type: "started", item });
  try {
    requirePlanned(state, source);
    if (target !== undefined) await keep?.(item, target);
    const expected = target === undefined ? "nothing" : { etag: target.etag ?? "" };
    const result = await work.copy(item, sourceAt(request.source, source), undefined, expected);
    if (result === "exists") throw drifted(nameOf(item.target));
    requirePlanned(state, source);
    run.finished(item, result);
    return size === 0 ? undefined : copiedFingerprint(state, source, result);
  } catch (error) {
    state.failed += 1;
    run.failed(item, error);
    return undefined;
  }
}

function seen({ size, modified, etag, versionId }: Listed): Omit<Listed, "name"> {
  return { size, modified, etag, versionId };
}

/** With a plan, a local source must still be what the plan saw; an object is pinned by its ETag. */
function requirePlanned({ request }: State, source: Listed): void {
  if (request.plan === undefined || request.source.type !== "path") return;
  const path = join(request.source.path, source.name);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || fileState(there) !== source.etag) throw drifted(path);
}

function actionOf({ source, target }: SyncRequest): TransferItem["action"] {
  if (target.type === "path") return "download";
  if (source.type === "path") return "upload";
  return source.storage.client === target.storage.client ? "copy" : "relay";
}

/** A file changed less than this ago, in milliseconds, may change again without its time telling. */
const CLOCK_STEP = 100;
const COARSE_STEP = 2_000;

/** What is known of a pair after a copy: the states that both sides are now in. */
function copiedFingerprint(
  state: State,
  source: Listed,
  result: { readonly etag?: string | undefined; readonly modified?: number | undefined },
): Fingerprint | undefined {
  const { local, request } = state;
  if (result.etag === undefined) return undefined;
  if (local !== "target") return fingerprintOf(state, source, result.etag);
  const { target } = request as { target: Extract<Side, { type: "path" }> };
  const there = statSync(join(target.path, source.name), { throwIfNoEntry: false });
  // The file was given an old time: had anybody written to it since, it would have a new one.
  const untouched =
    there?.size === source.size &&
    result.modified !== undefined &&
    Math.abs(there.mtimeMs - result.modified) < 1 &&
    there.mtimeMs < Date.now() - COARSE_STEP;
  return untouched ? { source: result.etag, target: fileState(there) } : undefined;
}

/** What is known of two equal things; nothing, when the file may have changed since it was listed. */
function fingerprintOf(
  { local, request }: State,
  source: Listed,
  targetETag: string | undefined,
): Fingerprint | undefined {
  if (source.etag === undefined || targetETag === undefined) return undefined;
  const print = { source: source.etag, target: targetETag };
  if (local === undefined) return print;
  const side = local === "source" ? request.source : request.target;
  const path = join((side as Extract<Side, { type: "path" }>).path, source.name);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || fileState(there) !== print[local]) return undefined;
  const step = there.mtimeMs % 1000 === 0 ? COARSE_STEP : CLOCK_STEP;
  return there.ctimeMs < Date.now() - step ? print : undefined;
}

/** Removes what only the target has, if it may be. */
async function removeExtra(state: State): Promise<void> {
  const { run, request, extras, extra } = state;
  if (extra === undefined) return;
  const { sourceItems, targetItems, unread, failed, request: asked } = state;
  const isPlan = asked.plan !== undefined;
  const moved = deviceOf(asked.source) !== state.device;
  state.withheld = withheld({
    extra: extras,
    targetItems: isPlan ? extras : targetItems,
    sourceItems,
    unread: moved ? unread + 1 : unread,
    failed,
    limit: isPlan ? { items: extras } : asked.deleteLimit,
    allowEmptySource: isPlan || asked.allowEmptySource === true,
  });
  extra.close();
  for (const line of request.onPlanned === undefined ? [] : readLineFile(extra.path)) {
    const listed = line as Listed;
    request.onPlanned!({ do: "remove", name: listed.name, reason: "extra", target: seen(listed) });
  }
  if (state.withheld !== undefined) return;
  run.emit({ type: "planned", items: extras, bytes: 0 });
  await forEachItem(listedIn(extra.path), run.objects, run.signal, (listed) =>
    removeOne(state, listed),
  );
}

async function* listedIn(path: string): AsyncGenerator<Listed[]> {
  for (const line of readLineFile(path)) yield [line as Listed];
}

async function removeOne({ run, request, keep, local }: State, listed: Listed): Promise<number> {
  const { source, target, dryRun } = request;
  const ref = refAt(target, { name: listed.name, etag: listed.etag });
  const { size } = listed;
  const item = run.item({
    action: "remove",
    source: undefined,
    target: ref,
    size,
    reason: "extra",
  });
  if (dryRun === true) {
    run.emit({ type: "skipped", item, reason: "dry-run" });
    return 1;
  }
  try {
    // What was moved while the source was listed may have been missed.
    if (local === "source") requireMissing(join((source as { path: string }).path, listed.name));
    await keep?.(item, listed);
    if (target.type === "path") removeFile(target.path, listed);
    else if (ref.type === "object")
      await removeObject({ storage: target.storage, ref }, { etag: listed.etag }, run.signal);
    run.finished(item);
  } catch (error) {
    run.failed(item, error);
  }
  return 1;
}

/** Throws Drifted when there is something that could be listed as a file. */
function requireMissing(path: string): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  } catch (error) {
    // Below a file there is nothing.
    if (codeOf(error) === "ENOTDIR") return;
    throw error;
  }
  throw drifted(path);
}
