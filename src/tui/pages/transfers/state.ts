/** The work that runs, or ran, in the background. */
import type { Update } from "../../state/actions.js";
import { START, push } from "../../state/stack.js";
import type { Scroll, State } from "../../state/types.js";
import { currentPage } from "../page.js";

declare module "../../state/types.js" {
  interface Pages {
    transfers: TransfersPage;
  }
}

export interface TransfersPage extends Scroll {
  readonly type: "transfers";
  readonly id: number;
}

/** Rows one transfer takes. */
export const JOB_ROWS = 3;

/** Opens the transfers, unless they are on screen. */
export function openTransfers(state: State): Update {
  if (currentPage(state).type === "transfers") return [state, []];
  return push(state, { type: "transfers", id: state.nextId, ...START });
}
