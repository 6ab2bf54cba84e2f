/** The page of an object's content. */
import { bodyHeight } from "../../layout.js";
import { valuesOf } from "../../dialogs/form.js";
import { READY, changePage, closeDialog, pageOf } from "../../state/stack.js";
import { definePage } from "../page.js";
import { PREVIEW } from "./keys.js";
import { type PreviewPage, fetchWindow, previewCount, scrollPreview, searchOn } from "./state.js";
import { PreviewView, previewStatus } from "./view.js";

export const preview = definePage<PreviewPage>({
  type: "preview",
  crumbs: ({ alias, bucket, key }) => [alias, bucket, key],
  commands: PREVIEW,
  bar: ["back"],
  footer: ["find-text", "find-next", "wrap", "last", "back"],
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
    previewed: (state, { page: id, size, offset, content }) => {
      const shown = changePage(state, id, "preview", (page) => {
        const next = { ...page, load: READY, size, offset, content, top: 0, after: undefined };
        const count = previewCount(next, state.size.columns);
        const end = Math.max(0, count - bodyHeight(state.size));
        return page.after === "end" ? { ...next, top: end } : next;
      });
      const before = state.pages.find((page) => page.id === id);
      const page = pageOf(shown, "preview");
      const searching = before?.type === "preview" && before.after === "search";
      return searching && page?.id === id ? searchOn(shown, page, 0, 1) : [shown, []];
    },
  },
  body: PreviewView,
  status: previewStatus,
});
