/** The page of an alias: its buckets. */
import { refuse, valuesOf, wait } from "../../dialogs/form.js";
import { closed } from "../../dialogs/change.js";
import { type Update, also } from "../../state/actions.js";
import { startJob } from "../../state/jobs.js";
import { LOADING, READY, changePage, leave, putPage, remember, say } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { openObjects } from "../objects/state.js";
import { currentPage, definePage, heightOf } from "../page.js";
import { BUCKETS } from "./keys.js";
import { type BucketsAction, type BucketsPage, shown } from "./state.js";
import { BucketsView, bucketsStatus } from "./view.js";

export const buckets = definePage<BucketsPage>({
  type: "buckets",
  crumbs: ({ alias }) => [alias, "Buckets"],
  commands: BUCKETS,
  bar: ["new-bucket", "open-bucket", "remove-bucket", "refresh", "aliases"],
  footer: [
    "open",
    "filter",
    "new-bucket",
    "open-bucket",
    "remove-bucket",
    "aliases",
    "transfers",
    "back",
  ],
  count: (_state, { buckets }) => buckets.length,
  open: (state, page) => {
    const bucket = page.buckets[page.cursor];
    if (bucket === undefined) return [state, []];
    return openObjects(state, { alias: page.alias, bucket: bucket.name, prefix: "" });
  },
  parent: (state) => leave(state),
  filter: {
    text: ({ filter }) => filter,
    set: filtered,
  },
  back: (state, page) => (page.filter === "" ? undefined : filtered(state, page, "")),
  refresh: (state, page) => [
    putPage(state, { ...page, load: LOADING }),
    [{ type: "stop", id: page.id }, list(page)],
  ],
  resume: (state, page) =>
    also([state, [list(page)]], (next) => remember(next, { place: page.alias })),
  forms: {
    bucket: (state, form, { alias }) => {
      const { name = "", versioning } = valuesOf(form);
      if (name === "") return refuse(state, form, "a bucket needs a name");
      return wait(state, form, {
        type: "make-bucket",
        dialog: form.id,
        alias,
        bucket: name,
        versioning: versioning === "on",
      });
    },
    "open-bucket": (state, form, { alias }) => {
      const { name = "" } = valuesOf(form);
      if (name === "") return refuse(state, form, "which bucket?");
      return openObjects(state, { alias, bucket: name, prefix: "" });
    },
  },
  confirms: {
    "remove-bucket": (state, { alias, bucket }, { id, count }) =>
      (count?.objects ?? 0) > 0
        ? startJob(state, { type: "empty-bucket", alias, bucket })
        : [state, [{ type: "remove-bucket", dialog: id, alias, bucket }]],
  },
  answers: {
    buckets: (state, action) => [
      changePage(state, action.page, "buckets", (page) => {
        const listed = shown({ ...page, load: READY, all: action.buckets }, heightOf(state, page));
        return { ...listed, wanted: undefined };
      }),
      [],
    ],
    "bucket-made": changed,
    "bucket-removed": changed,
  },
  pane: true,
  body: BucketsView,
  status: bucketsStatus,
});

function list({ id, alias }: BucketsPage) {
  return { type: "list-buckets", page: id, alias } as const;
}

function changed(
  state: State,
  action: Extract<BucketsAction, { type: "bucket-made" | "bucket-removed" }>,
): Update {
  const verb = action.type === "bucket-made" ? "Created" : "Removed";
  const said = say(closed(state, action.dialog), "success", `${verb} ${action.bucket}`);
  const page = currentPage(said);
  if (page.type !== "buckets") return [said, []];
  const wanted = action.type === "bucket-made" ? action.bucket : undefined;
  return [putPage(said, { ...page, wanted }), [list(page)]];
}

function filtered(state: State, page: BucketsPage, filter: string): Update {
  return [putPage(state, shown({ ...page, filter }, heightOf(state, page))), []];
}
