/** The bucket page: the table of what is below a prefix. */
import { formatSize } from "../../../text/format.js";
import type { Entry } from "../../../core/storage/storage.js";
import { nameOf } from "../../state/listing.js";
import type { ObjectsPage, Sort, SortBy, State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatTime } from "../../text/time.js";
import { type Glyphs, glyphsOf } from "../../theme.js";
import { counted, status } from "../chrome.js";
import { type Column, type Row, type Span, span } from "../rows.js";
import { GUTTER, list } from "./list.js";
import type { PageView } from "./places.js";

const SIZE = 9;
const MODIFIED = 16;
const CLASS = 12;
/** Narrower screens do without the class. */
const WITH_CLASS = 96;

/** The table, and what it shows of how much. */
export function objectsView(state: State, page: ObjectsPage): PageView {
  const glyphs = glyphsOf(state.look);
  const columns = columnsOf(state, page.sort, glyphs);
  const body = list(state, page, {
    columns,
    count: page.rows.length,
    cells: (index) => cells(page, page.rows[index]!, glyphs),
    marked: (index) => page.marks.has(page.rows[index]!.key) || inRange(page, index),
    load: page.load,
    empty:
      page.filter !== "" && page.all.length > 0
        ? ["No loaded row holds the filter."]
        : ["Nothing here yet.", "n makes a directory, N a file; u uploads files, U folders."],
  });
  return { body, status: status(state, left(page), right(state, page, glyphs)) };
}

function columnsOf(state: State, sort: Sort, glyphs: Glyphs): Column[] {
  const wide = state.size.columns >= WITH_CLASS;
  const room = state.size.columns - GUTTER - 1;
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
  return [
    // The object a directory marker is has the prefix itself for a key.
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

function left(page: ObjectsPage): (Span | undefined)[] {
  const more = page.load.type === "ready" ? "" : "+";
  const total = counted(page.all.length, "row").replace(" ", `${more} `);
  const shown =
    page.filter === "" ? total : `${counted(page.rows.length, "row").split(" ")[0]} of ${total}`;
  const loadedOnly = page.load.type === "ready" ? "" : " (loaded rows only)";
  const sorted = page.sort.by !== "name" || page.sort.descending;
  return [
    page.replacing && page.all.length === 0 ? undefined : span(shown, "dim"),
    page.marks.size > 0
      ? span(`${page.marks.size} marked, ${formatSize(markedBytes(page))}`, "mark")
      : undefined,
    page.search === "" ? undefined : span(`begins with "${safe(page.search)}"`, "accent"),
    page.filter === "" ? undefined : span(`filter "${safe(page.filter)}"${loadedOnly}`, "accent"),
    sorted ? span(`by ${page.sort.by}${loadedOnly}`, "dim") : undefined,
    page.load.type === "stopped" ? span("stopped, R lists again", "warning") : undefined,
    page.load.type === "failed" && page.rows.length > 0
      ? span(
          `${page.load.failure.code}: ${safe(page.load.failure.message)}, R tries again`,
          "error",
        )
      : undefined,
  ];
}

function markedBytes(page: ObjectsPage): number {
  return page.all.reduce(
    (sum, entry) => sum + (entry.type === "object" && page.marks.has(entry.key) ? entry.size : 0),
    0,
  );
}

function right(state: State, page: ObjectsPage, glyphs: Glyphs): Row {
  if (page.load.type === "loading") {
    const spinner = glyphs.spinner[state.tick % glyphs.spinner.length]!;
    return [span(`${spinner} loading`, "progress")];
  }
  if (page.rows.length === 0) return [];
  return [span(`${page.cursor + 1}/${page.rows.length}`, "dim")];
}
