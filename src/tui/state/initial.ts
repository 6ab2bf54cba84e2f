/** Where the console starts. */
import { splitRemote } from "../../core/location.js";
import { formatCount } from "../../text/format.js";
import type { Keymap } from "../keymap.js";
import type { Look } from "../theme.js";
import type { Update } from "./actions.js";
import { openBuckets } from "../pages/buckets/state.js";
import { openObjects } from "../pages/objects/state.js";
import { signInPage } from "../pages/sign-in/state.js";
import { jobTitle } from "./jobs.js";
import type { Memory } from "./memory.js";
import { say } from "./stack.js";
import type { Job, JobSpec, Size, State } from "./types.js";

export interface InitialOptions {
  readonly size: Size;
  readonly look: Look;
  readonly keymap: Keymap;
  /** The problems that the settings had. */
  readonly problems: readonly string[];
  readonly readonly: boolean;
  /** `alias[/bucket[/prefix]]`; undefined to begin with the aliases. */
  readonly place?: string | undefined;
  readonly memory: Memory;
  /** The jobs that an earlier console did not end. */
  readonly left?: readonly JobSpec[] | undefined;
  readonly home: string;
  readonly directory: string;
}

/** The first state and what it asks for: the aliases below, the place on top. */
export function initialState(options: InitialOptions): Update {
  const { size, look, keymap, home, directory, memory, left = [] } = options;
  const jobs = left.map((spec, index): Job => {
    const title = jobTitle(spec);
    return { id: 2 + index, title, spec, status: "left", failures: [], finished: [] };
  });
  const empty: State = {
    size,
    look,
    keymap,
    readonly: options.readonly,
    pages: [signInPage(1)],
    jobs,
    nextId: 2 + jobs.length,
    memory,
    local: { home, directory },
    guessed: [],
    log: [],
    questions: [],
    tick: 0,
  };
  const [alias, bucket, prefix] = splitRemote(options.place ?? memory.place ?? "");
  const [opened, effects] = openPlace(empty, alias, bucket, prefix);
  // A place that was not asked for by name must not begin with an error.
  const guessed = options.place === undefined ? opened.pages.slice(1).map(({ id }) => id) : [];
  const state: State = { ...opened, guessed };
  const many = formatCount(left.length, "transfer");
  const unended = `${many} had not ended: t shows them, r goes on`;
  const problem = options.problems[0] ?? (left.length > 0 ? unended : undefined);
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
