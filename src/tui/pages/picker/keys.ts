/** Walking about on the local side, and picking. */
import { field, openForm } from "../../dialogs/form.js";
import { startUpload } from "../../state/jobs.js";
import { moveTo, onPage, openDialog, pageOf, putPage } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import type { Command } from "../page.js";
import { picked, shown } from "./state.js";

function unpickable(state: State): string | undefined {
  const page = pageOf(state, "picker");
  const entry = page?.entries[page.cursor];
  return entry === undefined || entry.name === ".." ? "nothing is selected" : undefined;
}

export const PICKER: readonly Command[] = [
  {
    id: "start-upload",
    title: "Start the upload",
    short: "start upload",
    bar: "Start upload",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "picker");
      return page !== undefined && picked(page).length > 0
        ? undefined
        : "pick something with Space first";
    },
    run: onPage("picker", (state, page) => {
      const paths = picked(page).map(({ path }) => path);
      return startUpload(state, { type: "upload", paths, target: page.target });
    }),
  },
  {
    id: "edit-target",
    title: "Change where the upload goes",
    short: "target",
    bar: "Target prefix",
    run: onPage("picker", (state, page) =>
      openForm(state, {
        title: "Upload to",
        intro: "Keys begin with this; end it with / to upload into it.",
        purpose: { type: "target-prefix" },
        fields: [field("prefix", "Prefix", page.target.prefix)],
        buttons: ["Set"],
      }),
    ),
  },
  {
    id: "mark",
    title: "Pick or unpick",
    short: "pick",
    bar: "Pick",
    disabled: unpickable,
    run: onPage("picker", (state, page) => {
      const entry = page.entries[page.cursor];
      if (entry === undefined) return [state, []];
      const marks = new Map(page.marks);
      if (!marks.delete(entry.path)) marks.set(entry.path, entry);
      return [moveTo(putPage(state, { ...page, marks }), page.cursor + 1), []];
    }),
  },
  {
    id: "mark-all",
    title: "Pick everything here",
    run: onPage("picker", (state, page) => {
      const here = page.entries.filter(({ name }) => name !== "..");
      const all = here.every(({ path }) => page.marks.has(path));
      const marks = new Map(page.marks);
      for (const entry of here) {
        if (all) marks.delete(entry.path);
        else marks.set(entry.path, entry);
      }
      return [putPage(state, { ...page, marks }), []];
    }),
  },
  {
    id: "filter",
    title: "Filter the names",
    short: "filter",
    run: onPage("picker", (state, { filter }) =>
      openDialog(state, (id) => ({ type: "filter", id, text: filter, caret: filter.length })),
    ),
  },
  {
    id: "hidden",
    title: "Show or hide names that begin with a dot",
    short: "hidden",
    run: onPage("picker", (state, page) => [
      moveTo(putPage(state, shown({ ...page, hidden: !page.hidden })), 0),
      [],
    ]),
  },
  {
    id: "go-to",
    title: "Go to a directory by its path",
    run: onPage("picker", (state, page) =>
      openForm(state, {
        title: "Go to",
        intro: "A directory of this machine; ~ is yours.",
        purpose: { type: "directory-path" },
        fields: [field("path", "Path", page.directory)],
        buttons: ["Go"],
      }),
    ),
  },
];
