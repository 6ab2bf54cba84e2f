/** The whole screen, as rows: a pure function of the state. */
import { SMALLEST, bodyHeight } from "../layout.js";
import { currentPage } from "../state/pages.js";
import type { FilterDialog, State } from "../state/types.js";
import { actionBar, footer, header, rule } from "./chrome.js";
import { withDialog } from "./dialogs.js";
import { caretSpans } from "./form.js";
import { detailsView } from "./pages/details.js";
import { helpView } from "./pages/help.js";
import { objectsView } from "./pages/objects.js";
import { pickerView } from "./pages/picker.js";
import { type PageView, bucketsView, signInView } from "./pages/places.js";
import { previewView } from "./pages/preview.js";
import { transfersView } from "./pages/transfers.js";
import { type Row, type Span, fitRow, gap, span } from "./rows.js";

/** As many rows as the screen has, each as wide as the screen. */
export function screen(state: State): readonly Row[] {
  const rows = draw(state);
  return state.look.ascii ? rows.map((row) => row.map(inAscii)) : rows;
}

/** The characters the console itself writes beyond ASCII, besides the theme's glyphs. */
const LOOKALIKES: Readonly<Record<string, string>> = { "…": "~", "–": "-", "×": "x", "›": ">" };

function inAscii(part: Span): Span {
  const text = part.text.replace(/[…–×›]/gu, (character) => LOOKALIKES[character] ?? character);
  return text === part.text ? part : { ...part, text };
}

function draw(state: State): readonly Row[] {
  const { columns, rows } = state.size;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) return tooSmall(state);
  const { body, status } = pageView(state);
  const height = bodyHeight(state.size);
  const shown = withDialog(state, body.slice(0, height));
  return [
    header(state),
    actionBar(state),
    rule(state),
    ...Array.from({ length: height }, (_, row) => fitRow(shown[row] ?? [], columns)),
    rule(state),
    state.dialog?.type === "filter" ? filterLine(state, state.dialog) : status,
    footer(state),
  ];
}

function pageView(state: State): PageView {
  const page = currentPage(state);
  switch (page.type) {
    case "sign-in":
      return signInView(state, page);
    case "buckets":
      return bucketsView(state, page);
    case "objects":
      return objectsView(state, page);
    case "picker":
      return pickerView(state, page);
    case "transfers":
      return transfersView(state, page);
    case "details":
      return detailsView(state, page);
    case "preview":
      return previewView(state, page);
    case "help":
      return helpView(state, page);
  }
}

/** The filter as it is typed, with how much of what it leaves. */
function filterLine(state: State, dialog: FilterDialog): Row {
  const page = currentPage(state);
  if (page.type !== "objects") return [];
  const label = " Filter ";
  const loaded = page.load.type === "ready" ? "" : " loaded";
  const note = ` ${page.rows.length} of ${page.all.length}${loaded} `;
  const room = state.size.columns - label.length - note.length;
  return [
    span(label, "key"),
    ...caretSpans(dialog.text, dialog.caret, room, true),
    span(note, loaded === "" ? "dim" : "warning"),
  ];
}

function tooSmall(state: State): readonly Row[] {
  const { columns, rows } = state.size;
  const lines = [
    "This terminal is too small for pail.",
    `It has ${columns}x${rows}; ${SMALLEST.columns}x${SMALLEST.rows} is enough.`,
  ];
  const top = Math.max(0, Math.floor((rows - lines.length) / 2));
  return Array.from({ length: rows }, (_, row) => {
    const line = lines[row - top] ?? "";
    const left = Math.max(0, Math.floor((columns - line.length) / 2));
    return fitRow([gap(left), span(line, row === top ? "strong" : "dim")], columns);
  });
}
