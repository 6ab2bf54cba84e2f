/** The changes that background jobs make to the pages: while they run, and at their end. */
import { visible } from "../../text/sanitize.js";
import { NAMED } from "../dialogs/confirm.js";
import { askNext, unasked } from "../dialogs/conflict.js";
import type { DetailsPage } from "../pages/details/state.js";
import { addWritten, moveToKey, relist, removeKeys, under } from "../pages/objects/listing.js";
import { mapPlace } from "../pages/objects/state.js";
import { type Replies, currentPage, heightOf, typeOf } from "../pages/page.js";
import { type Action, type Update, also } from "./actions.js";
import { startJob, startUpload, takesAway } from "./jobs.js";
import { inBoth } from "./panes.js";
import { withKeys } from "./targets.js";
import { addressOf, keepVisible, leave, openDialog, putPage, say } from "./stack.js";
import type { Job, JobFailure, JobSpec, PrefixRef, State } from "./types.js";

export const JOB_REPLIES: Replies = {
  confirms: {
    run: (state, { spec, instead }) => {
      const jobs = state.jobs.filter(({ id }) => id !== instead);
      const next = instead === undefined ? state : { ...state, jobs };
      if (spec.type === "upload") return startUpload(next, spec);
      const left: Update = spec.type === "sync" ? leave(next) : [next, []];
      return also(left, (below) => startJob(below, spec));
    },
  },
  answers: {
    "job-progress": (state, { job: id, snapshot, finished }) => {
      const jobs = state.jobs.map((job) =>
        job.id === id && job.status === "running" ? { ...job, snapshot, finished } : job,
      );
      return [keepVisible({ ...state, jobs }), []];
    },
    "job-ended": jobEnded,
    dropped: (state, { target, paths }) => {
      if (state.dialog !== undefined) return [state, []];
      const more = paths.length - NAMED;
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: `Upload to ${visible(addressOf(target))}?`,
        lines: [
          ...paths.slice(0, NAMED).map(visible),
          ...(more > 0 ? [`and ${more} more`] : []),
          "Before a name is replaced you are asked.",
        ],
        typed: "",
        accept: "Upload",
        danger: false,
        focus: "accept",
        purpose: { type: "run", spec: { type: "upload", paths, target } },
      }));
    },
    asked: (state, { job, conflict }) =>
      askNext([{ ...state, questions: [...state.questions, { job, conflict }] }, []]),
    "keys-gone": (state, { from, keys }) => {
      const gone = new Set(keys);
      return [
        mapPlace(state, from, (page) =>
          page.versions ? page : removeKeys(page, gone, heightOf(state, page)),
        ),
        [],
      ];
    },
    "keys-here": (state, { to, entries }) => [
      mapPlace(state, to, (page) => addWritten(page, entries, heightOf(state, page))),
      [],
    ],
  },
};

/** Ends a job: rows that stayed say why; the page of an object is read again. */
function jobEnded(state: State, action: Extract<Action, { type: "job-ended" }>): Update {
  const job = state.jobs.find(({ id }) => id === action.job);
  if (job === undefined) return [state, []];
  const { status, failures, report } = action;
  const reports = [...(job.reports ?? []), ...(report === undefined ? [] : [report])];
  const ended: Job = { ...job, status, failures, reports };
  const { spec } = job;
  const jobs = state.jobs.map((old) => {
    if (old === job) return ended;
    const undone = spec.type === "undo" && status === "done" && old.reports === spec.reports;
    return undone ? { ...old, undone } : old;
  });
  const next = unasked({ ...state, jobs }, job.id);
  const marked = "targets" in job.spec ? keepFailed(next, job.id, job.spec, action.failures) : next;
  return askNext(inBoth(say(marked, ...outcome(ended)), (shown) => readAgain(shown, ended)));
}

function keepFailed(
  state: State,
  job: number,
  spec: Extract<JobSpec, { from: PrefixRef }>,
  failures: readonly JobFailure[],
): State {
  const failed = failedKeys(spec, failures);
  return mapPlace(state, spec.from, (page) => ({
    ...page,
    leaving: page.leaving.filter((rows) => rows.job !== job),
    failures: new Map([...page.failures, ...failed]),
  }));
}

/** The keys of the job's targets that failed, with the code of each failure. */
function failedKeys(
  { from, targets }: Extract<JobSpec, { from: PrefixRef }>,
  failures: readonly JobFailure[],
): Map<string, string> {
  const failed = new Map<string, string>();
  const [only] = targets.length === 1 ? targets : [];
  for (const { item, failure } of failures) {
    const ref = item?.source ?? item?.target;
    if (item === undefined && only !== undefined) failed.set(only.key, failure.code);
    if (ref?.type !== "object" || ref.alias !== from.alias || ref.bucket !== from.bucket) continue;
    // The object itself, and the prefixes that it is below.
    failed.set(ref.key, failure.code);
    for (const { index } of ref.key.matchAll(/\//g)) {
      failed.set(ref.key.slice(0, index + 1), failure.code);
    }
  }
  const known = withKeys(targets, failed.keys()).map(({ key }) => [key, failed.get(key)!] as const);
  return new Map(known);
}

/** The end of a job in a line; the result stands first, because titles may be cut. */
function outcome({
  status,
  title,
  failures,
  snapshot,
}: Job): ["success" | "warning" | "error", string] {
  if (status === "done") {
    const skipped = snapshot?.items.skipped ?? 0;
    return ["success", `Done: ${title}${skipped > 0 ? `, ${skipped} skipped` : ""}`];
  }
  if (status === "canceled") return ["warning", `Canceled: ${title}`];
  const first = failures[0]?.failure;
  const more = failures.length > 1 ? `, ${failures.length - 1} more` : "";
  return ["error", `${first?.code}${more}: ${first?.message} (${title}; t shows all)`];
}

/** Reads the page on screen again where its rows do not tell what a job has done. */
function readAgain(state: State, { spec, status }: Job): Update {
  const page = currentPage(state);
  if (page.type === "buckets" && spec.type === "empty-bucket") {
    return [state, [{ type: "list-buckets", page: page.id, alias: page.alias }]];
  }
  // The rows of versions, and those after undoing, are not known: they are listed anew.
  const unknown = (page.type === "objects" && page.versions) || spec.type === "undo";
  if (page.type === "objects" && unknown && concerns(spec, page)) return relist(state, page);
  if (page.type === "objects" && "key" in spec && spec.key !== undefined && spec.type === "move") {
    // The cursor stays on the row that was renamed.
    const moved =
      under(page)?.key === spec.key ? page : moveToKey(page, spec.key, heightOf(state, page));
    return [putPage(state, moved), []];
  }
  const local =
    ["download", "sync"].includes(spec.type) || (spec.type === "upload" && spec.moves === true);
  if (page.type === "picker" && local) return typeOf(page).refresh?.(state, page) ?? [state, []];
  const removes = spec.type === "remove" || spec.type === "undo";
  if (page.type === "du" && removes && concerns(spec, page)) {
    return typeOf(page).refresh?.(state, page) ?? [state, []];
  }
  if (page.type !== "details" || !concerns(spec, page)) return [state, []];
  if (status === "done" && takesAwayAll(spec, page)) {
    const [left, effects] = leave(state);
    return [{ ...left, notice: state.notice }, effects];
  }
  const { alias, bucket, key, versionId } = page;
  const object = { alias, bucket, key, versionId };
  return [
    state,
    [
      { type: "load-info", page: page.id, object },
      { type: "load-versions", page: page.id, object },
    ],
  ];
}

function concerns(spec: JobSpec, { alias, bucket }: Pick<PrefixRef, "alias" | "bucket">): boolean {
  return placesOf(spec).some((place) => place.alias === alias && place.bucket === bucket);
}

function placesOf(spec: JobSpec): readonly PrefixRef[] {
  if (spec.type === "undo") return placesOf(spec.of);
  if (spec.type === "upload") return [spec.target];
  return "targets" in spec ? [spec.from, ...("to" in spec ? [spec.to] : [])] : [];
}

/** Whether a job removed the very object of a page; removing one version leaves the others. */
function takesAwayAll(spec: JobSpec, page: DetailsPage): boolean {
  if (!takesAway(spec) || !("targets" in spec)) return false;
  return withKeys(spec.targets, [page.key]).some(({ versionId }) => versionId === undefined);
}
