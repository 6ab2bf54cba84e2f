/** The upload picker: the local side, and where the upload will go. */
import { formatSize } from "../../../text/format.js";
import { picked } from "../../commands/picker.js";
import { addressOf } from "../../state/pages.js";
import type { PickerPage, State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatTime } from "../../text/time.js";
import { status } from "../chrome.js";
import { span } from "../rows.js";
import { GUTTER, list } from "./list.js";
import type { PageView } from "./places.js";

/** Directories and files of a local directory, with those picked marked. */
export function pickerView(state: State, page: PickerPage): PageView {
  const room = state.size.columns - GUTTER - 1;
  const columns = [
    { title: "NAME", cells: room - 9 - 16 - 4 },
    { title: "SIZE", cells: 9, align: "right" as const },
    { title: "MODIFIED", cells: 16 },
  ];
  const body = list(state, page, {
    columns,
    count: page.entries.length,
    cells: (index) => {
      const entry = page.entries[index]!;
      const name = safe(entry.name);
      if (entry.directory) {
        return [
          span(`${name}/`, "prefix"),
          span(""),
          span(entry.name === ".." ? "" : formatTime(entry.modified), "dim"),
        ];
      }
      const style = page.mode === "file" ? undefined : "dim";
      return [
        span(name, style),
        span(formatSize(entry.size), "dim"),
        span(formatTime(entry.modified), "dim"),
      ];
    },
    marked: (index) => page.marks.has(page.entries[index]!.path),
    load: page.load,
    empty: ["Nothing here."],
  });
  const chosen = picked(page);
  const bytes = chosen.reduce((sum, { size }) => sum + size, 0);
  const what = page.mode === "file" ? "file" : "folder";
  const count = `${chosen.length} ${what}${chosen.length === 1 ? "" : "s"}`;
  return {
    body,
    status: status(
      state,
      [
        span(
          page.mode === "file" ? `${count}, ${formatSize(bytes)}` : count,
          chosen.length > 0 ? "mark" : "dim",
        ),
        span(`to ${safe(addressOf(page.target))}`, "accent"),
      ],
      [],
    ),
  };
}
