/** What the end of a background job changes on the pages. */
import type { DetailsPage } from "../pages/details/state.js";
import { relist } from "../pages/objects/listing.js";
import { mapPlace } from "../pages/objects/state.js";
import { type Replies, currentPage } from "../pages/page.js";
import type { Action, Update } from "./actions.js";
import { startJob, startUpload } from "./jobs.js";
import { leave, say } from "./stack.js";
import type { Job, JobSpec, Place, State } from "./types.js";

export const JOB_REPLIES: Replies = {
  confirms: {
    run: (state, { spec }) =>
      spec.type === "upload" ? startUpload(state, spec) : startJob(state, spec),
  },
};

/** Ends a job: rows that stayed say why, pages that are out of date are read again. */
export function jobEnded(state: State, action: Extract<Action, { type: "job-ended" }>): Update {
  const job = state.jobs.find(({ id }) => id === action.job);
  if (job === undefined) return [state, []];
  const { status, failures, snapshot = job.snapshot } = action;
  const ended: Job = { ...job, status, failures, snapshot };
  const next: State = {
    ...state,
    jobs: state.jobs.map((old) => (old === job ? ended : old)),
  };
  const marked = "from" in job.spec ? keepFailed(next, job.spec.from, action.failed) : next;
  // The transfers panel says it itself.
  const quiet = currentPage(state).type === "transfers";
  return readAgain(quiet ? marked : say(marked, ...outcome(ended)), ended);
}

function keepFailed(state: State, from: Place, failed: ReadonlyMap<string, string>): State {
  return mapPlace(state, from, (page) => ({
    ...page,
    leaving: new Map<string, string>(),
    failures: new Map([...page.failures, ...failed]),
  }));
}

/** The end of a job in a line; what came of it stands first, for titles may be cut. */
function outcome(job: Job): ["success" | "warning" | "error", string] {
  if (job.status === "done") return ["success", `Done: ${job.title}`];
  if (job.status === "canceled") return ["warning", `Canceled: ${job.title}`];
  const first = job.failures[0]?.failure;
  const more = job.failures.length > 1 ? `, ${job.failures.length - 1} more` : "";
  return ["error", `${first?.code}${more}: ${first?.message} (${job.title})`];
}

/** Pages that show the changed place: the one on screen now, the others when they are shown. */
function readAgain(state: State, { spec, status }: Job): Update {
  const changed = changedPlace(spec);
  if (changed === undefined) return [state, []];
  const stale = mapPlace(state, changed, (page) => ({ ...page, stale: true }));
  const page = currentPage(stale);
  if (page.type === "buckets" && page.alias === changed.alias) {
    return [stale, [{ type: "list-buckets", page: page.id, alias: page.alias }]];
  }
  if (page.type === "details" && page.alias === changed.alias && page.bucket === changed.bucket) {
    if (status === "done" && takesAway(spec, page)) {
      const [left, effects] = leave(stale);
      return [{ ...left, notice: stale.notice }, effects];
    }
    const { alias, bucket, key, versionId } = page;
    const object = { alias, bucket, key, versionId };
    return [
      stale,
      [
        { type: "load-info", page: page.id, object },
        { type: "load-versions", page: page.id, object },
      ],
    ];
  }
  if (page.type !== "objects" || !page.stale || spec.type === "remove") return [stale, []];
  return relist(stale, page, "key" in spec ? spec.key : undefined);
}

/** Whether a job removed the very object of a page; removing one version leaves the others. */
function takesAway(spec: JobSpec, page: DetailsPage): boolean {
  if (spec.type !== "remove" && spec.type !== "move") return false;
  return spec.targets.some(({ key, versionId }) => key === page.key && versionId === undefined);
}

/** Where a job changed something that rows taken away do not show. */
function changedPlace(spec: JobSpec): Pick<Place, "alias" | "bucket"> | undefined {
  switch (spec.type) {
    case "upload":
      return spec.target;
    case "copy":
    case "move":
      return spec.to;
    case "remove":
      return spec.from;
    case "empty-bucket":
      return spec;
    case "download":
      return undefined;
  }
}
