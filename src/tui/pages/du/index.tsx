/** The page that shows how much a place takes. */
import { formatCount, formatNumber, formatSize } from "../../../text/format.js";
import { confirmJob } from "../../dialogs/confirm.js";
import { place as cursorAt } from "../../layout.js";
import { READY, changePage, onPage, pageOf, placeOf, putPage } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { fit, safe } from "../../text/cells.js";
import { glyphsOf } from "../../theme.js";
import { List } from "../../view/list.js";
import { span } from "../../view/rows.js";
import { openDetails } from "../details/state.js";
import { type Command, definePage, heightOf } from "../page.js";
import { type DuPage, openDu, total } from "./state.js";

const BAR = 20;

const KEYS: readonly Command[] = [
  {
    id: "remove",
    title: "Delete",
    short: "delete",
    bar: "Delete",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "du");
      return page?.rows[page.cursor] === undefined ? "nothing is selected" : undefined;
    },
    run: onPage("du", (state, page) => {
      const row = page.rows[page.cursor];
      if (row === undefined) return [state, []];
      const type = row.name.endsWith("/") ? "prefix" : "object";
      const target = { type, key: page.prefix + row.name, size: row.bytes } as const;
      return confirmJob(state, { type: "remove", from: placeOf(page), targets: [target] });
    }),
  },
];

export const du = definePage<DuPage>({
  type: "du",
  crumbs: ({ alias, bucket, prefix }) => [
    alias,
    bucket,
    ...(prefix === "" ? [] : [prefix]),
    "Usage",
  ],
  commands: KEYS,
  bar: ["remove", "refresh", "back"],
  footer: ["open", "remove", "refresh", "back"],
  count: (_state, { rows }) => rows.length,
  open: (state, page) => {
    const row = page.rows[page.cursor];
    if (row === undefined) return [state, []];
    const key = page.prefix + row.name;
    if (row.name.endsWith("/")) return openDu(state, { ...placeOf(page), prefix: key });
    return openDetails(state, { alias: page.alias, bucket: page.bucket, key });
  },
  refresh: (state, page) => [
    putPage(state, { ...page, load: { type: "loading" } }),
    [
      { type: "stop", id: page.id },
      { type: "measure", page: page.id, place: placeOf(page) },
    ],
  ],
  back: (state, page) =>
    page.load.type === "loading"
      ? [putPage(state, { ...page, load: { type: "stopped" } }), [{ type: "stop", id: page.id }]]
      : undefined,
  answers: {
    measured: (state, { page: id, rows, done }) => [
      changePage(state, id, "du", (page) => {
        const name = page.cursor > 0 ? page.rows[page.cursor]?.name : undefined;
        const at = Math.max(
          0,
          rows.findIndex((row) => row.name === name),
        );
        const cursor = cursorAt(page, at, rows.length, heightOf(state, page));
        return { ...page, rows, load: done ? READY : page.load, ...cursor };
      }),
      [],
    ],
  },
  body: ({ state, page }) => {
    const whole = Math.max(1, total(page).bytes);
    const { barFull, barEmpty } = glyphsOf(state.look);
    return (
      <List
        state={state}
        at={page}
        columns={(room) => [
          { title: "SIZE", cells: 9, align: "right" },
          { title: "", cells: BAR },
          { title: "OBJECTS", cells: 11, align: "right" },
          { title: "NAME", cells: room - 9 - BAR - 11 - 6 },
        ]}
        count={page.rows.length}
        cells={(index) => {
          const { name, objects, bytes } = page.rows[index]!;
          const full = Math.round((BAR * bytes) / whole);
          return [
            span(formatSize(bytes)),
            span(barFull.repeat(full) + barEmpty.repeat(BAR - full), "progress"),
            span(formatNumber(objects), "dim"),
            span(safe(name) || "(the prefix itself)", name.endsWith("/") ? "prefix" : "plain"),
          ];
        }}
        load={page.load}
        empty={["Nothing is below it."]}
      />
    );
  },
  status: (state, page) => statusOf(state, page),
});

function statusOf(state: State, page: DuPage) {
  const { objects, bytes } = total(page);
  const so = page.load.type === "ready" ? "" : " so far";
  const spinner = glyphsOf(state.look).spinner;
  return {
    left: [
      span(`${formatSize(bytes)} in ${formatCount(objects, "object")}${so}`, "accent"),
      page.load.type === "stopped" ? span("stopped, R adds up again", "warning") : undefined,
    ],
    right:
      page.load.type === "loading"
        ? [
            span(fit(spinner[state.tick % spinner.length]!, 1), "progress"),
            span(" adding up", "dim"),
          ]
        : [],
  };
}
