/** Jobs: uploads, downloads, copies and removals, each a few runs of the transfer engine. */
import type { BucketStorage } from "../../core/storage/s3-types.js";
import { safePath } from "../../core/local/safe-path.js";
import { copy } from "../../core/operations/copy.js";
import type { TransferEvent } from "../../core/engine/events.js";
import { move } from "../../core/operations/move.js";
import { joinKey, ownName } from "../../core/operations/names.js";
import { type Progress, createProgress } from "../../core/engine/progress.js";
import { purge } from "../../core/operations/purge.js";
import { remove } from "../../core/operations/remove.js";
import type { TransferReport } from "../../core/engine/report.js";
import { type Ref, nameOf } from "../../core/ref.js";
import type { CopyRequest, Place as Endpoint } from "../../core/operations/types.js";
import type { Failure, JobSpec, Place, Target } from "../state/types.js";
import { type Deps, type Handler, failureOf } from "./deps.js";

/** Milliseconds between two snapshots shown. */
const REFRESH = 100;

type Spec<T extends JobSpec["type"]> = Extract<JobSpec, { type: T }>;

/** What a job's runs share. */
interface Work {
  readonly deps: Deps;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly reports: TransferReport[];
  /** Tells the pages that keys are gone. */
  gone(from: Place, keys: readonly string[]): void;
}

/** Runs a job to its end, telling how far it is ten times a second. */
export const startJob: Handler<"start-job"> = async (deps, { job, spec }, signal) => {
  const progress = createProgress();
  const reports: TransferReport[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    timer = undefined;
    deps.dispatch({ type: "job-progress", job, snapshot: progress.getSnapshot() });
  };
  progress.subscribe(() => {
    timer ??= setTimeout(tell, REFRESH);
  });
  const work: Work = {
    deps,
    signal,
    reports,
    progress,
    gone: (from, keys) => {
      if (keys.length > 0) deps.dispatch({ type: "keys-gone", from, keys });
    },
  };
  const failures: JobFailure[] = [];
  try {
    await runSpec(work, spec);
  } catch (error) {
    if (!signal.aborted) failures.push({ target: undefined, failure: failureOf(error) });
  }
  clearTimeout(timer);
  for (const report of reports) {
    for (const { item, error } of report.failures) {
      failures.push({ target: item.target, failure: failureOf(error) });
    }
  }
  const status = signal.aborted ? "canceled" : failures.length > 0 ? "failed" : "done";
  const failed = "from" in spec ? failedKeys(spec, failures) : new Map<string, string>();
  const snapshot = progress.getSnapshot();
  const named = failures.map(({ target, failure }) => ({
    target: target === undefined ? "" : nameOf(target),
    failure,
  }));
  deps.dispatch({ type: "job-ended", job, status, snapshot, failures: named, failed });
};

interface JobFailure {
  /** Undefined for what ended the job as a whole. */
  readonly target: Ref | undefined;
  readonly failure: Failure;
}

/** Which of the job's targets a failure was about; one about none of them was about all. */
function failedKeys(
  spec: Extract<JobSpec, { from: Place }>,
  failures: readonly JobFailure[],
): Map<string, string> {
  const { alias, bucket } = spec.from;
  const keys = new Set(spec.targets.map(({ key }) => key));
  const prefixes = spec.targets.filter(({ type }) => type === "prefix").map(({ key }) => key);
  const failed = new Map<string, string>();
  for (const { target, failure } of failures) {
    // Failed copies are named by where they were to go; the transfers panel shows those.
    if (target === undefined) {
      for (const key of keys) failed.set(key, failure.code);
      continue;
    }
    if (target.type !== "object" || target.alias !== alias || target.bucket !== bucket) continue;
    const { key } = target;
    const hit = keys.has(key) ? [key] : prefixes.filter((prefix) => key.startsWith(prefix));
    for (const each of hit) failed.set(each, failure.code);
  }
  return failed;
}

async function runSpec(work: Work, spec: JobSpec): Promise<void> {
  switch (spec.type) {
    case "upload": {
      const storage = await open(work, spec.target);
      await run(work, uploadRequest(storage, spec));
      return;
    }
    case "download":
      return await download(work, spec);
    case "copy":
    case "move":
      return await copyOrMove(work, spec);
    case "remove":
      return await removeTargets(work, spec.from, spec.targets);
    case "empty-bucket": {
      const { alias, bucket } = spec;
      const storage = await work.deps.context.bucket(alias, bucket);
      const { signal, progress } = work;
      const service = await work.deps.context.buckets(alias);
      work.reports.push(await purge({ alias, storage, service, signal, progress }));
    }
  }
}

/** The upload of files and directories below a prefix. */
export function uploadRequest(storage: BucketStorage, spec: Spec<"upload">): CopyRequest {
  const { paths, target } = spec;
  return {
    sources: paths.map((path) => ({ type: "path", path })),
    target: endpoint(storage, target, target.prefix),
    recursive: true,
  };
}

/** Objects keep their names; what is below a prefix goes into a directory of the prefix's name. */
async function download(work: Work, spec: Spec<"download">): Promise<void> {
  const { from, targets, directory } = spec;
  const storage = await open(work, from);
  const objects = targets.filter(({ type }) => type === "object");
  if (objects.length > 0) {
    await run(work, {
      sources: objects.map(({ key, versionId }) => endpoint(storage, from, key, versionId)),
      target: { type: "path", path: `${directory}/` },
    });
  }
  for (const { key } of targets.filter(({ type }) => type === "prefix")) {
    const name = ownName(key).slice(0, -1);
    await run(work, {
      sources: [endpoint(storage, from, key)],
      target: { type: "path", path: `${name === "" ? directory : safePath(directory, name)}/` },
      recursive: true,
    });
  }
}

/** Copies or moves target by target; rows go as their objects do. */
async function copyOrMove(work: Work, spec: Spec<"copy" | "move">): Promise<void> {
  const { from, to, targets, key } = spec;
  const source = await open(work, from);
  const destination = await open(work, to);
  for (const target of targets) {
    const { type, versionId } = target;
    const request: CopyRequest = {
      sources: [endpoint(source, from, target.key, versionId)],
      target: endpoint(destination, to, key ?? joinKey(to.prefix, ownName(target.key))),
      recursive: type === "prefix",
      // A directory marker's key looks like a place to copy into; here it is the name itself.
      exact: type === "object",
    };
    const report = await run(work, request, spec.type === "move" ? move : copy);
    // Without its newest version an object may still be there: the page is read again instead.
    const gone = spec.type === "move" && report.failures.length === 0 && versionId === undefined;
    if (gone && !work.signal.aborted) work.gone(from, [target.key]);
  }
}

/** Removes objects in one run and each prefix in one of its own; rows go as their keys do. */
async function removeTargets(work: Work, from: Place, targets: readonly Target[]): Promise<void> {
  const storage = await open(work, from);
  const { alias } = from;
  const { signal, progress } = work;
  const objects = targets.filter(({ type }) => type === "object");
  if (objects.length > 0) {
    const gone: string[] = [];
    // Without its newest version an object may still be there: the page is read again instead.
    const current = new Set(objects.filter(({ versionId }) => !versionId).map(({ key }) => key));
    const flush = () => work.gone(from, gone.splice(0));
    const onEvent = (event: TransferEvent) => {
      const target = event.type === "finished" ? event.item.target : undefined;
      if (target?.type !== "object" || !current.has(target.key)) return;
      if (gone.push(target.key) >= 1000) flush();
    };
    const report = await remove({
      alias,
      storage,
      targets: each(objects),
      signal,
      progress,
      onEvent,
    }).finally(flush);
    work.reports.push(report);
  }
  for (const { key } of targets.filter(({ type }) => type === "prefix")) {
    const report = await remove({ alias, storage, targets: { prefix: key }, signal, progress });
    work.reports.push(report);
    if (report.failures.length === 0 && !signal.aborted) work.gone(from, [key]);
  }
}

async function* each(targets: readonly Target[]) {
  for (const { key, versionId } of targets) yield { key, versionId };
}

async function run(
  work: Work,
  request: CopyRequest,
  operation: typeof copy = copy,
): Promise<TransferReport> {
  const { signal, progress } = work;
  const report = await operation({ ...request, signal, progress });
  work.reports.push(report);
  return report;
}

async function open(work: Work, { alias, bucket }: Place): Promise<BucketStorage> {
  return await work.deps.context.bucket(alias, bucket);
}

function endpoint(storage: BucketStorage, place: Place, key: string, versionId?: string): Endpoint {
  return { type: "bucket", alias: place.alias, storage, key, versionId };
}
