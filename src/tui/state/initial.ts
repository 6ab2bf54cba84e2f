/** Where the console starts. */
import { splitRemote } from "../../core/location.js";
import type { Keymap } from "../keymap.js";
import type { Look } from "../theme.js";
import type { Update } from "./actions.js";
import { openBuckets } from "../pages/buckets/state.js";
import { openObjects } from "../pages/objects/state.js";
import { signInPage } from "../pages/sign-in/state.js";
import type { Memory } from "./memory.js";
import { say } from "./stack.js";
import type { Size, State } from "./types.js";

export interface InitialOptions {
  readonly size: Size;
  readonly look: Look;
  readonly keymap: Keymap;
  /** What was wrong with the settings. */
  readonly problems: readonly string[];
  readonly readonly: boolean;
  /** `alias[/bucket[/prefix]]`; undefined to begin with the aliases. */
  readonly place?: string | undefined;
  readonly memory: Memory;
  readonly home: string;
  readonly directory: string;
}

/** The first state and what it asks for: the aliases below, the place on top. */
export function initialState(options: InitialOptions): Update {
  const { size, look, keymap, home, directory, memory } = options;
  const empty: State = {
    size,
    look: { theme: look.theme, ascii: look.ascii, colors: look.colors },
    keymap,
    readonly: options.readonly,
    pages: [signInPage(1)],
    jobs: [],
    nextId: 2,
    memory,
    local: { home, directory },
    guessed: [],
    log: [],
    questions: [],
    tick: 0,
  };
  const [alias, bucket, prefix] = splitRemote(options.place ?? memory.place ?? "");
  const [opened, effects] = openPlace(empty, alias, bucket, prefix);
  // What was not asked for by name must not be an error to begin with.
  const guessed = options.place === undefined ? opened.pages.slice(1).map(({ id }) => id) : [];
  const state: State = { ...opened, guessed };
  const problem = options.problems[0];
  return [
    problem === undefined ? state : say(state, "warning", problem),
    [{ type: "load-aliases", page: 1 }, ...effects],
  ];
}

function openPlace(state: State, alias: string, bucket: string, prefix: string): Update {
  if (alias === "") return [state, []];
  const [buckets, listing] = openBuckets(state, alias);
  if (bucket === "") return [buckets, listing];
  const [objects, effects] = openObjects(buckets, { alias, bucket, prefix });
  // The buckets are asked for when they are gone back to.
  return [objects, effects];
}
