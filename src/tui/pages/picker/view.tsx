import type { ReactNode } from "react";

import { formatCount, formatSize } from "../../../text/format.js";
import { addressOf } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatTime } from "../../text/time.js";
import { List, NARROW } from "../../view/list.js";
import { span } from "../../view/rows.js";
import type { Status } from "../page.js";
import { type PickerPage, picked, targetOf } from "./state.js";

/** Directories and files of a local directory, with those picked marked. */
export function PickerView({ state, page }: { state: State; page: PickerPage }): ReactNode {
  return (
    <List
      state={state}
      at={page}
      columns={(room) => [
        { title: "NAME", cells: room - 9 - 2 - (room < NARROW ? 0 : 18) },
        { title: "SIZE", cells: 9, align: "right" },
        ...(room < NARROW ? [] : [{ title: "MODIFIED", cells: 16 }]),
      ]}
      count={page.entries.length}
      cells={(index) => cells(page, index)}
      marked={(index) => page.marks.has(page.entries[index]!.path)}
      filter={page.filter}
      load={page.load}
      empty={[page.filter === "" ? "Nothing here." : "No name fits the filter."]}
    />
  );
}

function cells(page: PickerPage, index: number) {
  const entry = page.entries[index]!;
  const name = safe(entry.name);
  const modified = span(entry.name === ".." ? "" : formatTime(entry.modified), "dim");
  if (entry.directory) return [span(`${name}/`, "prefix"), span(""), modified];
  return [span(name), span(formatSize(entry.size), "dim"), modified];
}

/** The picked entries, and the place where they will go. */
export function pickerStatus(state: State, page: PickerPage): Status {
  const target = targetOf(state, page);
  const chosen = picked(page);
  const bytes = chosen.reduce((sum, { size, directory }) => sum + (directory ? 0 : size), 0);
  const folders = chosen.filter(({ directory }) => directory).length;
  const files = chosen.length - folders;
  const what = [
    ...(files > 0 || folders === 0 ? [`${formatCount(files, "file")}, ${formatSize(bytes)}`] : []),
    ...(folders > 0 ? [formatCount(folders, "folder")] : []),
  ].join(" and ");
  return {
    left: [
      span(what, chosen.length > 0 ? "mark" : "dim"),
      target === undefined ? undefined : span(`to ${safe(addressOf(target))}`, "accent"),
      page.filter === "" ? undefined : span(`filter "${safe(page.filter)}"`, "accent"),
    ],
    right: [],
  };
}
