/** The calls of the core for each kind of job: a few runs, none of which stops the others. */
import type { TransferListener } from "../../core/engine/events.js";
import type { Progress } from "../../core/engine/progress.js";
import type { TransferReport } from "../../core/engine/report.js";
import { inBatches } from "../../core/engine/stream.js";
import { AppError } from "../../core/failures/errors.js";
import { safePath } from "../../core/local/safe-path.js";
import { copy } from "../../core/operations/copy.js";
import { move } from "../../core/operations/move.js";
import { joinKey, ownName } from "../../core/operations/names.js";
import { purge } from "../../core/operations/purge.js";
import { remove } from "../../core/operations/remove.js";
import { undoReport } from "../../core/operations/undo.js";
import { sync } from "../../core/operations/sync.js";
import { readPlan } from "../../core/sync/plan.js";
import type { BucketPlace, CopyRequest, Place as Endpoint } from "../../core/operations/types.js";
import type { Ref } from "../../core/ref.js";
import { readReport } from "../../core/report.js";
import type { BucketStorage } from "../../core/storage/s3-types.js";
import type { JobItem, JobSpec, PrefixRef, Targets } from "../state/types.js";
import { inTurns } from "../state/targets.js";
import { askAbout } from "./ask.js";
import type { Deps } from "./deps.js";
import { choiceOf, sideAt } from "./sides.js";

type Spec<T extends JobSpec["type"]> = Extract<JobSpec, { type: T }>;

/** The tools that a job's runs share. */
export interface Work {
  readonly deps: Deps;
  readonly job: number;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly onEvent: TransferListener;
  /** Notes a failure that was not one item's. */
  fail(error: unknown): void;
  /** Notes the failures of a run. */
  took(report: TransferReport): void;
  /** Tells the pages that everything below a prefix is gone. */
  gone(from: PrefixRef, keys: readonly string[]): void;
}

/** Carries a job out. Throws only an error that keeps all of it from being done. */
export async function runSpec(work: Work, spec: JobSpec): Promise<void> {
  switch (spec.type) {
    case "upload": {
      const { paths, target, moves } = spec;
      const storage = await open(work, target);
      return await run(work, moves === true ? move : copy, {
        sources: paths.map((path) => ({ type: "path", path })),
        target: endpoint(storage, target, target.prefix),
        recursive: true,
      });
    }
    case "download":
      return await download(work, spec);
    case "copy":
    case "move":
      return await copyOrMove(work, spec);
    case "remove":
      return await removeTargets(work, spec.from, spec.targets);
    case "sync":
      return await runPlan(work, spec);
    case "undo":
      return await undo(work, spec);
    case "empty-bucket": {
      const { alias, bucket } = spec;
      const storage = await open(work, { alias, bucket, prefix: "" });
      const service = await work.deps.context.buckets(alias);
      const { signal, progress, onEvent } = work;
      work.took(await purge({ alias, storage, service, signal, progress, onEvent }));
    }
  }
}

/**
 * Undoes the runs of a job, the latest first. Every bucket that the job changed must keep versions:
 * then nothing is destroyed, and an object that was changed since the job stays as it is.
 */
async function undo(work: Work, { of, reports }: Spec<"undo">): Promise<void> {
  const { context } = work.deps;
  for (const { alias, bucket } of changedBy(of)) {
    const service = await context.buckets(alias);
    if ((await service.getVersioning(bucket)) === "Enabled") continue;
    throw new AppError({
      kind: "conflict",
      code: "CannotUndo",
      message: `${alias}/${bucket} keeps no versions: what was there before is gone`,
    });
  }
  const { signal, progress, onEvent } = work;
  const open = (alias: string, bucket: string) => context.bucket(alias, bucket);
  for (const path of reports.toReversed()) {
    const { header, items } = readReport(path);
    work.took(await undoReport({ open, signal, progress, onEvent }, header, items()));
  }
}

/** Does exactly what was planned, while both sides are as the plan has seen them. */
async function runPlan(work: Work, { plan, from, to, remove }: Spec<"sync">): Promise<void> {
  const { deps, signal, progress, onEvent } = work;
  const { context } = deps;
  const { items } = readPlan(plan);
  const [source, target] = [await sideAt(context, from), await sideAt(context, to)];
  const places = { source, target, stateDir: context.directories.state };
  const request = { ...places, choice: choiceOf(remove), plan: items };
  const report = await sync({ ...request, signal, progress, onEvent });
  work.took(report);
  if (report.withheld !== undefined) work.fail(report.withheld);
}

/** The places a job writes to or removes from. */
function changedBy(spec: JobSpec): readonly PrefixRef[] {
  if (spec.type === "upload") return [spec.target];
  if (spec.type === "copy") return [spec.to];
  if (spec.type === "move") return [spec.from, spec.to];
  return spec.type === "remove" ? [spec.from] : [];
}

/** Does single items of a job again: those that had failed. */
export async function runAgain(work: Work, items: readonly JobItem[]): Promise<void> {
  for (const { action, source, target, moves } of items) {
    if (work.signal.aborted) return;
    await attempt(work, async () => {
      if (action === "remove") {
        if (target.type !== "object") return;
        const { alias, bucket, key, versionId } = target;
        const targets = [{ type: "object", key, versionId }] as const;
        return await removeTargets(work, { alias, bucket, prefix: "" }, targets);
      }
      if (source === undefined) return;
      const [from, to] = [await placeOf(work, source), await placeOf(work, target)];
      if (from === undefined || to === undefined) return;
      const how = moves === true ? move : copy;
      await run(work, how, { sources: [from], target: to, exact: to.type === "bucket" });
    });
  }
}

async function placeOf(work: Work, ref: Ref): Promise<Endpoint | undefined> {
  if (ref.type === "file") return { type: "path", path: ref.path };
  if (ref.type !== "object") return undefined;
  const place = { alias: ref.alias, bucket: ref.bucket, prefix: "" };
  return endpoint(await open(work, place), place, ref.key, ref.versionId);
}

/** Objects keep their names; what is below a prefix goes into a directory of the prefix's name. */
async function download(work: Work, spec: Spec<"download">): Promise<void> {
  const { from, targets, directory } = spec;
  const storage = await open(work, from);
  const how = spec.moves === true ? move : copy;
  for await (const objects of inBatches(pagesOf(targets), BATCH)) {
    await attempt(work, () =>
      run(work, how, {
        sources: objects.map(({ key, versionId }) => endpoint(storage, from, key, versionId)),
        target: { type: "path", path: `${directory}/` },
      }),
    );
  }
  for await (const { key } of inTurns(targets, "prefix")) {
    const name = ownName(key).slice(0, -1);
    await attempt(work, async () => {
      await run(work, how, {
        sources: [endpoint(storage, from, key)],
        target: { type: "path", path: `${name === "" ? directory : safePath(directory, name)}/` },
        recursive: true,
      });
      if (spec.moves === true) await tellWhenEmpty(work, storage, from, key);
    });
  }
}

async function copyOrMove(work: Work, spec: Spec<"copy" | "move">): Promise<void> {
  const { from, to, targets, key } = spec;
  const source = await open(work, from);
  const destination = await open(work, to);
  for await (const target of inTurns(targets)) {
    const whole = target.type === "prefix";
    const name = key ?? joinKey(to.prefix, ownName(target.key));
    await attempt(work, async () => {
      await run(work, spec.type === "move" ? move : copy, {
        sources: [endpoint(source, from, target.key, target.versionId)],
        target: endpoint(destination, to, name),
        recursive: whole,
        // An object keeps the very name it is given, also one that ends with a slash.
        exact: !whole,
        // A restored version replaces the latest: that is what was asked for and confirmed.
        ...(spec.restores ? { ifExists: "replace" } : {}),
      });
      if (whole && spec.type === "move") await tellWhenEmpty(work, source, from, target.key);
    });
  }
}

/** Removes objects in one run and each prefix in one of its own. */
async function removeTargets(work: Work, from: PrefixRef, targets: Targets): Promise<void> {
  const storage = await open(work, from);
  const { signal, progress, onEvent } = work;
  const request = { alias: from.alias, storage, signal, progress, onEvent };
  await attempt(work, async () => {
    work.took(await remove({ ...request, targets: objectsOf(targets) }));
  });
  for await (const { key } of inTurns(targets, "prefix")) {
    await attempt(work, async () => {
      work.took(await remove({ ...request, targets: { prefix: key } }));
      await tellWhenEmpty(work, storage, from, key);
    });
  }
}

/** A prefix is gone when nothing is below it; its row stays if something was written meanwhile. */
async function tellWhenEmpty(work: Work, storage: BucketStorage, from: PrefixRef, prefix: string) {
  const { signal } = work;
  if (signal.aborted) return;
  for await (const entries of storage.list({ prefix, pageSize: 1, signal })) {
    if (entries.length > 0) return;
  }
  work.gone(from, [prefix]);
}

/** Runs a part of a job; its failure is noted and keeps nothing else from being done. */
async function attempt(work: Work, part: () => Promise<void>): Promise<void> {
  if (work.signal.aborted) return;
  try {
    await part();
  } catch (error) {
    work.fail(error);
  }
}

/** Objects that are downloaded in one run. */
const BATCH = 10_000;

async function* pagesOf(targets: Targets) {
  for await (const target of inTurns(targets, "object")) yield [target];
}

async function* objectsOf(targets: Targets) {
  for await (const { key, versionId } of inTurns(targets, "object")) yield { key, versionId };
}

async function run(work: Work, how: typeof copy, request: CopyRequest): Promise<void> {
  const { signal, progress, onEvent } = work;
  work.took(
    await how({
      ifExists: askAbout(work.deps, work.job, work.signal),
      ...request,
      signal,
      progress,
      onEvent,
    }),
  );
}

async function open(work: Work, { alias, bucket }: PrefixRef): Promise<BucketStorage> {
  return await work.deps.context.bucket(alias, bucket);
}

function endpoint(
  storage: BucketStorage,
  { alias }: PrefixRef,
  key: string,
  versionId?: string,
): BucketPlace {
  return { type: "bucket", alias, storage, key, versionId };
}
