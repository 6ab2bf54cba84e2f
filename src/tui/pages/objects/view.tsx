import { Box } from "ink";
import type { ReactNode } from "react";

import type { Entry } from "../../../core/storage/storage.js";
import { formatCount, formatNumber, formatSize } from "../../../text/format.js";
import { type Marks, isMarked } from "../../list/marks.js";
import { entryAt, entryCount } from "../../list/store.js";
import { type SortBy, idAt, rowCount } from "../../list/view.js";
import type { ColumnName } from "../../state/memory.js";
import type { State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatSeconds, formatTime } from "../../text/time.js";
import { type Glyphs, glyphsOf } from "../../theme.js";
import { keeper } from "../../view/kept.js";
import { List, NARROW } from "../../view/list.js";
import { type Column, type Row, type Span, span } from "../../view/rows.js";
import type { Status } from "../page.js";
import { markRange, verbFor } from "./choice.js";
import { arrangement, isSorted, nameOf } from "./listing.js";
import { Pane, hasPane } from "./pane.js";
import { type ObjectsPage, columnsShown } from "./state.js";

/** The cells of each column. */
const CELLS = { size: 9, modified: 19, class: 12 } as const;
const SORT = { type: "command", id: "sort" } as const;
/** Narrower lists do without the class. */
const WITH_CLASS = 92;

/** The table of what is below a prefix. */
export function ObjectsView({ state, page }: { state: State; page: ObjectsPage }): ReactNode {
  const glyphs = glyphsOf(state.look);
  const shown = columnsShown(state, page);
  const fitting = (room: number) =>
    shown.filter((name) =>
      name === "class"
        ? room >= WITH_CLASS || state.memory.columns !== undefined
        : name === "size" || room >= NARROW,
    );
  return (
    <Box flexGrow={1}>
      <List
        state={state}
        at={page}
        columns={(room) => columnsOf(page, fitting(room), room, glyphs)}
        count={rowCount(page.view)}
        cells={(index, room) => cells(page, index, fitting(room), glyphs)}
        marked={
          page.marks.count === 0 && page.anchor === undefined
            ? undefined
            : (index, at) =>
                isMarked(page.marks, idAt(page.view, index)!) ||
                inRange(page.anchor, at.cursor, index)
        }
        filter={page.view.filter}
        load={page.load}
        empty={
          page.view.filter !== "" && page.store.count > 0
            ? ["No loaded row fits the filter."]
            : page.search !== "" || page.deep !== undefined
              ? ["Nothing was found."]
              : ["Nothing here yet.", "n makes a directory, N a file; u uploads files and folders."]
        }
      />
      {hasPane(state) && <Pane state={state} page={page} />}
    </Box>
  );
}

function columnsOf(
  page: ObjectsPage,
  shown: readonly ColumnName[],
  room: number,
  glyphs: Glyphs,
): Column[] {
  const { sort } = arrangement(page);
  const rest = shown.reduce((sum, name) => sum + CELLS[name] + 2, 0);
  const title = (by: SortBy) =>
    by.toUpperCase() +
    (sort.by === by ? ` ${sort.descending ? glyphs.descending : glyphs.ascending}` : "");
  return [
    { title: title("name"), cells: room - rest, click: SORT },
    ...shown.map((name): Column => {
      const align = name === "size" ? "right" : undefined;
      return { title: title(name), cells: CELLS[name], align, click: SORT };
    }),
  ];
}

function cells(
  page: ObjectsPage,
  index: number,
  shown: readonly ColumnName[],
  glyphs: Glyphs,
): Row {
  const id = idAt(page.view, index)!;
  const entry = entryAt(page.store, id);
  const verb = verbFor(page, id, entry.key);
  const failure = page.failures.get(entry.key);
  const note: Span | undefined = verb
    ? span(`${verb}${glyphs.ellipsis}`, "warning")
    : failure === undefined
      ? undefined
      : span(`${glyphs.failed} ${failure}`, "error");
  const facts = factsOf(page, entry, glyphs);
  // The widest column says what is happening to an object.
  const place = note && (shown.find((name) => name === "modified") ?? shown[0]);
  const name = note !== undefined && place === undefined ? note : facts.name;
  return [name, ...shown.map((column) => (note && column === place ? note : facts[column]))];
}

/** The text of each column for an entry. */
function factsOf(
  page: ObjectsPage,
  entry: Entry,
  glyphs: Glyphs,
): Readonly<Record<ColumnName | "name", Span>> {
  const name = safe(nameOf(page, entry));
  const none = span("");
  if (entry.type === "prefix") {
    return { name: span(name, "prefix"), size: none, modified: none, class: none };
  }
  if (entry.isDeleteMarker || entry.isLatest === false) {
    // An older version is told from the next by its second.
    const what = entry.isDeleteMarker ? `${glyphs.failed} deleted` : formatSize(entry.size);
    return {
      name: span(name, "disabled"),
      size: span(what, entry.isDeleteMarker ? "warning" : "disabled"),
      modified: span(formatSeconds(entry.lastModified), "disabled"),
      class: none,
    };
  }
  return {
    // A directory marker is an object whose key is the prefix itself.
    name: name === "" ? span("(the prefix itself)", "dim") : span(name),
    size: span(formatSize(entry.size), "dim"),
    modified: span(formatTime(entry.lastModified), "dim"),
    class: span(safe(entry.storageClass ?? ""), "dim"),
  };
}

function inRange(anchor: number | undefined, cursor: number, index: number): boolean {
  if (anchor === undefined) return false;
  return index >= Math.min(anchor, cursor) && index <= Math.max(anchor, cursor);
}

/** How much of how much is shown, what is marked, and how the rows were chosen. */
export function objectsStatus(state: State, page: ObjectsPage): Status {
  const { look } = state;
  const glyphs = glyphsOf(look);
  const { marks } = markRange(page);
  const { store, view, load, arranging, replacing, versions, deep, search } = page;
  const shown = [look, marks, store, view, load, arranging, replacing, versions, deep, search];
  const left = keptFacts(shown, () => factsAbout(page, marks));
  return { left, right: right(state, page, glyphs) };
}

const keptFacts = keeper<Status["left"]>();

function factsAbout(page: ObjectsPage, marks: Marks): Status["left"] {
  const { filter, sort } = arrangement(page);
  const more = page.load.type === "ready" ? "" : "+";
  const total = formatCount(entryCount(page.store), "row").replace(" ", `${more} `);
  const loadedOnly = page.load.type === "ready" ? "" : " (loaded rows only)";
  const { load } = page;
  return [
    page.replacing && page.store.count === 0
      ? undefined
      : span(filter === "" ? total : `${formatNumber(rowCount(page.view))} of ${total}`, "dim"),
    marks.count > 0
      ? span(`${formatNumber(marks.count)} marked, ${formatSize(marks.bytes)}`, "mark")
      : undefined,
    page.versions ? span("with older versions and what was deleted", "accent") : undefined,
    page.deep === undefined ? undefined : span(`found by "${safe(page.deep)}"`, "accent"),
    page.search === "" ? undefined : span(`begins with "${safe(page.search)}"`, "accent"),
    filter === "" ? undefined : span(`filter "${safe(filter)}"${loadedOnly}`, "accent"),
    isSorted(sort) ? span(`by ${sort.by}${loadedOnly}`, "dim") : undefined,
    load.type === "stopped" ? span("stopped, R lists again", "warning") : undefined,
    load.type === "failed" && rowCount(page.view) > 0
      ? span(`${load.failure.code}: ${safe(load.failure.message)}, R tries again`, "error")
      : undefined,
  ];
}

function right(state: State, page: ObjectsPage, glyphs: Glyphs): Row {
  const spinner = glyphs.spinner[state.tick % glyphs.spinner.length]!;
  if (page.arranging !== undefined) return [span(`${spinner} arranging`, "progress")];
  if (page.load.type === "loading") return [span(`${spinner} loading`, "progress")];
  const count = rowCount(page.view);
  if (count === 0) return [];
  return [span(`${formatNumber(page.cursor + 1)}/${formatNumber(count)}`, "dim")];
}
