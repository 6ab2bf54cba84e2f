/** What can be done on a bucket page besides changing what is chosen there. */
import { visible } from "../../text/sanitize.js";
import { field, openForm } from "../state/form.js";
import { markRange, toggleMark } from "../state/listing.js";
import { addressOf, openDialog, openPage, placeOf, putPage } from "../state/pages.js";
import { moveTo } from "../state/scroll.js";
import { needsSubject } from "../state/subject.js";
import type { Update } from "../state/actions.js";
import type { ObjectsPage, State } from "../state/types.js";
import { onPage } from "./on-page.js";
import type { Command } from "./types.js";

const SCOPE = ["objects"] as const;

export const OBJECTS: readonly Command[] = [
  {
    id: "new-directory",
    title: "New directory here",
    short: "directory",
    bar: "New directory",
    barShort: "New dir",
    scopes: SCOPE,
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
    scopes: SCOPE,
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
    scopes: SCOPE,
    writes: true,
    run: onPage("objects", (state, page) => openPicker(state, page, "file")),
  },
  {
    id: "upload-folder",
    title: "Upload folders",
    bar: "Upload folder",
    barShort: "Folder",
    scopes: SCOPE,
    writes: true,
    run: onPage("objects", (state, page) => openPicker(state, page, "directory")),
  },
  {
    id: "mark",
    title: "Mark or unmark the row",
    short: "mark",
    scopes: SCOPE,
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      moveTo(putPage(state, toggleMark(page)), page.cursor + 1),
      [],
    ]),
  },
  {
    id: "mark-range",
    title: "Begin or end a range of marks",
    scopes: SCOPE,
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
    scopes: SCOPE,
    disabled: needsSubject,
    run: onPage("objects", (state, page) => {
      const all = page.rows.every(({ key }) => page.marks.has(key));
      return [
        putPage(state, { ...page, marks: new Set(all ? [] : page.rows.map(({ key }) => key)) }),
        [],
      ];
    }),
  },
  {
    id: "filter",
    title: "Filter the loaded rows",
    short: "filter",
    scopes: SCOPE,
    run: onPage("objects", (state, page) =>
      openDialog(state, (id) => ({
        type: "filter",
        id,
        text: page.filter,
        caret: page.filter.length,
        before: page.filter,
      })),
    ),
  },
  {
    id: "search",
    title: "Find keys by how they begin, on the server",
    short: "find",
    scopes: SCOPE,
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
    scopes: SCOPE,
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
  const id = state.nextId;
  return openPage(
    state,
    {
      type: "picker",
      id,
      mode,
      load: { type: "loading" },
      directory: state.local.directory,
      entries: [],
      marks: new Map(),
      target: placeOf(page),
      cursor: 0,
      top: 0,
    },
    { type: "read-directory", page: id, directory: state.local.directory },
  );
}
