/** The tools that carrying out an effect needs. */
import type { Context } from "../../context.js";
import { toAppError } from "../../core/failures/map.js";
import type { Action, Effect } from "../state/actions.js";
import type { ShownFailure } from "../state/types.js";

export interface Deps {
  readonly context: Context;
  readonly dispatch: (action: Action) => void;
  /** Writes a sequence to the terminal, past the frames; undefined where none may be written. */
  readonly write: ((data: string) => void) | undefined;
  readonly quit: () => void;
  /** Hands the terminal back to the shell until it is told to go on. */
  readonly suspend: () => void;
  /** Hands the terminal to another program while `work` runs. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>;
  /** Paints the whole screen anew. */
  readonly redraw: () => void;
  /** A directory of this console's own, which goes with it. */
  readonly scratch: () => string;
  /** Takes the turn of a kind of work; the signal is aborted once another takes it. */
  readonly latest: (name: string) => AbortSignal;
}

/** Carries out one kind of effect; a rejection is shown as a failure where it was asked for. */
export type Handler<T extends Effect["type"]> = (
  deps: Deps,
  effect: Extract<Effect, { type: T }>,
  signal: AbortSignal,
) => Promise<void> | void;

/** Any caught value as a page or a dialog shows it. */
export function failureOf(error: unknown, doing?: string): ShownFailure {
  const { kind, code, message, hint } = toAppError(error, doing);
  return { kind, code, message, hint };
}
