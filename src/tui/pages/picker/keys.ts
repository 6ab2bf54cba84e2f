/** Walking about on the local side, and picking. */
import { field, openForm } from "../../dialogs/form.js";
import { moveTo, onPage, pageOf, putPage } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import type { Command } from "../page.js";
import { pickable, picked } from "./state.js";

function unpickable(state: State): string | undefined {
  const page = pageOf(state, "picker");
  const entry = page?.entries[page.cursor];
  if (page === undefined || entry === undefined) return "nothing is selected";
  if (pickable(page, entry)) return undefined;
  return page.mode === "file" ? "only files are picked here" : "only directories are picked here";
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
      return page !== undefined && picked(page).length > 0 ? undefined : "nothing is picked";
    },
    run: onPage("picker", (state, page) => {
      const paths = picked(page).map(({ path }) => path);
      return [
        { ...state, notice: { tone: "info", text: "looking at what is there already" } },
        [
          {
            type: "check-upload",
            page: page.id,
            spec: { type: "upload", paths, target: page.target },
          },
        ],
      ];
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
      const here = page.entries.filter((entry) => pickable(page, entry));
      const all = here.every(({ path }) => page.marks.has(path));
      const marks = new Map(page.marks);
      for (const entry of here) {
        if (all) marks.delete(entry.path);
        else marks.set(entry.path, entry);
      }
      return [putPage(state, { ...page, marks }), []];
    }),
  },
];
