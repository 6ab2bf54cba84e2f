/** The page of an object's content. */
import { bodyHeight } from "../../layout.js";
import { valuesOf } from "../../dialogs/form.js";
import { READY, changePage, closeDialog, pageOf, pageWith } from "../../state/stack.js";
import { definePage } from "../page.js";
import { PREVIEW } from "./keys.js";
import {
  type PreviewPage,
  fetchWindow,
  lastWindow,
  previewCount,
  scrollPreview,
  searchOn,
} from "./state.js";
import { PreviewView, previewStatus } from "./view.js";

export const preview = definePage<PreviewPage>({
  type: "preview",
  crumbs: ({ alias, bucket, key }) => [alias, bucket, key],
  commands: PREVIEW,
  bar: ["back"],
  footer: ["find-text", "find-next", "wrap", "last", "follow", "show-outside", "back"],
  move: (state, page, to) => scrollPreview(state, page, to, bodyHeight(state.size)),
  // A picture is made for the cells there are.
  resized: (state, page) =>
    page.content?.type === "image" ? fetchWindow(state, page, 0) : [state, []],
  forms: {
    "find-text": (state, form) => {
      const [closed] = closeDialog(state);
      const page = pageOf(closed, "preview");
      const query = valuesOf(form)["text"] ?? "";
      return page === undefined ? [closed, []] : searchOn(closed, { ...page, query }, page.top, 1);
    },
  },
  answers: {
    grown: (state, { page: id, size }) => {
      const page = pageWith(state, id);
      if (page?.type !== "preview" || page.follow !== true) return [state, []];
      return fetchWindow(state, { ...page, size, after: "end" }, lastWindow(page, size));
    },
    edited: (state, { object }) => {
      const page = pageOf(state, "preview");
      return page?.key === object.key ? fetchWindow(state, page, 0) : [state, []];
    },
    previewed: (state, { page: id, size, etag, offset, content }) => {
      const shown = changePage(state, id, "preview", (page) => {
        // A table that wraps is none.
        const wrap = page.wrap && !(content.type === "text" && content.columns !== undefined);
        const next = {
          ...page,
          load: READY,
          size,
          offset,
          content,
          top: 0,
          after: undefined,
          wrap,
        };
        const count = previewCount(next, state.size.columns);
        const end = Math.max(0, count - bodyHeight(state.size));
        return page.after === "end" ? { ...next, top: end } : next;
      });
      const before = pageWith(state, id);
      const page = pageOf(shown, "preview");
      const searching = before?.type === "preview" && before.after === "search";
      if (searching && page?.id === id) return searchOn(shown, page, 0, 1);
      if (before?.type !== "preview" || before.follow !== true) return [shown, []];
      const { alias, bucket, key } = before;
      return [shown, [{ type: "watch", page: id, object: { alias, bucket, key }, etag }]];
    },
  },
  body: PreviewView,
  status: previewStatus,
});
