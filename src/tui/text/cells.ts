/**
 * Text measured in terminal cells. Text from a bucket passes through `safe` first, so that a key
 * can neither move the cursor nor draw outside its cell.
 */
import stringWidth from "string-width";

import { visible } from "../../text/sanitize.js";

/** Characters that are one cell wide on every terminal and join nothing: Latin, arrows, boxes, blocks, Braille. */
const PLAIN =
  "\\u0020-\\u007E\\u00A0-\\u00AC\\u00AE-\\u02FF\\u2010-\\u2027\\u2030-\\u205E\\u2190-\\u21FF\\u2500-\\u25FC\\u25FF\\u2800-\\u28FF";
/** Measuring anything else costs a hundred times as much. */
const ALL_PLAIN = new RegExp(`^[${PLAIN}]*$`);
const ONE_PLAIN = new RegExp(`^[${PLAIN}]$`);
const SOME_OTHER = new RegExp(`[^\u001B${PLAIN}]`);
let segmenter: Intl.Segmenter | undefined;

/** The pieces of a text that are drawn as one character each. The first call loads its rules. */
export function characters(text: string): Intl.Segments {
  return (segmenter ??= new Intl.Segmenter()).segment(text);
}

/** A stranger's text as it may be shown: control, bidi and invisible characters spelled out. */
export function safe(text: string): string {
  return ALL_PLAIN.test(text) ? text : visible(text);
}

/** Cells a text takes; styling sequences take none. */
export function width(text: string): number {
  if (ALL_PLAIN.test(text)) return text.length;
  if (!SPACING.test(text)) return stringWidth(text);
  let cells = 0;
  for (const { segment } of characters(text)) cells += segmentWidth(segment);
  return cells;
}

/** Thai and Lao "am" joins the letter before it, and takes a cell of its own all the same. */
const SPACING = /.[\u0E33\u0EB3]/u;

function segmentWidth(segment: string): number {
  return stringWidth(segment) + (SPACING.test(segment) ? 1 : 0);
}

/** The cells from `from` to `to` of a text; a wide character that an edge cuts becomes spaces. */
export function sliceText(text: string, from: number, to: number): string {
  if (ALL_PLAIN.test(text)) return text.slice(Math.max(0, from), Math.max(0, to));
  let kept = "";
  let start = 0;
  for (const { segment } of characters(text)) {
    const end = start + segmentWidth(segment);
    if (start >= from && end <= to) kept += segment;
    else kept += " ".repeat(Math.max(0, Math.min(end, to) - Math.max(start, from)));
    start = end;
  }
  return kept;
}

/** The longest beginning of `text` that fits, ended by `ellipsis` when something was cut. */
export function cut(text: string, cells: number, ellipsis = "…"): string {
  if (cells <= 0) return "";
  if (ALL_PLAIN.test(text)) {
    if (text.length <= cells) return text;
    return cells <= ellipsis.length
      ? text.slice(0, cells)
      : `${text.slice(0, cells - 1)}${ellipsis}`;
  }
  const room = cells - 1;
  let used = 0;
  let fits = "";
  let kept = "";
  for (const { segment } of characters(text)) {
    used += segmentWidth(segment);
    if (used <= room) kept += segment;
    if (used > cells) return kept + ellipsis;
    fits += segment;
  }
  return fits;
}

/**
 * A text in lines of `cells`, broken after a space where one is near, for an address has none. What
 * is left after `most` lines is in the last one.
 */
export function wrapped(text: string, cells: number, most = Infinity): string[] {
  const lines: string[] = [];
  let rest = text;
  while ((rest.length > cells || width(rest) > cells) && lines.length + 1 < most) {
    // `cut` leaves a cell for an ellipsis; the whole of a very long line is not measured each time.
    const piece = cut(rest.slice(0, cells * 8), cells + 1, "") || rest.slice(0, 1);
    if (piece.length === rest.length) break;
    const space = piece.lastIndexOf(" ") + 1;
    const line = space > piece.length / 2 ? piece.slice(0, space) : piece;
    lines.push(line);
    rest = rest.slice(line.length);
  }
  return [...lines, rest];
}

/** The longest end of `text` that fits, begun with `ellipsis` when something was cut. */
export function cutStart(text: string, cells: number, ellipsis = "…"): string {
  if (cells <= 0) return "";
  if (width(text) <= cells) return text;
  let used = 0;
  let kept = "";
  for (const segment of [...characters(text)].map((part) => part.segment).reverse()) {
    used += segmentWidth(segment);
    if (used > cells - 1) break;
    kept = segment + kept;
  }
  return ellipsis + kept;
}

/** The text in exactly `cells` cells, cut or padded. */
export function fit(text: string, cells: number, align: "left" | "right" = "left", ellipsis = "…") {
  if (text.length <= cells && ALL_PLAIN.test(text)) {
    return align === "left" ? text.padEnd(cells) : text.padStart(cells);
  }
  const shown = cut(text, cells, ellipsis);
  const padding = " ".repeat(Math.max(0, cells - width(shown)));
  return align === "left" ? shown + padding : padding + shown;
}

/**
 * A line for a screen of `columns`. Terminals disagree about the width of some characters: each of
 * those is followed by an absolute column, and anything that the terminal may have drawn beyond it
 * is erased. So the rest of the line stands where it was measured to stand.
 */
export function lineWithAnchors(line: string, columns: number): string {
  if (!SOME_OTHER.test(line)) return line;
  let out = "";
  let column = 0;
  for (const part of line.split(/(\u001B\[[0-9;:]*m|\u001B\]8;[\u0020-\u007E]*\u001B\\)/)) {
    if (part.startsWith("\u001B")) {
      out += part;
      continue;
    }
    for (const { segment } of characters(part)) {
      out += segment;
      column += segmentWidth(segment);
      if (!ONE_PLAIN.test(segment) && column < columns) out += `\u001B[${column + 1}G\u001B[K`;
    }
  }
  return out;
}
