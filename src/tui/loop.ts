/** Holds the state, applies actions, hands effects out and asks for frames, 60 a second at most. */
import type { Action, Effect } from "./state/actions.js";
import { reduce } from "./state/reduce.js";
import type { State } from "./state/types.js";

/** Milliseconds between two frames at least. */
const FRAME = 16;

export interface Loop {
  readonly state: () => State;
  dispatch(action: Action): void;
  /** No more frames. */
  stop(): void;
}

/**
 * Makes a loop. The first change after a pause is painted as soon as the current task ends, so
 * that all keys of one chunk share a frame; further changes wait their turn.
 */
export function createLoop(
  initial: State,
  perform: (effect: Effect) => void,
  paint: (state: State) => void,
): Loop {
  let state = initial;
  let painted = 0;
  let stopAsking: (() => void) | undefined;
  let stopped = false;

  const frame = () => {
    stopAsking = undefined;
    painted = performance.now();
    paint(state);
  };

  return {
    state: () => state,
    dispatch: (action) => {
      if (stopped) return;
      const [next, effects] = reduce(state, action, Date.now());
      if (next !== state) {
        state = next;
        stopAsking ??= ask(frame, FRAME - (performance.now() - painted));
      }
      for (const effect of effects) perform(effect);
    },
    stop: () => {
      stopped = true;
      stopAsking?.();
    },
  };
}

/** Calls back after so many milliseconds, or once the current task ends; the result takes that back. */
function ask(frame: () => void, after: number): () => void {
  if (after > 0) {
    const timer = setTimeout(frame, after);
    return () => clearTimeout(timer);
  }
  const turn = setImmediate(frame);
  return () => clearImmediate(turn);
}
