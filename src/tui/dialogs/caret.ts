/** Text with a caret in it. */
import { cut, cutStart, safe, width } from "../text/cells.js";
import { type Row, fitRow, span } from "../view/rows.js";

const SEGMENTER = new Intl.Segmenter();

/** Text with the caret in it, scrolled so that the caret is in sight; exactly `cells` wide. */
export function caretSpans(text: string, caret: number, cells: number, focused: boolean): Row {
  const style = focused ? "inputFocus" : "input";
  const rest = text.slice(caret);
  const [next] = SEGMENTER.segment(rest);
  const under = next === undefined ? " " : safe(next.segment);
  const room = cells - width(under);
  const before = cutStart(safe(text.slice(0, caret)), room);
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
