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
function confirmCancel(state: State, job: Job): Update {
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: "Stop the transfer?",
    lines: [job.title, "Finished items stay; an unfinished upload is aborted."],
    typed: "",
    accept: "Stop it",
    danger: true,
    focus: "cancel",
    purpose: { type: "cancel-job", job: job.id },
  }));
}

/** The commands for the job that a page is about. */
export function forJob(jobOf: (state: State) => Job | undefined): readonly Command[] {
  const withJob = (run: (state: State, job: Job) => Update) => (state: State) => {
    const job = jobOf(state);
    return job === undefined ? ([state, []] as const) : run(state, job);
  };
  return [
    {
      id: "cancel-job",
      title: "Cancel the transfer",
      short: "cancel",
      bar: "Cancel",
      disabled: (state) => (jobOf(state)?.status === "running" ? undefined : "it is not running"),
      run: withJob(confirmCancel),
    },
    {
      id: "retry-job",
      title: "Try again what failed",
      short: "retry",
      bar: "Retry",
      disabled: (state) => canRetry(jobOf(state)),
      run: withJob(retryJob),
    },
  ];
}

export const TRANSFERS: readonly Command[] = [
  ...forJob(jobUnder),
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
