/** Jobs that run. */
import type { Job, State } from "./types.js";

export function running(state: State): readonly Job[] {
  return state.jobs.filter(({ status }) => status === "running");
}
