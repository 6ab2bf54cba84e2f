/** Transfers and removals in the background. */
import { formatCount } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import { confirmJob } from "../dialogs/confirm.js";
import { NO_MARKS } from "../list/marks.js";
import { mapPlace } from "../pages/objects/state.js";
import { currentPage } from "../pages/page.js";
import { type Update, also } from "./actions.js";
import { addressOf, leave, openDialog, say } from "./stack.js";
import { hasVersion, withKeys } from "./targets.js";
import type { Job, JobSpec, State, Targets } from "./types.js";

/** Starts a job; rows it is going to take away are shown as leaving. */
export function startJob(state: State, spec: JobSpec): Update {
  const job: Job = {
    id: state.nextId,
    title: jobTitle(spec),
    spec,
    status: "running",
    failures: [],
    finished: [],
  };
  const next: State = { ...state, jobs: [job, ...state.jobs], nextId: state.nextId + 1 };
  const shown = takesAway(spec) && "targets" in spec ? leaving(next, job.id, spec) : next;
  return [shown, [{ type: "start-job", job: job.id, spec }]];
}

/** Whether a job takes away what it is about. */
export function takesAway(spec: JobSpec): boolean {
  return spec.type === "remove" || spec.type === "move" || ("moves" in spec && spec.moves === true);
}

/** Starts an upload, and goes back to where it goes: its rows come there, and the header counts. */
export function startUpload(state: State, spec: JobSpec): Update {
  const left: Update = currentPage(state).type === "picker" ? leave(state) : [state, []];
  return also(left, (below) =>
    startJob(say(below, "info", `${jobTitle(spec)}; t shows how far it is`), spec),
  );
}

/** Why a job cannot be tried again. */
export function canRetry(job: Job | undefined): string | undefined {
  if (job === undefined) return "nothing is selected";
  if (job.spec.type === "undo") return "what could not be put back was changed since";
  return job.status === "running" || job.status === "done" ? `it is ${job.status}` : undefined;
}

/** Why a job cannot be undone. */
export function canUndo(job: Job | undefined): string | undefined {
  if (job === undefined) return "nothing is selected";
  const { spec, status, reports = [], undone } = job;
  if (undone === true) return "it was undone";
  if (status === "running") return "it still runs";
  // A file that went into a bucket would be nowhere.
  if ("moves" in spec && spec.moves === true) return "what was moved to or from a disk stays there";
  if (spec.type === "remove" && hasVersion(spec.targets))
    return "a version that was removed is gone";
  return reports.length === 0 ? "it has changed nothing that can be put back" : undefined;
}

/** Asks before a job is undone. */
export function confirmUndo(state: State, { title, spec, reports = [] }: Job): Update {
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: "Undo it?",
    lines: [
      title,
      "Everything it replaced or removed comes back; everything it made is marked deleted.",
      "Objects changed since stay as they are, and are named.",
    ],
    typed: "",
    accept: "Undo",
    danger: false,
    focus: "accept",
    purpose: { type: "run", spec: { type: "undo", of: spec, reports } },
  }));
}

/** The jobs a later console could go on with; the others are asked for anew. */
export function unfinished({ jobs }: State): readonly JobSpec[] {
  return jobs
    .filter(({ status }) => status === "running" || status === "left")
    .map(({ spec }) => spec)
    .filter(({ type }) => !["empty-bucket", "undo", "sync"].includes(type));
}

/**
 * Tries a job again: the items that failed, when all of them are known, else the whole job, which
 * asks again about items that are there by now.
 */
export function retryJob(state: State, job: Job): Update {
  if (job.status === "left" && job.spec.type === "remove" && job.spec.restores !== true) {
    return confirmJob(state, job.spec, job.id);
  }
  const items = job.failures.flatMap(({ item }) => (item === undefined ? [] : [item]));
  const partly = job.status === "failed" && items.length === job.failures.length;
  // A move is proven as a whole: its source is removed by the same run that copies.
  const moves = takesAway(job.spec) && job.spec.type !== "remove";
  const again = partly && !moves && items.length > 0 ? items : undefined;
  const next: Job = { ...job, again, status: "running", snapshot: undefined, failures: [] };
  const jobs = state.jobs.map((old) => (old === job ? next : old));
  return [{ ...state, jobs }, [{ type: "start-job", job: job.id, spec: job.spec, again }]];
}

function leaving(
  state: State,
  job: number,
  { from, targets, ...spec }: Extract<JobSpec, { targets: Targets }>,
): State {
  const verb = spec.type !== "remove" ? "moving" : spec.restores ? "coming" : "deleting";
  return mapPlace(state, from, (page) => ({
    ...page,
    marks: NO_MARKS,
    anchor: undefined,
    leaving: [...page.leaving, { job, verb, targets, before: page.store.count }],
    failures: without(page.failures, targets),
  }));
}

function without(failures: ReadonlyMap<string, string>, targets: Targets) {
  const again = new Set(withKeys(targets, failures.keys()).map(({ key }) => key));
  return new Map([...failures].filter(([key]) => !again.has(key)));
}

/** One line that says what a job does. */
export function jobTitle(spec: JobSpec): string {
  switch (spec.type) {
    case "upload": {
      const what =
        spec.paths.length === 1
          ? visible(spec.paths[0]!.split(/[/\\]/).at(-1)!)
          : formatCount(spec.paths.length, "item");
      const verb = spec.moves ? "Move" : "Upload";
      return `${verb} ${what} to ${visible(addressOf(spec.target))}`;
    }
    case "download":
      return `${spec.moves ? "Move" : "Download"} ${named(spec.targets)} to ${visible(spec.directory)}`;
    case "copy":
    case "move": {
      if (spec.restores) return `Restore ${named(spec.targets)}`;
      const verb = spec.type === "copy" ? "Copy" : spec.key === undefined ? "Move" : "Rename";
      const to = { ...spec.to, prefix: spec.key ?? spec.to.prefix };
      return `${verb} ${named(spec.targets)} to ${visible(addressOf(to))}`;
    }
    case "remove":
      if (spec.restores) return `Bring back ${named(spec.targets)}`;
      return `Delete ${named(spec.targets)} from ${visible(`${spec.from.alias}/${spec.from.bucket}`)}`;
    case "sync":
      return `Sync ${visible(spec.from)} to ${visible(spec.to)}`;
    case "undo":
      return `Undo: ${jobTitle(spec.of)}`;
    case "empty-bucket":
      return `Empty and remove ${visible(`${spec.alias}/${spec.bucket}`)}`;
  }
}

function named(targets: Targets): string {
  const [first] = targets;
  return targets.length === 1 ? visible(first!.key) : formatCount(targets.length, "item");
}
