/** The page of a sync that is looked at before it is done: a line for each thing it would do. */
import { formatCount, formatNumber, formatSize } from "../../../text/format.js";
import { visible } from "../../../text/sanitize.js";
import type { Change } from "../../../core/sync/summary.js";
import { refuse, valuesOf } from "../../dialogs/form.js";
import { isPath, splitRemote } from "../../../core/location.js";
import {
  LOADING,
  READY,
  atHome,
  changePage,
  closeDialog,
  onPage,
  openDialog,
  pageOf,
  putPage,
} from "../../state/stack.js";
import { safe } from "../../text/cells.js";
import { List } from "../../view/list.js";
import { span } from "../../view/rows.js";
import { type Command, definePage } from "../page.js";
import { KEEPS, type SyncPage, openSync } from "./state.js";

const MARKS = {
  new: ["+", "success"],
  changed: ["~", "warning"],
  gone: ["-", "error"],
} as const;

const KEYS: readonly Command[] = [
  {
    id: "start-sync",
    title: "Do what is listed",
    short: "do it",
    bar: "Do it",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "sync");
      if (page?.load.type === "loading") return "it is still comparing";
      if (page?.plan === undefined) return "it cannot be done";
      return page.items.length === 0 ? "both are the same" : undefined;
    },
    run: onPage("sync", (state, page) => {
      const { from, to, remove, plan, total } = page;
      if (plan === undefined || total === undefined) return [state, []];
      const { gone } = total;
      const count = { objects: gone.items, bytes: gone.bytes, done: true };
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: `Make ${visible(to)} like ${visible(from)}?`,
        lines: counts(page),
        name: to,
        ...(gone.items > 0 ? { count } : {}),
        typed: "",
        accept: "Do it",
        danger: gone.items > 0,
        focus: gone.items > 0 ? "cancel" : "accept",
        purpose: { type: "run", spec: { type: "sync", from, to, remove, plan } },
      }));
    }),
  },
];

export const sync = definePage<SyncPage>({
  type: "sync",
  crumbs: ({ from, to }) => ["Sync", from, to],
  commands: KEYS,
  bar: ["start-sync", "refresh", "back"],
  footer: ["start-sync", "refresh", "back"],
  count: (_state, { items }) => items.length,
  busy: (_state, { load }) => load.type === "loading",
  refresh: (state, page) => {
    const { id, from, to, remove } = page;
    return [
      putPage(state, { ...page, load: LOADING, items: [], plan: undefined, total: undefined }),
      [
        { type: "stop", id },
        { type: "plan-sync", page: id, from, to, remove },
      ],
    ];
  },
  forms: {
    sync: (state, form, { from }) => {
      const { to: typed = "", extra } = valuesOf(form);
      const to = isPath(typed) ? atHome(state, typed) : typed;
      const named = isPath(to) || splitRemote(to)[1] !== "";
      if (!named) return refuse(state, form, "write it as alias/bucket/prefix/ or /path", "to");
      return openSync(closeDialog(state)[0], { from, to, remove: extra === KEEPS[1] });
    },
  },
  answers: {
    "sync-planned": (state, { page: id, items, total, plan, failure }) => [
      changePage(state, id, "sync", (page) => {
        const load = total === undefined ? page.load : READY;
        return { ...page, items, total, plan, failure, load };
      }),
      [],
    ],
  },
  body: ({ state, page }) => (
    <List
      state={state}
      at={page}
      columns={(room) => [
        { title: "", cells: 1 },
        { title: "NAME", cells: room - 24 },
        { title: "SIZE", cells: 9, align: "right" },
        { title: "WHY", cells: 8 },
      ]}
      count={page.items.length}
      cells={(index) => {
        const { name, reason, source, target } = page.items[index]!;
        const [mark, style] = MARKS[changeOf(reason)];
        const size = (source ?? target)?.size;
        return [
          span(mark, style),
          span(safe(name)),
          span(size === undefined ? "" : formatSize(size), "dim"),
          span(reason, "dim"),
        ];
      }}
      load={page.load}
      empty={["Both are the same: there is nothing to do."]}
    />
  ),
  status: (_state, page) => ({
    left: [
      span(page.total === undefined ? "" : counts(page).join(" · "), "accent"),
      page.failure && span(`${page.failure.code}: ${safe(page.failure.message)}`, "error"),
    ],
    right:
      page.load.type === "loading"
        ? [span(`comparing, ${formatNumber(page.items.length)} to do so far`, "progress")]
        : [],
  }),
});

function changeOf(reason: string): keyof typeof MARKS {
  return reason === "new" ? "new" : reason === "extra" ? "gone" : "changed";
}

const SAID: readonly (readonly [Change, string])[] = [
  ["new", "new"],
  ["changed", "changed"],
  ["gone", "removed"],
  ["same", "the same"],
];

/** `3 new, 1.2MiB`, and so on, for each change that there is. */
function counts({ total, items }: SyncPage): string[] {
  if (total === undefined) return [];
  const said = SAID.flatMap(([change, word]) => {
    const { items: count, bytes } = total[change];
    if (count === 0) return [];
    return [`${formatNumber(count)} ${word}${change === "same" ? "" : `, ${formatSize(bytes)}`}`];
  });
  const all = total.new.items + total.changed.items + total.gone.items;
  return all > items.length
    ? [...said, `the first ${formatCount(items.length, "one")} listed`]
    : said;
}
