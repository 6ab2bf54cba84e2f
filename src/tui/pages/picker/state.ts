/** Picking local files and directories for an upload. */
import { isPath, splitRemote } from "../../../core/location.js";
import { passing } from "../../list/match.js";
import { placeBeside } from "../../state/panes.js";
import { LOADING, START, putPage } from "../../state/stack.js";
import type { Update } from "../../state/actions.js";
import type { Scroll, Load, PrefixRef, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    picker: PickerPage;
  }
  interface PageEffects {
    picker: PickerEffect;
  }
  interface PageActions {
    picker: PickerAction;
  }
}

export interface LocalEntry {
  readonly name: string;
  readonly path: string;
  readonly directory: boolean;
  readonly size: number;
  readonly modified: number | undefined;
}

export interface PickerPage extends Scroll {
  readonly type: "picker";
  readonly id: number;
  /** Whether names that begin with a dot are shown. */
  readonly hidden: boolean;
  readonly load: Load;
  readonly directory: string;
  /** All of the directory, and those that are shown. */
  readonly all: readonly LocalEntry[];
  readonly entries: readonly LocalEntry[];
  readonly filter: string;
  /** Absolute paths; they stay marked while walking about. */
  readonly marks: ReadonlyMap<string, LocalEntry>;
  /** Where an upload goes; undefined for the other pane. */
  readonly target?: PrefixRef | undefined;
  readonly wanted?: string | undefined;
}

export type PickerEffect = {
  readonly type: "read-directory";
  readonly page: number;
  readonly directory: string;
};

export type PickerAction = {
  readonly type: "directory";
  readonly page: number;
  readonly directory: string;
  readonly entries: readonly LocalEntry[];
};

/** A picker that begins in a directory; without a target, a pane of files. */
export function newPicker(id: number, directory: string, target?: PrefixRef): PickerPage {
  return {
    type: "picker",
    id,
    hidden: false,
    load: LOADING,
    directory,
    all: [],
    entries: [],
    filter: "",
    marks: new Map(),
    target,
    ...START,
  };
}

/** The page with the entries that its filter and its switch for hidden ones leave. */
export function shown(page: PickerPage): PickerPage {
  const passes = passing(page.filter);
  const entries = page.all.filter(
    ({ name }) => name === ".." || ((page.hidden || !name.startsWith(".")) && passes(name)),
  );
  return { ...page, entries };
}

/** Shows another directory, with the cursor on the path one came from. */
export function enterDirectory(
  state: State,
  page: PickerPage,
  directory: string,
  wanted: string | undefined = page.directory,
): Update {
  return [
    putPage(state, { ...page, load: LOADING, filter: "", wanted }),
    [
      { type: "stop", id: page.id },
      { type: "read-directory", page: page.id, directory },
    ],
  ];
}

/** The place in a bucket where an upload goes; undefined where the other pane shows none. */
export function targetOf(state: State, page: PickerPage): PrefixRef | undefined {
  const beside = page.target === undefined ? placeBeside(state) : undefined;
  if (beside === undefined || isPath(beside)) return page.target;
  const [alias, bucket, prefix] = splitRemote(beside);
  return { alias, bucket, prefix };
}

/**
 * The entries that an upload takes: the marked ones, or the file under the cursor. A directory must
 * be marked: it may be large, and the cursor is on one by chance.
 */
export function picked(page: PickerPage): readonly LocalEntry[] {
  if (page.marks.size > 0) return [...page.marks.values()];
  const entry = page.entries[page.cursor];
  return entry === undefined || entry.directory ? [] : [entry];
}
