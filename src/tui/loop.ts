/** Holds the state, applies actions, hands effects out and asks for frames. */
import type { Action, Effect } from "./state/actions.js";
import { reduce } from "./state/reduce.js";
import type { State } from "./state/types.js";

/** Milliseconds between two frames at least, where nobody waits for the next. */
const FRAME = 16;

export interface Loop {
  readonly state: () => State;
  /** Applies what a person did, and paints what has become of it. */
  act(actions: readonly Action[]): void;
  /** Applies a change that nobody waits for; its frame waits its turn. */
  dispatch(action: Action): void;
  /** No more frames. */
  stop(): void;
}

/** Makes a loop. */
export function createLoop(
  initial: State,
  perform: (effect: Effect) => void,
  paint: (state: State) => void,
): Loop {
  let state = initial;
  let shown: State | undefined;
  let painted = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const frame = () => {
    clearTimeout(timer);
    timer = undefined;
    if (stopped || state === shown) return;
    painted = performance.now();
    shown = state;
    paint(state);
  };
  const apply = (action: Action) => {
    if (stopped) return;
    const [next, effects] = reduce(state, action, Date.now());
    state = next;
    for (const effect of effects) perform(effect);
  };

  return {
    state: () => state,
    act: (actions) => {
      for (const action of actions) apply(action);
      frame();
    },
    dispatch: (action) => {
      apply(action);
      if (state !== shown && !stopped) {
        timer ??= setTimeout(frame, FRAME - (performance.now() - painted));
      }
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
