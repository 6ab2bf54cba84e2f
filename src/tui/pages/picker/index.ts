/** The page on which an upload is put together. */
import { valuesOf } from "../../dialogs/form.js";
import { place } from "../../layout.js";
import {
  LOADING,
  READY,
  changePage,
  closeDialog,
  moveTo,
  pageOf,
  putPage,
} from "../../state/stack.js";
import { definePage, heightOf } from "../page.js";
import { PICKER } from "./keys.js";
import { type PickerPage, enterDirectory, shown } from "./state.js";
import { PickerView, pickerStatus } from "./view.js";

export const picker = definePage<PickerPage>({
  type: "picker",
  crumbs: ({ directory, target }) => [target === undefined ? "Files" : "Upload", directory],
  commands: PICKER,
  bar: ["start-upload", "edit-target", "mark", "back", "refresh"],
  footer: ["open", "mark", "start-upload", "edit-target", "filter", "hidden", "back"],
  count: (_state, { entries }) => entries.length,
  open: (state, page) => {
    const entry = page.entries[page.cursor];
    if (entry?.directory) return enterDirectory(state, page, entry.path);
    if (entry === undefined) return [state, []];
    // Enter on a file picks it.
    const marks = new Map(page.marks);
    if (!marks.delete(entry.path)) marks.set(entry.path, entry);
    return [moveTo(putPage(state, { ...page, marks }), page.cursor + 1), []];
  },
  parent: (state, page) => {
    const up = page.entries.find(({ name }) => name === "..");
    return up === undefined ? [state, []] : enterDirectory(state, page, up.path);
  },
  refresh: (state, page) => [
    putPage(state, { ...page, load: LOADING, wanted: page.entries[page.cursor]?.path }),
    [{ type: "read-directory", page: page.id, directory: page.directory }],
  ],
  filter: {
    text: ({ filter }) => filter,
    set: (state, page, filter) => [moveTo(putPage(state, shown({ ...page, filter })), 0), []],
  },
  back: (state, page) =>
    page.marks.size > 0 ? [putPage(state, { ...page, marks: new Map() }), []] : undefined,
  forms: {
    "target-prefix": (state, form) => {
      const page = pageOf(state, "picker");
      const [closed] = closeDialog(state);
      if (page?.target === undefined) return [closed, []];
      const target = { ...page.target, prefix: valuesOf(form)["prefix"] ?? "" };
      return [putPage(closed, { ...page, target }), []];
    },
  },
  answers: {
    directory: (state, { page: id, directory, entries }) => [
      changePage(state, id, "picker", (old) => {
        const page = shown({ ...old, load: READY, directory, all: entries, wanted: undefined });
        const came = page.entries.findIndex(
          ({ path, name }) => path === old.wanted && name !== "..",
        );
        // The parent is the first row; the cursor begins below it.
        const first = came >= 0 ? came : page.entries.findIndex(({ name }) => name !== "..");
        const count = page.entries.length;
        return { ...page, ...place({ cursor: 0, top: 0 }, first, count, heightOf(state, page)) };
      }),
      [],
    ],
  },
  pane: true,
  body: PickerView,
  status: pickerStatus,
});
