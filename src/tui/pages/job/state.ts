/** One job: its files, those that failed first. */
import { nameOf } from "../../../core/ref.js";
import type { Update } from "../../state/actions.js";
import { START, push } from "../../state/stack.js";
import type { Scroll, ShownFailure, Job, JobItem, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    job: JobPage;
  }
}

export interface JobPage extends Scroll {
  readonly type: "job";
  readonly id: number;
  readonly job: number;
}

export interface JobRow {
  readonly status: "failed" | "running" | "done";
  readonly name: string;
  readonly size?: number | undefined;
  /** Bytes so far, of what runs. */
  readonly done?: number | undefined;
  readonly failure?: ShownFailure | undefined;
  readonly item?: JobItem | undefined;
}

/** Opens the page of a job. */
export function openJob(state: State, job: number): Update {
  return push(state, { type: "job", id: state.nextId, job, ...START });
}

/** The job of a page; undefined when it was taken off the list. */
export function jobOf(state: State, page: JobPage): Job | undefined {
  return state.jobs.find(({ id }) => id === page.job);
}

/** The rows of a job: failed items, running items, then those that were finished last. */
export function jobRows({ failures, snapshot, finished, status }: Job): readonly JobRow[] {
  const active = status === "running" ? (snapshot?.active ?? []) : [];
  return [
    ...failures.map(({ item, failure }): JobRow => ({
      status: "failed",
      name: item === undefined ? "the whole of it" : nameOfItem(item),
      size: item?.size,
      failure,
      item,
    })),
    ...active.map(({ item, done }): JobRow => ({
      status: "running",
      name: nameOfItem(item),
      size: item.size,
      done,
      item,
    })),
    ...finished
      .toReversed()
      .map((item): JobRow => ({ status: "done", name: nameOfItem(item), size: item.size, item })),
  ];
}

/** The name of an item: the source of an upload, the target of anything else. */
function nameOfItem({ action, source, target }: JobItem): string {
  return nameOf(action === "upload" && source !== undefined ? source : target);
}
