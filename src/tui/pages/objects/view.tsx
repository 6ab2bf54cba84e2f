import { Box } from "ink";
import type { ReactNode } from "react";

import type { Entry } from "../../../core/storage/storage.js";
import { formatCount, formatSize } from "../../../text/format.js";
import { isMarked } from "../../list/marks.js";
import { entryCount, namedClasses } from "../../list/store.js";
import { type SortBy, idAt, rowCount } from "../../list/view.js";
import type { State } from "../../state/types.js";
import { safe, thousands } from "../../text/cells.js";
import { formatSeconds, formatTime } from "../../text/time.js";
import { type Glyphs, glyphsOf } from "../../theme.js";
import { List } from "../../view/list.js";
import { type Column, type Row, type Span, span } from "../../view/rows.js";
import type { Status } from "../page.js";
import { arrangement, isSorted, nameOf, rowAt } from "./listing.js";
import { Pane, hasPane } from "./pane.js";
import type { ObjectsPage } from "./state.js";

const SIZE = 9;
const MODIFIED = 19;
const CLASS = 12;
/** Narrower lists do without the class. */
const WITH_CLASS = 92;

/** The table of what is below a prefix. */
export function ObjectsView({ state, page }: { state: State; page: ObjectsPage }): ReactNode {
  const glyphs = glyphsOf(state.look);
  return (
    <Box flexGrow={1}>
      <List
        state={state}
        at={page}
        columns={(room) => columnsOf(page, room, glyphs)}
        count={rowCount(page.view)}
        cells={(index) => cells(page, rowAt(page, index)!, glyphs)}
        marked={(index) => isMarked(page.marks, idAt(page.view, index)!) || inRange(page, index)}
        load={page.load}
        empty={
          page.view.filter !== "" && page.store.count > 0
            ? ["No loaded row holds the filter."]
            : ["Nothing here yet.", "n makes a directory, N a file; u uploads files and folders."]
        }
      />
      {hasPane(state) && <Pane state={state} page={page} />}
    </Box>
  );
}

function columnsOf(page: ObjectsPage, room: number, glyphs: Glyphs): Column[] {
  const { sort } = arrangement(page);
  const wide = room >= WITH_CLASS && namedClasses(page.store).length > 1;
  const rest = SIZE + MODIFIED + 4 + (wide ? CLASS + 2 : 0);
  const title = (name: string, by: SortBy) =>
    sort.by === by ? `${name} ${sort.descending ? glyphs.descending : glyphs.ascending}` : name;
  return [
    { title: title("NAME", "name"), cells: room - rest },
    { title: title("SIZE", "size"), cells: SIZE, align: "right" },
    { title: title("MODIFIED", "modified"), cells: MODIFIED },
    ...(wide ? [{ title: title("CLASS", "class"), cells: CLASS }] : []),
  ];
}

function cells(page: ObjectsPage, entry: Entry, glyphs: Glyphs): Row {
  const name = safe(nameOf(page, entry));
  const failure = page.failures.get(entry.key);
  const verb = page.leaving.get(entry.key);
  const note: Span | undefined = verb
    ? span(`${verb}${glyphs.ellipsis}`, "warning")
    : failure === undefined
      ? undefined
      : span(`${glyphs.failed} ${failure}`, "error");
  if (entry.type === "prefix") return [span(name, "prefix"), span(""), note ?? span("")];
  if (entry.isDeleteMarker || entry.isLatest === false) {
    // An older version is told from the next by its second.
    const what = entry.isDeleteMarker ? `${glyphs.failed} deleted` : formatSize(entry.size);
    return [
      span(name, "disabled"),
      span(what, entry.isDeleteMarker ? "warning" : "disabled"),
      note ?? span(formatSeconds(entry.lastModified), "disabled"),
      span("", "dim"),
    ];
  }
  return [
    // A directory marker is an object whose key is the prefix itself.
    name === "" ? span("(the prefix itself)", "dim") : span(name),
    span(formatSize(entry.size), "dim"),
    note ?? span(formatTime(entry.lastModified), "dim"),
    span(safe(entry.storageClass ?? ""), "dim"),
  ];
}

function inRange(page: ObjectsPage, index: number): boolean {
  if (page.anchor === undefined) return false;
  return index >= Math.min(page.anchor, page.cursor) && index <= Math.max(page.anchor, page.cursor);
}

/** How much of how much is shown, what is marked, and how the rows were chosen. */
export function objectsStatus(state: State, page: ObjectsPage): Status {
  const { filter, sort } = arrangement(page);
  const glyphs = glyphsOf(state.look);
  const more = page.load.type === "ready" ? "" : "+";
  const total = formatCount(entryCount(page.store), "row").replace(" ", `${more} `);
  const rows = thousands(rowCount(page.view));
  const loadedOnly = page.load.type === "ready" ? "" : " (loaded rows only)";
  const { marks, load } = page;
  const left = [
    page.replacing && page.store.count === 0
      ? undefined
      : span(filter === "" ? total : `${rows} of ${total}`, "dim"),
    marks.count > 0
      ? span(`${thousands(marks.count)} marked, ${formatSize(marks.bytes)}`, "mark")
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
  return { left, right: right(state, page, glyphs) };
}

function right(state: State, page: ObjectsPage, glyphs: Glyphs): Row {
  const spinner = glyphs.spinner[state.tick % glyphs.spinner.length]!;
  if (page.arranging !== undefined) return [span(`${spinner} arranging`, "progress")];
  if (page.load.type === "loading") return [span(`${spinner} loading`, "progress")];
  const count = rowCount(page.view);
  if (count === 0) return [];
  return [span(`${thousands(page.cursor + 1)}/${thousands(count)}`, "dim")];
}
