/** Everything the console knows, as one immutable value. */
import type { Dialog, Question } from "../dialogs/types.js";
import type { Keymap } from "../keymap.js";
import type { Look } from "../theme.js";
import type { Memory } from "./memory.js";
import type { Job, Targets } from "./job-types.js";
import type { Notice, PrefixRef, Size } from "./values.js";

/**
 * Every kind of page, by its type: each page adds itself, in its state.ts, to the pages there are
 * (Pages), to what pages ask the core for (PageEffects) and to what the core answers (PageActions).
 */
export interface Pages {}
export interface PageEffects {}
export interface PageActions {}

export type Page = Pages[keyof Pages];

/** A message of this session. */
export interface LogLine extends Notice {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Objects taken from a place, to be copied or moved to another. */
export interface Clip {
  readonly verb: "copy" | "move";
  readonly place: PrefixRef;
  readonly targets: Targets;
}

export interface OtherPane {
  readonly pages: readonly Page[];
  /** Whether it stands on the left. */
  readonly left: boolean;
}

export interface State {
  readonly size: Size;
  readonly look: Look;
  readonly readonly: boolean;
  readonly keymap: Keymap;
  /** The last one is on screen; never empty. */
  readonly pages: readonly Page[];
  /** The pages of the pane that has not the focus, while there are two. */
  readonly other?: OtherPane | undefined;
  readonly dialog?: Dialog | undefined;
  /** The button of the action bar that has the focus; undefined when the page has it. */
  readonly bar?: number | undefined;
  readonly jobs: readonly Job[];
  readonly notice?: Notice | undefined;
  /** The messages so far, the latest at the end. */
  readonly log: readonly LogLine[];
  /** The questions that jobs wait for, in the order they asked. */
  readonly questions: readonly Question[];
  /** The next unused number for pages, dialogs and jobs. */
  readonly nextId: number;
  /** The objects that were taken to be pasted elsewhere. */
  readonly clip?: Clip | undefined;
  readonly memory: Memory;
  /** Pages opened because the console was left there; one that fails is left at once. */
  readonly guessed: readonly number[];
  /** Home and working directory of the local side. */
  readonly local: { readonly home: string; readonly directory: string };
  /** Steps of the spinner; advances only while something is under way. */
  readonly tick: number;
}

export type * from "../dialogs/types.js";
export type * from "./job-types.js";
export type * from "./values.js";
