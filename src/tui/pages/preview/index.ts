/** The page of an object's content. */
import { bodyHeight } from "../../layout.js";
import { READY, changePage } from "../../state/stack.js";
import { definePage } from "../page.js";
import { type PreviewPage, fetchWindow, scrollPreview } from "./state.js";
import { PreviewView, previewStatus } from "./view.js";

export const preview = definePage<PreviewPage>({
  type: "preview",
  crumbs: ({ alias, bucket, key }) => [alias, bucket, key],
  commands: [],
  bar: ["back"],
  footer: ["down", "page-down", "back"],
  move: (state, page, to) => scrollPreview(state, page, to, bodyHeight(state.size)),
  // A picture is made for the cells there are.
  resized: (state, page) =>
    page.content?.type === "image" ? fetchWindow(state, page, 0) : [state, []],
  answers: {
    previewed: (state, { page: id, size, offset, content }) => [
      changePage(state, id, "preview", (page) => ({
        ...page,
        load: READY,
        size,
        offset,
        content,
        top: 0,
      })),
      [],
    ],
  },
  body: PreviewView,
  status: previewStatus,
});
