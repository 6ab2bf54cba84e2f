/** The page of background work. */
import { bodyHeight } from "../../layout.js";
import { running } from "../../state/running.js";
import { openJob } from "../job/state.js";
import { definePage } from "../page.js";
import { TRANSFERS } from "./keys.js";
import { JOB_ROWS, type TransfersPage } from "./state.js";
import { TransfersView, transfersStatus } from "./view.js";

export const transfers = definePage<TransfersPage>({
  type: "transfers",
  crumbs: () => ["Transfers"],
  commands: TRANSFERS,
  bar: ["cancel-job", "retry-job", "undo", "clear-jobs", "back"],
  footer: ["open", "cancel-job", "retry-job", "undo", "clear-jobs", "back"],
  count: (state) => state.jobs.length,
  height: ({ size }) => Math.max(1, Math.floor((bodyHeight(size) - 1) / JOB_ROWS)),
  open: (state, page) => {
    const job = state.jobs[page.cursor];
    return job === undefined ? [state, []] : openJob(state, job.id);
  },
  busy: (state) => running(state).length > 0,
  confirms: {
    "cancel-job": (state, { job }) => [state, [{ type: "cancel-job", job }]],
  },
  body: TransfersView,
  status: transfersStatus,
});
