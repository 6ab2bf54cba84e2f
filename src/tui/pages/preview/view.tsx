import type { ReactNode } from "react";

import { formatSize } from "../../../text/format.js";
import { bodyHeight } from "../../layout.js";
import type { State } from "../../state/types.js";
import { fit } from "../../text/cells.js";
import { failureRows } from "../../view/list.js";
import { Region } from "../../view/parts.js";
import { pictureRows } from "../../view/picture.js";
import { type Row, gap, sliceRow, span } from "../../view/rows.js";
import type { Status } from "../page.js";
import { inStyles } from "./readable.js";
import { DUMP_WIDTH, MARGIN, type PreviewPage, previewCount, textRows } from "./state.js";

/** Text, a dump of bytes, or a picture in half blocks: as much of the window as fits. */
export function PreviewView({ state, page }: { state: State; page: PreviewPage }): ReactNode {
  return <Region draw={(width, height) => rows(state, page, width, height)} />;
}

/** The kind of the content, and the part of it that is shown. */
export function previewStatus(state: State, page: PreviewPage): Status {
  const { content } = page;
  const end = content !== undefined && content.type !== "image" ? content.end : undefined;
  const kind =
    content?.type === "image"
      ? content.image.label
      : content?.type === "bytes"
        ? "not text"
        : (content?.note ?? "");
  const more = end !== undefined && end < page.size;
  return {
    left: [
      span(page.size > 0 || content ? formatSize(page.size) : "", "dim"),
      span(kind, "accent"),
      end === undefined || (content?.type === "text" && content.note)
        ? undefined
        : span(`bytes ${page.offset}–${end}`, "dim"),
      more ? span("scroll past the end for more", "dim") : undefined,
    ],
    right:
      page.load.type === "loading"
        ? [span("loading", "progress")]
        : [
            span(page.follow === true ? "following  " : "", "progress"),
            span(lineRange(state, page), "dim"),
          ],
  };
}

function lineRange(state: State, page: PreviewPage): string {
  const count = previewCount(page, state.size.columns);
  if (count === 0) return "";
  return `${page.top + 1}–${Math.min(count, page.top + bodyHeight(state.size))}/${count}`;
}

function rows(state: State, page: PreviewPage, width: number, height: number): Row[] {
  if (page.load.type === "failed") return [[], ...failureRows(state, page.load.failure)];
  const content = page.content;
  if (content === undefined) return [[], [gap(3), span("Loading", "dim")]];
  if (content.type === "image") return pictureRows(state.look, content.image, width, height);
  if (content.type === "text") {
    if (page.size === 0) return [[], [gap(3), span("The object is empty.", "dim")]];
    return textView(page, width, height);
  }
  const dump: Row[] = [];
  for (let row = page.top; row < Math.min(previewCount(page, width), page.top + height); row++) {
    dump.push(dumpRow(content.bytes, page.offset, row * DUMP_WIDTH));
  }
  return dump;
}

function dumpRow(bytes: Uint8Array, offset: number, at: number): Row {
  const part = [...bytes.subarray(at, at + DUMP_WIDTH)];
  const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const text = part
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCodePoint(byte) : "."))
    .join("");
  return [
    gap(1),
    span((offset + at).toString(16).padStart(8, "0"), "dim"),
    gap(2),
    span(hex.padEnd(DUMP_WIDTH * 3 - 1)),
    gap(2),
    span(text, "accent"),
  ];
}

/** Rows of text with the numbers of their lines; matches of the search stand out. */
function textView(page: PreviewPage, columns: number, height: number): Row[] {
  const rows = textRows(page, columns);
  // The numbers of lines are known only from the beginning on.
  const numbered = page.offset === 0;
  return rows.slice(page.top, page.top + height).map(({ line, text }, index): Row => {
    const first = rows[page.top + index - 1]?.line !== line;
    const number = numbered && first ? String(line + 1) : "";
    const edge = page.left + columns;
    const row =
      page.query === "" && first ? styled(page, text.slice(0, 4 * edge), line) : undefined;
    const shown = row ?? marked(text, page.query);
    const visible = page.left > 0 ? sliceRow(shown, page.left, edge) : shown;
    return [span(`${fit(number, MARGIN - 2, "right")}  `, "dim"), ...visible];
  });
}

/** The first row of a line in the styles of what it is. */
function styled({ content, offset }: PreviewPage, text: string, line: number): Row | undefined {
  return content?.type === "text" ? inStyles(text, content, offset === 0 ? line : 1) : undefined;
}

function marked(text: string, query: string): Row {
  if (query === "") return [span(text)];
  const parts: Row[number][] = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (
    let at = lower.indexOf(query.toLowerCase());
    at >= 0;
    at = lower.indexOf(query.toLowerCase(), from)
  ) {
    parts.push(span(text.slice(from, at)), span(text.slice(at, at + query.length), "buttonFocus"));
    from = at + query.length;
  }
  return [...parts, span(text.slice(from))];
}
