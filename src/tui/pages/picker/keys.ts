/** Walking about on the local side, and picking. */
import { visible } from "../../../text/sanitize.js";
import { field, openForm } from "../../dialogs/form.js";
import { startJob, startUpload } from "../../state/jobs.js";
import { addressOf, moveTo, onPage, pageOf, putPage } from "../../state/stack.js";
import type { JobSpec, State } from "../../state/types.js";
import { COPY_OR_MOVE, PASTE } from "../change.js";
import { SYNC } from "../sync/state.js";
import type { Command } from "../page.js";
import { picked, shown, targetOf } from "./state.js";

function unpickable(state: State): string | undefined {
  const page = pageOf(state, "picker");
  const entry = page?.entries[page.cursor];
  return entry === undefined || entry.name === ".." ? "nothing is selected" : undefined;
}

function unpicked(state: State): string | undefined {
  const page = pageOf(state, "picker");
  return page === undefined || picked(page).length === 0
    ? "pick something with Space first"
    : undefined;
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
      if (page !== undefined && targetOf(state, page) === undefined) {
        return "the other pane shows no bucket";
      }
      return unpicked(state);
    },
    run: onPage("picker", (state, page) => {
      const paths = picked(page).map(({ path }) => path);
      const target = targetOf(state, page);
      if (target === undefined) return [state, []];
      const spec: JobSpec = { type: "upload", paths, target };
      if (page.target !== undefined) return startUpload(state, spec);
      return startJob(putPage(state, { ...page, marks: new Map() }), spec);
    }),
  },
  ...COPY_OR_MOVE.map(([type, verb]): Command => ({
    id: type,
    title: `${verb} to a place in a bucket`,
    short: type,
    writes: true,
    disabled: unpicked,
    run: onPage("picker", (state, page) => {
      const chosen = picked(page);
      const what = chosen.length === 1 ? visible(chosen[0]!.name) : `${chosen.length} items`;
      const to = targetOf(state, page);
      return openForm(state, {
        title: `${verb} ${what}`,
        intro: "alias/bucket/prefix/",
        purpose: { type, paths: chosen.map(({ path }) => path) },
        fields: [field("target", "To", to === undefined ? "" : addressOf(to))],
        buttons: [verb],
      });
    }),
  })),
  PASTE,
  SYNC,
  {
    id: "edit-target",
    title: "Change where the upload goes",
    short: "target",
    bar: "Target prefix",
    disabled: (state) =>
      pageOf(state, "picker")?.target === undefined ? "it is the other pane" : undefined,
    run: onPage("picker", (state, page) =>
      openForm(state, {
        title: "Upload to",
        intro: "Keys begin with this; end it with / to upload into it.",
        purpose: { type: "target-prefix" },
        fields: [field("prefix", "Prefix", page.target?.prefix)],
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
    id: "hidden",
    title: "Show or hide names that begin with a dot",
    short: "hidden",
    run: onPage("picker", (state, page) => [
      moveTo(putPage(state, shown({ ...page, hidden: !page.hidden })), 0),
      [],
    ]),
  },
];
