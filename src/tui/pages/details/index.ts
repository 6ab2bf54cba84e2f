/** The page of one object. */
import { closed } from "../../dialogs/change.js";
import { parsePairLines, refuse, valuesOf, wait } from "../../dialogs/form.js";
import { bodyHeight } from "../../layout.js";
import type { Update } from "../../state/actions.js";
import {
  LOADING,
  READY,
  changePage,
  closeDialog,
  keepVisible,
  pageOf,
  putPage,
  say,
} from "../../state/stack.js";
import type { FormDialog, State } from "../../state/types.js";
import { CHANGE } from "../change.js";
import { definePage } from "../page.js";
import { DETAILS } from "./keys.js";
import { type DetailsPage, detailRows, loadDetails, objectOf } from "./state.js";
import { DetailsView, detailsStatus } from "./view.js";

/** Rows above the content: the tabs, a blank line. */
const HEAD = 2;

const SHARED = new Set([
  "download",
  "preview",
  "remove",
  "copy",
  "move",
  "copy-menu",
  "show-outside",
  "edit-outside",
]);

export const details = definePage<DetailsPage>({
  type: "details",
  crumbs: ({ alias, bucket, key }) => [alias, bucket, key],
  commands: [...CHANGE.filter(({ id }) => SHARED.has(id)), ...DETAILS],
  bar: ["download", "preview", "remove", "edit", "expiry", "back"],
  footer: [
    "next-tab",
    "download",
    "preview",
    "edit",
    "restore",
    "expiry",
    "copy-menu",
    "remove",
    "back",
  ],
  count: (_state, page) => detailRows(page).length,
  height: ({ size }) => Math.max(1, bodyHeight(size) - HEAD),
  refresh: (state, page) => [state, loadDetails(page)],
  forms: { tags: save, metadata: save },
  menus: {
    share: (state, value) => {
      const page = pageOf(state, "details");
      if (page === undefined) return [state, []];
      const expiry = Number(value);
      return [
        putPage(state, { ...page, expiry, url: { load: LOADING } }),
        [{ type: "presign", page: page.id, object: objectOf(page), expiry }],
      ];
    },
  },
  answers: {
    part: (state, { page: id, part: { name, value } }) => [
      keepVisible(
        changePage(state, id, "details", (page) => ({ ...page, [name]: { load: READY, value } })),
      ),
      [],
    ],
    "part-failed": (state, { page: id, name, failure }) => [
      changePage(state, id, "details", (page) => ({
        ...page,
        [name]: { load: { type: "failed", failure } },
      })),
      [],
    ],
    saved: (state, { dialog, what }) => {
      const said = say(closed(state, dialog), "success", `Saved the ${what}`);
      const page = pageOf(said, "details");
      if (page === undefined) return [said, []];
      const object = objectOf(page);
      return [
        said,
        [
          { type: what === "tags" ? "load-tags" : "load-info", page: page.id, object },
          { type: "load-versions", page: page.id, object },
        ],
      ];
    },
  },
  body: DetailsView,
  status: detailsStatus,
});

function save(
  state: State,
  form: FormDialog,
  { type }: { readonly type: "tags" | "metadata" },
): Update {
  const page = pageOf(state, "details");
  if (page === undefined) return closeDialog(state);
  const values = valuesOf(form);
  const { pairs, problem } = parsePairLines(values["pairs"] ?? "");
  if (problem !== undefined) return refuse(state, form, problem);
  const object = objectOf(page);
  if (type === "tags") {
    return wait(state, form, { type: "save-tags", dialog: form.id, object, tags: pairs });
  }
  const contentType = values["contentType"] ?? "";
  const edited = { object, contentType, metadata: pairs };
  return wait(state, form, { type: "save-metadata", dialog: form.id, ...edited });
}
