/** Picking local files and directories for an upload. */
import { LOADING, START, putPage } from "../../state/stack.js";
import type { Update } from "../../state/actions.js";
import type { Cursor, JobSpec, Load, Place, State } from "../../state/types.js";

export interface LocalEntry {
  readonly name: string;
  readonly path: string;
  readonly directory: boolean;
  readonly size: number;
  readonly modified: number | undefined;
}

export interface PickerPage extends Cursor {
  readonly type: "picker";
  readonly id: number;
  /** Whether files or whole directories are picked. */
  readonly mode: "file" | "directory";
  readonly load: Load;
  readonly directory: string;
  readonly entries: readonly LocalEntry[];
  /** Absolute paths; they stay marked while walking about. */
  readonly marks: ReadonlyMap<string, LocalEntry>;
  readonly target: Place;
  readonly wanted?: string | undefined;
}

export type PickerEffect =
  | { readonly type: "read-directory"; readonly page: number; readonly directory: string }
  /** Finds out what an upload would replace. */
  | { readonly type: "check-upload"; readonly page: number; readonly spec: JobSpec };

export type PickerAction =
  | {
      readonly type: "directory";
      readonly page: number;
      readonly directory: string;
      readonly entries: readonly LocalEntry[];
    }
  | {
      readonly type: "upload-checked";
      readonly page: number;
      readonly spec: JobSpec;
      /** Keys that are there already. */
      readonly existing: readonly string[];
    };

/** A picker that begins in a directory. */
export function newPicker(
  id: number,
  mode: PickerPage["mode"],
  directory: string,
  target: Place,
): PickerPage {
  return {
    type: "picker",
    id,
    mode,
    load: LOADING,
    directory,
    entries: [],
    marks: new Map(),
    target,
    ...START,
  };
}

/** Shows another directory, with the cursor on the path one came from. */
export function enterDirectory(
  state: State,
  page: PickerPage,
  directory: string,
  wanted: string | undefined = page.directory,
): Update {
  return [
    putPage(state, { ...page, load: LOADING, wanted }),
    [
      { type: "stop", id: page.id },
      { type: "read-directory", page: page.id, directory },
    ],
  ];
}

/** What an upload takes: the marked entries, or the one under the cursor. */
export function picked(page: PickerPage): readonly LocalEntry[] {
  if (page.marks.size > 0) return [...page.marks.values()];
  const entry = page.entries[page.cursor];
  return entry !== undefined && pickable(page, entry) ? [entry] : [];
}

/** Whether an entry is of the kind that is being picked. */
export function pickable(page: PickerPage, entry: LocalEntry): boolean {
  return entry.name !== ".." && entry.directory === (page.mode === "directory");
}
