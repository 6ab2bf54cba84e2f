/** The life of a job: started, followed ten times a second, ended with what failed. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

import type { TransferEvent, TransferListener } from "../../core/engine/events.js";
import { createProgress } from "../../core/engine/progress.js";
import { writeReport } from "../../core/report.js";
import type { ObjectEntry } from "../../core/storage/storage.js";
import type { JobFailure, JobItem, JobSpec, PrefixRef } from "../state/types.js";
import { forget } from "./ask.js";
import { type Deps, type Handler, failureOf } from "./deps.js";
import { type Work, runAgain, runSpec } from "./run-spec.js";

/** Milliseconds between two snapshots shown. */
const REFRESH = 100;
/** Finished items that are kept for the job's page. */
const KEPT = 500;

/** Runs a job to its end. */
export const startJob: Handler<"start-job"> = async (deps, { job, spec, again }, signal) => {
  const progress = createProgress();
  // The rows that undoing changes are listed anew at its end.
  const news = createNews(spec.type !== "undo");
  const report = createReport(deps, spec);
  let finished: readonly JobItem[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    timer = undefined;
    finished = [...finished, ...news.finished.splice(0)].slice(-KEPT);
    for (const change of news.take()) deps.dispatch(change);
    deps.dispatch({ type: "job-progress", job, snapshot: progress.getSnapshot(), finished });
  };
  progress.subscribe(() => {
    timer ??= setTimeout(tell, REFRESH);
  });
  const failures: JobFailure[] = [];
  const work: Work = {
    deps,
    job,
    signal,
    progress,
    onEvent: (event, snapshot) => {
      news.listen(event);
      report.onEvent(event, snapshot);
    },
    fail: (error) => {
      if (!signal.aborted) failures.push({ failure: failureOf(error) });
    },
    took: (report) => {
      for (const { item, error } of report.failures) {
        failures.push({ item: kept(item), failure: failureOf(error) });
      }
    },
    gone: news.gone,
  };
  try {
    await (again === undefined ? runSpec(work, spec) : runAgain(work, again));
  } catch (error) {
    work.fail(error);
  }
  clearTimeout(timer);
  forget(job);
  tell();
  const status = signal.aborted ? "canceled" : failures.length > 0 ? "failed" : "done";
  deps.dispatch({ type: "job-ended", job, status, failures, report: report.end() });
};

/** Writes down what a job changes in buckets, so that it can be undone in this session. */
function createReport(deps: Deps, spec: JobSpec) {
  // A delete marker that was taken away cannot be put back as it was.
  const markers = spec.type === "remove" && spec.restores === true;
  const wanted = ["upload", "copy", "move", "remove"].includes(spec.type) && !markers;
  const made = new Date().toISOString();
  let path: string | undefined;
  let file: ReturnType<typeof writeReport> | undefined;
  let broken = false;
  const onEvent: TransferListener = (event, snapshot) => {
    if (!wanted || broken || event.type !== "finished") return;
    try {
      path ??= join(deps.scratch(), `${randomUUID()}.report`);
      file ??= writeReport(path, { pail: "report", version: 1, command: "console", made });
      file.onEvent(event, snapshot);
    } catch {
      // A full disk must not keep objects from being moved; the job then cannot be undone.
      broken = true;
    }
  };
  const end = () => {
    if (file === undefined) return undefined;
    try {
      file.end();
    } catch {
      return undefined;
    }
    return broken ? undefined : path;
  };
  return { onEvent, end };
}

type Change =
  | { readonly type: "keys-gone"; readonly from: PrefixRef; readonly keys: readonly string[] }
  | {
      readonly type: "keys-here";
      readonly to: PrefixRef;
      readonly entries: readonly ObjectEntry[];
    };

/** Gathers what a job has done, for the pages that show the places it works on. */
function createNews(tells: boolean) {
  const finished: JobItem[] = [];
  const here = new Map<string, { to: PrefixRef; entries: ObjectEntry[] }>();
  const away = new Map<string, { from: PrefixRef; keys: string[] }>();
  const placeOf = ({ alias, bucket }: { alias: string; bucket: string }) => ({
    alias,
    bucket,
    prefix: "",
  });
  const gone = (from: PrefixRef, keys: readonly string[]) => {
    const name = `${from.alias}/${from.bucket}`;
    const known = away.get(name) ?? { from, keys: [] };
    away.set(name, known);
    for (const key of keys) known.keys.push(key);
  };
  const listen = (event: TransferEvent) => {
    if (event.type !== "finished") return;
    const { item } = event;
    finished.push(kept(item));
    if (!tells) return;
    const { target, action, source } = item;
    if (target.type === "object" && action !== "remove") {
      const name = `${target.alias}/${target.bucket}`;
      const known = here.get(name) ?? { to: placeOf(target), entries: [] };
      here.set(name, known);
      const { key } = target;
      known.entries.push({ type: "object", key, size: item.size ?? 0, lastModified: Date.now() });
    }
    // An object that lost one version may still be there.
    const removed = action === "remove" ? target : item.moves ? source : undefined;
    if (removed?.type === "object" && (action !== "remove" || removed.versionId === undefined)) {
      gone(placeOf(removed), [removed.key]);
    }
  };
  const take = (): Change[] => {
    const changes: Change[] = [
      ...Array.from(away.values(), (change) => ({ type: "keys-gone" as const, ...change })),
      ...Array.from(here.values(), (change) => ({ type: "keys-here" as const, ...change })),
    ];
    away.clear();
    here.clear();
    return changes;
  };
  return { finished, listen, gone, take };
}

function kept({ action, source, target, size, moves }: JobItem): JobItem {
  return { action, source, target, size, moves };
}
