/**
 * The screen as data: rows of styled spans, each exactly as wide as it says. Pages make rows, Ink
 * paints them, clicks are looked up in them.
 */
import type { Click } from "../state/actions.js";
import { cut, fit, sliceText, width } from "../text/cells.js";
import type { CellPicture } from "../picture/protocol.js";
import type { StyleName } from "../theme.js";

export interface Span {
  readonly text: string;
  readonly style?: StyleName | undefined;
  readonly click?: Click | undefined;
  /** The address that a click in the terminal itself opens. */
  readonly link?: string | undefined;
  /** Colors of the upper and the lower half of a cell, for pictures. */
  readonly pixels?: readonly [upper: string, lower: string] | undefined;
  /** The picture that the terminal draws over these spaces and those below. */
  readonly picture?: CellPicture | undefined;
}

export type Row = readonly Span[];

/** A span; text from a bucket must be `safe` already. */
export function span(text: string, style?: StyleName, click?: Click): Span {
  return { text, style, click };
}

/** A span that is a link where its text, or the text it is a piece of, is nothing but an address. */
export function linked(text: string, whole = text): Span {
  return { text, link: /^https?:\/\/[\u0021-\u007E]+$/.test(whole) ? whole : undefined };
}

/** A span with other text, style and click. Spreading one takes several times as long. */
export function change(
  { link, pixels }: Span,
  text: string,
  style?: StyleName,
  click?: Click,
): Span {
  return { text, style, click, link, pixels };
}

/** Spaces. */
export function gap(cells: number, style?: StyleName): Span {
  return { text: " ".repeat(Math.max(0, cells)), style };
}

/** Cells a row takes. */
export function rowWidth(row: Row): number {
  return row.reduce((sum, { text }) => sum + width(text), 0);
}

/** How wide rows are that were found to fit: most are drawn more than once. */
const fitting = new WeakMap<Row, number>();

/** The row, known to be as wide as that. */
export function asWide(row: Row, cells: number): Row {
  fitting.set(row, cells);
  return row;
}

/** The row in exactly `cells` cells; the same row if it is as wide already. */
export function fitRow(row: Row, cells: number, style?: StyleName): Row {
  if (fitting.get(row) === cells) return row;
  const fitted: Span[] = [];
  let left = cells;
  for (const part of row) {
    if (left <= 0) break;
    const cells = width(part.text);
    const text = cells <= left ? part.text : cut(part.text, left);
    fitted.push(text === part.text ? part : { ...part, text });
    left -= text === part.text ? cells : width(text);
  }
  if (left > 0) fitted.push(gap(left, style));
  const same = fitted.length === row.length && fitted.every((part, index) => part === row[index]);
  return asWide(same ? row : fitted, cells);
}

/** The row with `cells` cells from `x` on covered by another. */
export function over(row: Row, x: number, part: Row, cells: number): Row {
  return [...sliceRow(row, 0, x), ...fitRow(part, cells), ...sliceRow(row, x + cells, Infinity)];
}

/** The part of a row between two cells; a wide character that an edge cuts becomes spaces. */
export function sliceRow(row: Row, from: number, to: number): Row {
  const kept: Span[] = [];
  let start = 0;
  for (const part of row) {
    const end = start + width(part.text);
    if (end > from && start < to) {
      const inside = start >= from && end <= to;
      const text = inside ? part.text : sliceText(part.text, from - start, to - start);
      kept.push(inside ? part : { ...part, text });
    }
    start = end;
  }
  return kept;
}

/** Two groups of spans, one at each end; the right one stays whole when there is not room. */
export function spread(left: Row, right: Row, cells: number): Row {
  const room = cells - rowWidth(right);
  const row = [...fitRow(left, Math.max(0, room)), ...right];
  return room < 0 ? row : asWide(row, cells);
}

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly cells: number;
  readonly align?: "left" | "right" | undefined;
  /** For its heading. */
  readonly click?: Click | undefined;
}

/** One text a column, two spaces between. */
export function tableRow(columns: readonly Column[], texts: readonly Span[]): Row {
  return columns.flatMap(({ cells, align }, index) => {
    const part = texts[index] ?? span("");
    const cell = change(part, fit(part.text, cells, align), part.style, part.click);
    return index === 0 ? [cell] : [gap(2), cell];
  });
}

/** The span that is drawn at a cell, for a click there. */
export function spanAt(rows: readonly Row[], x: number, y: number): Span | undefined {
  let column = 0;
  for (const part of rows[y] ?? []) {
    column += width(part.text);
    if (x < column) return part;
  }
  return undefined;
}

/** The text of rows without styles. */
export function plainText(rows: readonly Row[]): string {
  return rows
    .map((row) =>
      row
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n");
}
