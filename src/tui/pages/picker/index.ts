/** The page on which an upload is put together. */
import { confirmReplace } from "../../dialogs/confirm.js";
import { valuesOf } from "../../dialogs/form.js";
import { place } from "../../layout.js";
import { READY, changePage, closeDialog, pageOf, putPage } from "../../state/stack.js";
import { startUpload } from "../../state/jobs.js";
import { currentPage, definePage, heightOf } from "../page.js";
import { PICKER } from "./keys.js";
import { type PickerPage, enterDirectory } from "./state.js";
import { PickerView, pickerStatus } from "./view.js";

export const picker = definePage<PickerPage>({
  type: "picker",
  crumbs: ({ mode, directory }) => [mode === "file" ? "Upload files" : "Upload folders", directory],
  commands: PICKER,
  bar: ["start-upload", "edit-target", "mark", "back", "refresh"],
  footer: ["open", "mark", "start-upload", "edit-target", "back"],
  count: (_state, { entries }) => entries.length,
  open: (state, page) => {
    const entry = page.entries[page.cursor];
    return entry?.directory ? enterDirectory(state, page, entry.path) : [state, []];
  },
  parent: (state, page) => {
    const up = page.entries.find(({ name }) => name === "..");
    return up === undefined ? [state, []] : enterDirectory(state, page, up.path);
  },
  refresh: (state, page) =>
    enterDirectory(state, page, page.directory, page.entries[page.cursor]?.path),
  back: (state, page) =>
    page.marks.size > 0 ? [putPage(state, { ...page, marks: new Map() }), []] : undefined,
  forms: {
    "target-prefix": (state, form) => {
      const page = pageOf(state, "picker");
      const [closed] = closeDialog(state);
      if (page === undefined) return [closed, []];
      const target = { ...page.target, prefix: valuesOf(form)["prefix"] ?? "" };
      return [putPage(closed, { ...page, target }), []];
    },
  },
  answers: {
    directory: (state, { page: id, directory, entries }) => [
      changePage(state, id, "picker", (page) => {
        const came = entries.findIndex(({ path, name }) => path === page.wanted && name !== "..");
        // The parent is the first row; the cursor begins below it.
        const first = came >= 0 ? came : entries.findIndex(({ name }) => name !== "..");
        const at = place({ cursor: 0, top: 0 }, first, entries.length, heightOf(state, page));
        return { ...page, load: READY, directory, entries, wanted: undefined, ...at };
      }),
      [],
    ],
    "upload-checked": (state, { page, spec, existing }) => {
      if (currentPage(state).id !== page) return [state, []];
      return existing.length > 0 ? confirmReplace(state, spec, existing) : startUpload(state, spec);
    },
  },
  body: PickerView,
  status: pickerStatus,
});
