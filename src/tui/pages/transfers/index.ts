/** The page of background work. */
import { bodyHeight } from "../../layout.js";
import { running } from "../../state/running.js";
import { definePage } from "../page.js";
import { TRANSFERS } from "./keys.js";
import { JOB_ROWS, type TransfersPage } from "./state.js";
import { TransfersView, transfersStatus } from "./view.js";

export const transfers = definePage<TransfersPage>({
  type: "transfers",
  crumbs: () => ["Transfers"],
  commands: TRANSFERS,
  bar: ["cancel-job", "retry-job", "clear-jobs", "back"],
  footer: ["cancel-job", "retry-job", "clear-jobs", "back"],
  count: (state) => state.jobs.length,
  height: ({ size }) => Math.max(1, Math.floor((bodyHeight(size) - 1) / JOB_ROWS)),
  busy: (state) => running(state).length > 0,
  confirms: {
    "cancel-job": (state, { job }) => [state, [{ type: "cancel-job", job }]],
  },
  body: TransfersView,
  status: transfersStatus,
});
