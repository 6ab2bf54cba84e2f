/** Looking after what runs in the background. */
import { canRetry, retryJob } from "../../state/jobs.js";
import { keepVisible, openDialog, pageOf } from "../../state/stack.js";
import type { Update } from "../../state/actions.js";
import type { Job, State } from "../../state/types.js";
import type { Command } from "../page.js";

function jobUnder(state: State): Job | undefined {
  const page = pageOf(state, "transfers");
  return page === undefined ? undefined : state.jobs[page.cursor];
}

/** Asks before a job is ended. */
export function confirmCancel(state: State, job: Job): Update {
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: "Cancel the transfer?",
    lines: [job.title, "Finished items stay; an unfinished upload is aborted."],
    typed: "",
    accept: "Cancel it",
    danger: true,
    focus: "cancel",
    purpose: { type: "cancel-job", job: job.id },
  }));
}

export const TRANSFERS: readonly Command[] = [
  {
    id: "cancel-job",
    title: "Cancel the transfer",
    short: "cancel",
    bar: "Cancel",
    disabled: (state) => (jobUnder(state)?.status === "running" ? undefined : "it is not running"),
    run: (state) => {
      const job = jobUnder(state);
      return job === undefined ? [state, []] : confirmCancel(state, job);
    },
  },
  {
    id: "retry-job",
    title: "Try again what failed",
    short: "retry",
    bar: "Retry",
    disabled: (state) => canRetry(jobUnder(state)),
    run: (state) => {
      const job = jobUnder(state);
      return job === undefined ? [state, []] : retryJob(state, job);
    },
  },
  {
    id: "clear-jobs",
    title: "Take ended transfers off the list",
    short: "clear",
    bar: "Clear",
    disabled: (state) =>
      state.jobs.some(({ status }) => status !== "running") ? undefined : "none has ended",
    run: (state) => [
      keepVisible({ ...state, jobs: state.jobs.filter(({ status }) => status === "running") }),
      [],
    ],
  },
];
