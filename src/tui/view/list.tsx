/** The part of a page that lists something: headings, and rows or the reason for their absence. */
import type { ReactNode } from "react";

import type { Scroll, ShownFailure, Load, State } from "../state/types.js";
import { runs } from "../list/match.js";
import { hasFocus } from "../state/panes.js";
import { safe } from "../text/cells.js";
import { type StyleName, glyphsOf } from "../theme.js";
import { Region } from "./parts.js";
import { type Column, type Row, type Span, change, fitRow, gap, span, tableRow } from "./rows.js";

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
  readonly marked?: ((index: number) => boolean) | undefined;
  /** The filter whose characters stand out in the first column. */
  readonly filter?: string | undefined;
  readonly load: Load;
  /** The lines to show when there is nothing. */
  readonly empty: readonly string[];
}

/** Headings and rows, or why there are none. Only the rows on screen are made. */
export function List(props: ListProps): ReactNode {
  return <Region draw={(width, height) => listRows(props, width, height)} />;
}

function listRows(props: ListProps, width: number, height: number): Row[] {
  const { state, at, count } = props;
  const columns = props.columns(width - GUTTER - 1);
  const headings = [
    gap(GUTTER),
    ...tableRow(
      columns,
      columns.map(({ title, click }) => span(title, "heading", click)),
    ),
  ];
  if (count === 0) return [headings, ...instead(state, props.load, props.empty)];
  const rows: Row[] = [headings];
  for (let index = at.top; index < Math.min(count, at.top + height - 1); index++) {
    rows.push(listRow(props, columns, index, width));
  }
  return rows;
}

function listRow(props: ListProps, columns: readonly Column[], index: number, width: number): Row {
  const glyphs = glyphsOf(props.state.look);
  const current = index === props.at.cursor;
  const focused = current && hasFocus(props.state, props.at);
  const marked = props.marked?.(index) ?? false;
  const click = { type: "row", page: props.at.id, index } as const;
  const row = fitRow(
    [
      current ? span(glyphs.pointer, "accent") : gap(1),
      marked ? span(glyphs.mark, "mark") : gap(1),
      gap(1),
      ...tableRow(columns, props.cells(index, width - GUTTER - 1)),
    ],
    width,
  );
  const styled = row.map((part, column) => {
    const style = focused ? (column < GUTTER + 1 ? "cursor" : "cursorDim") : part.style;
    return change(part, part.text, style, click);
  });
  if (!props.filter) return styled;
  return styled.flatMap((part, column) =>
    column === GUTTER ? matched(part, props.filter!, focused ? "cursorMatch" : "match") : [part],
  );
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
