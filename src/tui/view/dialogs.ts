/** Dialogs: a band of rows across the middle of the page, as wide as the screen. */
import { formatCount, formatSize } from "../../text/format.js";
import { keysOf, paletteItems, reasonAgainst } from "../commands/index.js";
import { bodyHeight } from "../layout.js";
import { undecidable } from "../state/confirm.js";
import type { ConfirmDialog, Dialog, MenuDialog, PaletteDialog, State } from "../state/types.js";
import { cut, fit, safe, width } from "../text/cells.js";
import { glyphsOf } from "../theme.js";
import { button } from "./button.js";
import { caretSpans, formRows } from "./form.js";
import { type Row, fitRow, gap, span } from "./rows.js";

/** Widest a dialog gets. */
const WIDEST = 76;

/** The page's rows with the dialog over them. */
export function withDialog(state: State, body: readonly Row[]): readonly Row[] {
  const { dialog } = state;
  if (dialog === undefined || dialog.type === "filter") return body;
  const height = bodyHeight(state.size);
  const inner = Math.min(WIDEST, state.size.columns - 8);
  const rows = frame(state, dialogTitle(dialog), contents(state, dialog, inner), inner, height);
  const top = Math.max(0, Math.floor((height - rows.length) / 2));
  return [
    ...Array.from({ length: top }, (_, row) => body[row] ?? []),
    ...rows.slice(0, height),
    ...body.slice(top + rows.length, height),
  ];
}

function dialogTitle(dialog: Dialog): string {
  return dialog.type === "palette" ? "Commands" : dialog.type === "filter" ? "" : dialog.title;
}

/** Draws the border; `rows` are cut to the inside, with air around them where there is room. */
function frame(
  state: State,
  title: string,
  rows: readonly Row[],
  inner: number,
  height: number,
): Row[] {
  const { corners, rule, vertical, ellipsis } = glyphsOf(state.look);
  const left = Math.floor((state.size.columns - inner - 4) / 2);
  const shown = cut(safe(title), inner - 2, ellipsis);
  const air: Row[] = rows.length + 4 <= height ? [[]] : [];
  const line = (row: Row): Row => [
    gap(left),
    span(`${vertical} `, "rule"),
    ...fitRow(row, inner),
    span(` ${vertical}`, "rule"),
  ];
  return [
    [
      gap(left),
      span(`${corners[0]}${rule} `, "rule"),
      span(shown, "strong"),
      span(` ${rule.repeat(inner - width(shown) - 1)}${corners[1]}`, "rule"),
    ],
    ...[...air, ...rows, ...air].map(line),
    [gap(left), span(`${corners[2]}${rule.repeat(inner + 2)}${corners[3]}`, "rule")],
  ].map((row) => fitRow(row, state.size.columns));
}

function contents(state: State, dialog: Dialog, inner: number): Row[] {
  switch (dialog.type) {
    case "form":
      return formRows(state, dialog, inner, bodyHeight(state.size) - 2);
    case "confirm":
      return confirmRows(state, dialog);
    case "menu":
      return menuRows(state, dialog, inner);
    case "palette":
      return paletteRows(state, dialog, inner);
    case "text":
      return dialog.lines
        .flatMap((line) => wrapped(safe(line), inner))
        .slice(0, bodyHeight(state.size) - 2);
    case "filter":
      return [];
  }
}

function confirmRows(state: State, dialog: ConfirmDialog): Row[] {
  const glyphs = glyphsOf(state.look);
  const rows: Row[] = dialog.lines
    .slice(0, Math.max(1, bodyHeight(state.size) - 9))
    .map((line) => [span(safe(line))]);
  const { count } = dialog;
  if (count !== undefined) {
    if (rows.length > 0) rows.push([]);
    const spinner = glyphs.spinner[state.tick % glyphs.spinner.length]!;
    const sum = `${formatCount(count.objects, "object")}, ${formatSize(count.bytes)}`;
    if (count.failure !== undefined) {
      rows.push([
        span(`Not counted: ${count.failure.code}, ${safe(count.failure.message)}`, "warning"),
      ]);
    } else if (count.done) {
      rows.push([span(count.objects === 0 ? "It is empty." : sum, "strong")]);
    } else rows.push([span(`${spinner} `, "progress"), span(`${sum} so far`, "dim")]);
  }
  const blocked = undecidable(dialog) !== undefined;
  const accept = dialog.focus === "accept";
  const focusStyle = dialog.danger ? "dangerFocus" : "buttonFocus";
  const plainStyle = blocked ? "disabled" : dialog.danger ? "danger" : "button";
  rows.push(
    [],
    [
      button(state, "Cancel", !accept, "button", "buttonFocus", 0),
      gap(2),
      button(state, dialog.accept, accept, plainStyle, blocked ? "disabled" : focusStyle, 1),
      ...(blocked ? [gap(2), span("still counting", "dim")] : []),
    ],
  );
  return rows;
}

function menuRows(state: State, dialog: MenuDialog, inner: number): Row[] {
  const { pointer } = glyphsOf(state.look);
  return dialog.items.map(({ key, label }, index) => {
    const current = index === dialog.cursor;
    const row = [
      span(`${current ? pointer : " "} `),
      span(fit(key, 3), "key"),
      span(fit(label, inner - 5)),
    ];
    const click = { type: "item", index } as const;
    return row.map((part) =>
      current ? { ...part, style: "cursor" as const, click } : { ...part, click },
    );
  });
}

function paletteRows(state: State, dialog: PaletteDialog, inner: number): Row[] {
  const { pointer } = glyphsOf(state.look);
  const items = paletteItems(state, dialog.text);
  const height = Math.max(1, Math.min(12, bodyHeight(state.size) - 6));
  const top = Math.max(0, Math.min(dialog.cursor - height + 1, items.length - height));
  const rows: Row[] = [
    [span(": ", "key"), ...caretSpans(dialog.text, dialog.caret, inner - 2, true)],
    [],
  ];
  for (let slot = 0; slot < height; slot++) {
    const index = top + slot;
    const command = items[index];
    if (command === undefined) {
      rows.push(slot === 0 ? [span("No command is called that.", "dim")] : []);
      continue;
    }
    const current = index === dialog.cursor;
    const reason = reasonAgainst(state, command);
    const keys = keysOf(state, command);
    const title = reason === undefined ? command.title : `${command.title} (${reason})`;
    const row = [
      span(`${current ? pointer : " "} `),
      span(fit(title, inner - 18), reason === undefined ? "plain" : "disabled"),
      span(fit(keys, 16, "right"), "key"),
    ];
    const click = { type: "item", index } as const;
    rows.push(
      row.map((part) =>
        current ? { ...part, style: "cursor" as const, click } : { ...part, click },
      ),
    );
  }
  return rows;
}

/** Text broken at the width; an address has no better places to break. */
function wrapped(text: string, cells: number): Row[] {
  const rows: Row[] = [];
  let rest = text;
  while (rest !== "") {
    const piece = width(rest) <= cells ? rest : cut(rest, cells, "");
    rows.push([span(piece)]);
    rest = rest.slice(piece.length);
  }
  return rows;
}
