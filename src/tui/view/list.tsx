/** The part of a page that lists something: headings, and rows or the reason for their absence. */
import { type ReactNode, useRef } from "react";

import type { Scroll, ShownFailure, Load, State } from "../state/types.js";
import { runs } from "../list/match.js";
import { hasFocus } from "../state/panes.js";
import { pageWith } from "../state/stack.js";
import { safe } from "../text/cells.js";
import { type StyleName, glyphsOf } from "../theme.js";
import { alike } from "./kept.js";
import { Region } from "./parts.js";
import {
  type Column,
  type Row,
  type Span,
  asWide,
  change,
  fitRow,
  gap,
  span,
  tableRow,
} from "./rows.js";

/** Cells before the first column: the pointer, the mark, a space. */
const GUTTER = 3;
/** Lists narrower than this have no room for dates. */
export const NARROW = 50;

export interface ListProps {
  readonly state: State;
  readonly at: Scroll & { readonly id: number };
  /** Columns for so many cells. */
  readonly columns: (room: number) => readonly Column[];
  readonly count: number;
  /** The cells of a row, in a list that has room for so many. */
  readonly cells: (index: number, room: number) => Row;
  readonly marked?: ((index: number, at: Scroll) => boolean) | undefined;
  /** The filter whose characters stand out in the first column. */
  readonly filter?: string | undefined;
  readonly load: Load;
  /** The lines to show when there is nothing. */
  readonly empty: readonly string[];
}

/** Headings and rows, or why there are none. Only the rows on screen that changed are made. */
export function List(props: ListProps): ReactNode {
  const last = useRef<Table>(undefined);
  return (
    <Region
      draw={(width, height, state) => {
        const { count, load, empty } = props;
        const table = tableFor(props, width, last.current);
        last.current = scrolled(table, state, height);
        const rows =
          count === 0 ? instead(state, load, empty) : last.current.rows.map(({ row }) => row);
        return [table.headings, ...rows];
      }}
    />
  );
}

/** Headings, and the rows that were on screen last. */
interface Table {
  readonly props: ListProps;
  readonly width: number;
  readonly columns: readonly Column[];
  /** The columns take all of the width. */
  readonly full: boolean;
  readonly headings: Row;
  /** The first of the rows. */
  readonly top: number;
  readonly rows: readonly Made[];
}

interface Made {
  readonly look: RowLook;
  readonly cells: Row;
  readonly row: Row;
}

/** The part of a row's look that moving about changes: the sum of what holds. */
type RowLook = number;
const [CURRENT, FOCUSED, MARKED] = [1, 2, 4];

/** Fields that say where one is, or what is shown beside the rows. */
const PLACE = ["pages", "notice", "cursor", "top", "anchor", "peek"];

/** The table as it was, if nothing but the place in it has changed. */
function tableFor(props: ListProps, width: number, last: Table | undefined): Table {
  if (last?.width === width) {
    if (last.props === props) return last;
    const { state, at } = last.props;
    if (alike(state, props.state, PLACE) && alike(at, props.at, PLACE)) return { ...last, props };
  }
  const columns = props.columns(width - GUTTER - 1);
  const titles = columns.map(({ title, click }) => span(title, "heading", click));
  const headings = fitRow([gap(GUTTER), ...tableRow(columns, titles)], width);
  const cells = columns.reduce((sum, column) => sum + column.cells + 2, GUTTER - 1);
  const full = cells === width && columns.every((column) => column.cells > 0);
  return { props, width, columns, full, headings, top: 0, rows: [] };
}

/** The table with the rows that are on screen now. */
function scrolled(table: Table, state: State, height: number): Table {
  const { props, width, columns } = table;
  const { count, marked, at: drawn } = props;
  // The page may have moved on since its components were made.
  const at = (pageWith(state, drawn.id) ?? drawn) as typeof drawn;
  const focus = hasFocus(state, at) ? CURRENT + FOCUSED : CURRENT;
  const rows: Made[] = [];
  for (let index = at.top; index < Math.min(count, at.top + height - 1); index++) {
    const look = (index === at.cursor ? focus : 0) + (marked?.(index, at) ? MARKED : 0);
    const old = index < table.top ? undefined : table.rows[index - table.top];
    if (old?.look === look) rows.push(old);
    else {
      const cells = old?.cells ?? tableRow(columns, props.cells(index, width - GUTTER - 1));
      rows.push({ look, cells, row: listRow(table, index, look, cells) });
    }
  }
  return { ...table, top: at.top, rows };
}

function listRow({ props, width, full }: Table, index: number, look: RowLook, cells: Row): Row {
  const glyphs = glyphsOf(props.state.look);
  const click = { type: "row", page: props.at.id, index } as const;
  const focused = look & FOCUSED;
  const [cursor, cursorDim] = focused ? (["cursor", "cursorDim"] as const) : [];
  const row: Span[] = [
    span(
      look & CURRENT ? glyphs.pointer : " ",
      cursor ?? (look & CURRENT ? "accent" : undefined),
      click,
    ),
    span(look & MARKED ? glyphs.mark : " ", cursor ?? (look & MARKED ? "mark" : undefined), click),
    span(" ", cursor, click),
  ];
  for (const part of cells) {
    const style = row.length === GUTTER ? cursor : cursorDim;
    row.push(change(part, part.text, style ?? part.style, click));
  }
  row.push(span(" ", cursorDim, click));
  if (!props.filter) return full ? asWide(row, width) : fitRow(row, width);
  const name = matched(row[GUTTER]!, props.filter, focused ? "cursorMatch" : "match");
  return fitRow([...row.slice(0, GUTTER), ...name, ...row.slice(GUTTER + 1)], width);
}

/** A span with the characters that a filter finds in it standing out. */
export function matched(part: Span, filter: string, style: StyleName): Row {
  const pieces: Span[] = [];
  let from = 0;
  for (const [start, end] of runs(filter, part.text)) {
    if (start > from)
      pieces.push(change(part, part.text.slice(from, start), part.style, part.click));
    pieces.push(change(part, part.text.slice(start, end), style, part.click));
    from = end;
  }
  return [...pieces, change(part, part.text.slice(from), part.style, part.click)];
}

/** The text of an empty list: it is coming, it failed and why, or there is nothing. */
function instead(state: State, load: Load, empty: readonly string[]): Row[] {
  const indent = gap(GUTTER);
  if (load.type === "loading") {
    const glyphs = glyphsOf(state.look);
    const spinner = glyphs.spinner[state.tick % glyphs.spinner.length]!;
    return [[], [indent, span(`${spinner} `, "progress"), span("Loading", "dim")]];
  }
  if (load.type === "failed") return [[], ...failureRows(state, load.failure)];
  return [[], ...empty.map((line) => [indent, span(line, "dim")])];
}

/** A failure, shown in the place of the rows that it kept from coming. */
export function failureRows(state: State, failure: ShownFailure): Row[] {
  const glyphs = glyphsOf(state.look);
  const indent = gap(GUTTER);
  const rows: Row[] = [
    [indent, span(`${glyphs.failed} ${failure.code}`, "error")],
    [indent, gap(2), span(safe(failure.message))],
  ];
  if (failure.hint !== undefined) rows.push([indent, gap(2), span(safe(failure.hint), "dim")]);
  rows.push([], [indent, gap(2), span("R", "key"), span(" tries again", "dim")]);
  return rows;
}
