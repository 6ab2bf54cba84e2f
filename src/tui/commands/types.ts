/** A command: something a key, a button, a click or the palette can run. */
import type { Scope } from "../keymap.js";
import type { Update } from "../state/actions.js";
import type { State } from "../state/types.js";

export interface Command {
  /** Its name in the keymap. */
  readonly id: string;
  /** For the help and the palette. */
  readonly title: string;
  /** One or two words for the footer; without them it is not shown there. */
  readonly short?: string | undefined;
  /** Its label on the action bar; without one it is not there. */
  readonly bar?: string | undefined;
  /** The label where the screen is narrow. */
  readonly barShort?: string | undefined;
  readonly scopes: readonly Scope[];
  /** Pages whose action bar has it; default all of `scopes`. */
  readonly barScopes?: readonly Scope[] | undefined;
  /** Changes something on a service; `--readonly` disables it. */
  readonly writes?: boolean | undefined;
  /** Why it cannot be run now. */
  readonly disabled?: ((state: State) => string | undefined) | undefined;
  readonly run: (state: State) => Update;
}

export const EVERYWHERE: readonly Scope[] = [
  "sign-in",
  "buckets",
  "objects",
  "picker",
  "transfers",
  "details",
  "preview",
  "help",
];
