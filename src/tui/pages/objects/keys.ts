/** What can be done on a bucket page besides changing what is chosen there. */
import { visible } from "../../../text/sanitize.js";
import { field, openForm } from "../../dialogs/form.js";
import { rowCount } from "../../list/view.js";
import type { Update } from "../../state/actions.js";
import {
  addressOf,
  moveTo,
  onPage,
  openDialog,
  placeOf,
  push,
  putPage,
} from "../../state/stack.js";
import { needsSubject } from "../../state/subject.js";
import type { State } from "../../state/types.js";
import type { Command } from "../page.js";
import { newPicker } from "../picker/state.js";
import { arrangement, markRange, toggleAll, toggleMark } from "./listing.js";
import type { ObjectsPage } from "./state.js";

export const OBJECTS: readonly Command[] = [
  {
    id: "new-directory",
    title: "New directory here",
    short: "directory",
    bar: "New directory",
    barShort: "New dir",
    writes: true,
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "New directory",
        intro: `In ${visible(addressOf(page))}`,
        purpose: { type: "directory", place: placeOf(page) },
        fields: [field("name", "Name", "", { note: "an empty object whose key ends in /" })],
        buttons: ["Create"],
      }),
    ),
  },
  {
    id: "new-file",
    title: "New file here",
    short: "file",
    bar: "New file",
    writes: true,
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "New file",
        intro: `In ${visible(addressOf(page))}`,
        purpose: { type: "file", place: placeOf(page) },
        fields: [field("name", "Name"), field("text", "Content", "", { kind: "lines" })],
        buttons: ["Create"],
      }),
    ),
  },
  {
    id: "upload-file",
    title: "Upload files",
    short: "upload",
    bar: "Upload file",
    barShort: "Upload",
    writes: true,
    run: onPage("objects", (state, page) => openPicker(state, page, "file")),
  },
  {
    id: "upload-folder",
    title: "Upload folders",
    bar: "Upload folder",
    barShort: "Folder",
    writes: true,
    run: onPage("objects", (state, page) => openPicker(state, page, "directory")),
  },
  {
    id: "mark",
    title: "Mark or unmark the row",
    short: "mark",
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      moveTo(putPage(state, toggleMark(page)), page.cursor + 1),
      [],
    ]),
  },
  {
    id: "mark-range",
    title: "Begin or end a range of marks",
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      putPage(
        state,
        page.anchor === undefined ? { ...page, anchor: page.cursor } : markRange(page),
      ),
      [],
    ]),
  },
  {
    id: "mark-all",
    title: "Mark every loaded row",
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      putPage(state, rowCount(page.view) === 0 ? page : toggleAll(page)),
      [],
    ]),
  },
  {
    id: "filter",
    title: "Filter the loaded rows",
    short: "filter",
    run: onPage("objects", (state, page) =>
      openDialog(state, (id) => {
        const { filter } = arrangement(page);
        return { type: "filter", id, text: filter, caret: filter.length };
      }),
    ),
  },
  {
    id: "search",
    title: "Find keys by how they begin, on the server",
    short: "find",
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "Find keys that begin with",
        intro: "Asked of the server, so that nothing need be loaded. Empty lists all.",
        purpose: { type: "search", place: placeOf(page) },
        fields: [field("search", visible(page.prefix) || "Key", page.search)],
        buttons: ["Find"],
      }),
    ),
  },
  {
    id: "sort",
    title: "Sort",
    short: "sort",
    run: (state) =>
      openDialog(state, (id) => ({
        type: "menu",
        id,
        title: "Sort by",
        purpose: "sort",
        cursor: 0,
        items: SORTS,
      })),
  },
];

const SORTS = [
  { key: "n", label: "Name, A first", value: "name" },
  { key: "N", label: "Name, Z first", value: "name-" },
  { key: "s", label: "Size, largest first", value: "size-" },
  { key: "S", label: "Size, smallest first", value: "size" },
  { key: "m", label: "Modified, newest first", value: "modified-" },
  { key: "M", label: "Modified, oldest first", value: "modified" },
  { key: "c", label: "Storage class", value: "class" },
] as const;

function openPicker(state: State, page: ObjectsPage, mode: "file" | "directory"): Update {
  const { directory } = state.local;
  const picker = newPicker(state.nextId, mode, directory, placeOf(page));
  return push(state, picker, { type: "read-directory", page: picker.id, directory });
}
