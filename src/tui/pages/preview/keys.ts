/** Reading an object: its ends, searching, long lines. */
import { field, openForm } from "../../dialogs/form.js";
import { onPage, putPage } from "../../state/stack.js";
import type { Command } from "../page.js";
import { OUTSIDE } from "../outside.js";
import {
  type PreviewPage,
  fetchWindow,
  goToEnd,
  goToStart,
  lastWindow,
  searchOn,
} from "./state.js";

/** Cells a step to the side goes. */
const SIDE = 20;

const aside = (id: string, title: string, by: number): Command => ({
  id,
  title,
  run: onPage("preview", (state, page) => [
    putPage(state, { ...page, wrap: false, left: Math.max(0, page.left + by) }),
    [],
  ]),
});

const seek = (id: string, title: string, by: 1 | -1, short?: string): Command => ({
  id,
  title,
  short,
  run: onPage("preview", (state, page: PreviewPage) => searchOn(state, page, page.top + by, by)),
});

export const PREVIEW: readonly Command[] = [
  {
    id: "find-text",
    title: "Search the text",
    short: "search",
    run: onPage("preview", (state, { query }) =>
      openForm(state, {
        title: "Search",
        intro: "From here to the end of the object, whatever the case.",
        purpose: { type: "find-text" },
        fields: [field("text", "Text", query)],
        buttons: ["Search"],
      }),
    ),
  },
  seek("find-next", "Next row that holds it", 1, "next"),
  seek("find-previous", "Row before that holds it", -1),
  {
    id: "wrap",
    title: "Wrap long lines, or not",
    short: "wrap",
    run: onPage("preview", (state, page) => [
      putPage(state, { ...page, wrap: !page.wrap, left: 0, top: 0 }),
      [],
    ]),
  },
  {
    id: "follow",
    title: "Follow the end as it grows, or no more",
    short: "follow",
    run: onPage("preview", (state, page) => {
      const next = { ...page, follow: !page.follow };
      // The end is read anew; watching begins once it is there.
      return next.follow
        ? fetchWindow(state, { ...next, after: "end" }, lastWindow(page, page.size))
        : [putPage(state, next), [{ type: "stop", id: page.id }]];
    }),
  },
  ...OUTSIDE,
  aside("aside-right", "Further right", SIDE),
  aside("aside-left", "Further left", -SIDE),
  { id: "first", title: "To the beginning of the object", run: onPage("preview", goToStart) },
  { id: "last", title: "To the end of the object", short: "end", run: onPage("preview", goToEnd) },
];
