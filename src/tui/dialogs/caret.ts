/** Text with a caret in it. */
import { characters, cut, cutStart, safe, width } from "../text/cells.js";
import { type Row, fitRow, span } from "../view/rows.js";

/** Text with the caret in it, scrolled so that the caret is in sight; exactly `cells` wide. */
export function caretSpans(text: string, caret: number, cells: number, focused: boolean): Row {
  const style = focused ? "inputFocus" : "input";
  // More than this many units cannot be on screen, however few cells they take.
  const most = cells * 8 + 64;
  const rest = text.slice(caret, caret + most);
  const [next] = characters(rest);
  const under = next === undefined ? " " : safe(next.segment);
  const room = cells - width(under);
  const before = cutStart(safe(text.slice(Math.max(0, caret - most), caret)), room);
  const after = safe(rest.slice(next?.segment.length ?? 0));
  return fitRow(
    [
      span(before, style),
      span(under, "caret"),
      span(cut(after, Math.max(0, room - width(before))), style),
    ],
    cells,
    style,
  );
}
