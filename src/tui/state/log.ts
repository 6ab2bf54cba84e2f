/** The messages of this session, kept so that none is lost with the next key. */
import type { Notice, State } from "./types.js";

/** Lines kept. */
const KEPT = 1000;

/** The state with a line added to its log. */
export function noted(state: State, notice: Notice, at: number): State {
  return { ...state, log: [...state.log.slice(1 - KEPT), { ...notice, at }] };
}
