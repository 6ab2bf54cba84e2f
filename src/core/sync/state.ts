/** The request of a sync, and the facts that are known while it runs. */
import { statSync } from "node:fs";
import { resolve } from "node:path";

import type { TransferItem } from "../engine/events.js";
import type { TransferReport } from "../engine/report.js";
import type { Run } from "../engine/run.js";
import type { AppError } from "../failures/errors.js";
import type { Filter } from "../filter.js";
import type { Preserve } from "../local/attributes.js";
import type { LineWriter } from "../local/line-file.js";
import type { Skipped } from "../local/list.js";
import { targetWork, type Work } from "../operations/targets.js";
import type { RunControl, TuningOptions } from "../operations/types.js";
import type { ObjectHeaders } from "../storage/storage.js";
import type { Choice } from "./decide.js";
import { type Fingerprints, openFingerprints } from "./fingerprints.js";
import type { DeleteLimit } from "./guard.js";
import { backupOf, type Keep, keeper } from "./keep.js";
import type { Listed } from "./pairs.js";
import type { PlanItem } from "./plan.js";
import { type Side, sideOf } from "./sides.js";
import { type PlanSummary, startSummary } from "./summary.js";

export interface SyncRequest extends ObjectHeaders, TuningOptions, RunControl {
  readonly source: Side;
  readonly target: Side;
  readonly choice: Choice;
  /**
   * The filter for taking part: names on both sides, sizes and times by the source. A thing that it
   * leaves out is not extra.
   */
  readonly filter?: Filter | undefined;
  /**
   * The entries of directories that are passed over: on the other side they are not extra either.
   */
  readonly skipped?: Skipped | undefined;
  readonly deleteLimit?: DeleteLimit | undefined;
  readonly allowEmptySource?: boolean | undefined;
  /**
   * The place to which a replaced or removed thing is copied first: below this, by the time of the
   * run.
   */
  readonly backup?: Side | undefined;
  /** The run's own files, as its report and its split: a sync that removes refuses them in its target. */
  readonly own?: readonly Side[] | undefined;
  /** The time of the run. Default: now. */
  readonly at?: Date | undefined;
  readonly preserve?: Preserve | undefined;
  /** Removes nothing unless the source directory is on this device: another may be mounted there. */
  readonly device?: number | undefined;
  /** Says what would be done, and does nothing. */
  readonly dryRun?: boolean | undefined;
  /** A plan to carry out instead of comparing: exactly that, while both sides are as it saw them. */
  readonly plan?: (() => Iterable<PlanItem>) | undefined;
  /** It is told of each thing to do, in about the order of the names, removals last. */
  readonly onPlanned?: ((item: PlanItem) => void) | undefined;
  /** For resume records and fingerprints. */
  readonly stateDir?: string | undefined;
}

export interface SyncReport extends TransferReport {
  readonly summary: PlanSummary;
  /** Why what only the target has was not removed. */
  readonly withheld: AppError | undefined;
  /** The place where replaced or removed things were kept. */
  readonly kept: Side | undefined;
}

/** Tells a directory from another that takes its place: what is mounted there can go away. */
export function deviceOf(side: Side): string {
  if (side.type !== "path") return "";
  const there = statSync(side.path, { throwIfNoEntry: false });
  return there === undefined ? "" : `${there.dev} ${there.ino}`;
}

export interface State {
  readonly run: Run;
  readonly request: SyncRequest;
  readonly local: "source" | "target" | undefined;
  readonly work: Work;
  readonly keep: Keep | undefined;
  readonly kept: Side | undefined;
  readonly summary: ReturnType<typeof startSummary>;
  readonly fingerprints: Fingerprints;
  /** The things that only the target has wait on the disk, however many they are. */
  extra: LineWriter | undefined;
  extras: number;
  /** The names that the source has and passes over; those of directories end with `/`. */
  readonly hidden: Set<string>;
  /** The source directory itself, as it was when the run began. */
  readonly device: string;
  sourceItems: number;
  targetItems: number;
  unread: number;
  failed: number;
  withheld: AppError | undefined;
}

export function createState(run: Run, request: SyncRequest): State {
  const { source, target, backup, stateDir } = request;
  const kept =
    backup === undefined ? undefined : backupOf(sideOf(backup), request.at ?? new Date());
  const name = (side: Side) =>
    side.type === "path"
      ? resolve(side.path)
      : `${side.storage.client.endpoint.href} ${side.storage.bucket}/${side.key}`;
  const { shard } = request.filter ?? {};
  const range = shard === undefined ? "" : ` ${JSON.stringify([shard.after, shard.to])}`;
  return {
    run,
    request,
    local: source.type === "path" ? "source" : target.type === "path" ? "target" : undefined,
    work: targetWork(run, { ...request, sources: [], target }, true),
    keep: kept && keeper(run, target, kept, request),
    kept,
    summary: startSummary(target.type),
    fingerprints: openFingerprints(stateDir, name(source), `${name(target)}${range}`),
    extra: undefined,
    extras: 0,
    hidden: new Set(),
    device: deviceOf(source),
    sourceItems: 0,
    targetItems: 0,
    unread: 0,
    failed: 0,
    withheld: undefined,
  };
}

/** A state as a plan has it. */
export function seen({ size, modified, etag, versionId }: Listed): Omit<Listed, "name"> {
  return { size, modified, etag, versionId };
}

/** The action for a pair that differs. */
export function actionOf({ source, target }: SyncRequest): TransferItem["action"] {
  if (target.type === "path") return "download";
  if (source.type === "path") return "upload";
  return source.storage.client === target.storage.client ? "copy" : "relay";
}
