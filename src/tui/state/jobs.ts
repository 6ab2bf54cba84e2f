/** Transfers and removals in the background. */
import { formatCount } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import type { Entry } from "../../core/storage/storage.js";
import type { Update } from "./actions.js";
import { addressOf, currentPage, leave, openPage } from "./pages.js";
import type { Job, JobSpec, Page, Place, State, Target } from "./types.js";

/** A listed entry as the target of a job. */
export function targetOf(entry: Entry): Target {
  if (entry.type === "prefix") return { type: "prefix", key: entry.key };
  return { type: "object", key: entry.key, size: entry.size };
}

/** Whether any job still runs. */
export function running(state: State): readonly Job[] {
  return state.jobs.filter(({ status }) => status === "running");
}

/** Starts a job; rows it is going to take away are shown as leaving. */
export function startJob(state: State, spec: JobSpec): Update {
  const job: Job = {
    id: state.nextId,
    title: jobTitle(spec),
    spec,
    status: "running",
    failures: [],
  };
  const next: State = { ...state, jobs: [job, ...state.jobs], nextId: state.nextId + 1 };
  const shown = spec.type === "remove" || spec.type === "move" ? leaving(next, spec) : next;
  return [shown, [{ type: "start-job", job: job.id, spec }]];
}

/** Starts an upload, leaves the picker it came from, and shows the transfers. */
export function startUpload(state: State, spec: JobSpec): Update {
  const [started, start] = startJob(state, spec);
  const [left, leaving] = currentPage(started).type === "picker" ? leave(started) : [started, []];
  const [shown, showing] = openTransfers(left);
  return [shown, [...leaving, ...start, ...showing]];
}

/** Opens the transfers, unless they are on screen. */
export function openTransfers(state: State): Update {
  if (currentPage(state).type === "transfers") return [state, []];
  return openPage(state, { type: "transfers", id: state.nextId, cursor: 0, top: 0 });
}

/** Starts an ended job again. */
export function retryJob(state: State, job: Job): Update {
  const jobs = state.jobs.map((old) =>
    old === job ? { ...job, status: "running" as const, snapshot: undefined, failures: [] } : old,
  );
  return [{ ...state, jobs }, [{ type: "start-job", job: job.id, spec: job.spec }]];
}

function leaving(state: State, spec: Extract<JobSpec, { from: Place }>): State {
  const keys = new Set(spec.targets.filter(({ versionId }) => !versionId).map(({ key }) => key));
  const verb = spec.type === "move" ? "moving" : "deleting";
  return mapPlace(state, spec.from, (page) => ({
    ...page,
    marks: new Set(),
    leaving: new Map([...page.leaving, ...[...keys].map((key) => [key, verb] as const)]),
    failures: new Map([...page.failures].filter(([key]) => !keys.has(key))),
  }));
}

/** Changes every page that shows something of a bucket. */
export function mapPlace(
  state: State,
  { alias, bucket }: Pick<Place, "alias" | "bucket">,
  change: (page: Extract<Page, { type: "objects" }>) => Extract<Page, { type: "objects" }>,
): State {
  const pages = state.pages.map((page) =>
    page.type === "objects" && page.alias === alias && page.bucket === bucket ? change(page) : page,
  );
  return { ...state, pages };
}

/** One line that says what a job does. */
export function jobTitle(spec: JobSpec): string {
  switch (spec.type) {
    case "upload": {
      const what =
        spec.paths.length === 1
          ? visible(spec.paths[0]!.split(/[/\\]/).at(-1)!)
          : formatCount(spec.paths.length, "item");
      return `Upload ${what} to ${visible(addressOf(spec.target))}`;
    }
    case "download":
      return `Download ${named(spec.targets)} to ${visible(spec.directory)}`;
    case "copy":
    case "move": {
      const verb = spec.type === "copy" ? "Copy" : spec.key === undefined ? "Move" : "Rename";
      const to = { ...spec.to, prefix: spec.key ?? spec.to.prefix };
      return `${verb} ${named(spec.targets)} to ${visible(addressOf(to))}`;
    }
    case "remove":
      return `Delete ${named(spec.targets)} from ${visible(`${spec.from.alias}/${spec.from.bucket}`)}`;
    case "empty-bucket":
      return `Empty and remove ${visible(`${spec.alias}/${spec.bucket}`)}`;
  }
}

function named(targets: readonly Target[]): string {
  return targets.length === 1 ? visible(targets[0]!.key) : formatCount(targets.length, "item");
}
