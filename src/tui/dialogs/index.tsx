/** Dialogs: boxes over the middle of the page. */
import { Box } from "ink";
import type { ReactNode } from "react";

import { bodyHeight } from "../layout.js";
import type { Dialog, State, TextDialog } from "../state/types.js";
import { cut, safe, width } from "../text/cells.js";
import { Frame, Region } from "../view/parts.js";
import { type Row, linked } from "../view/rows.js";
import { ConflictView } from "./conflict-view.js";
import { ConfirmView } from "./confirm-view.js";
import { FormView } from "./form-view.js";
import { MenuView, PaletteView } from "./menu-view.js";

/** Widest a dialog gets. */
const WIDEST = 80;
/** Rows above the body: header, buttons, rule. */
const ABOVE = 3;

/** The open dialog, or nothing. */
export function dialogBody(state: State): ReactNode {
  const { dialog, size } = state;
  if (dialog === undefined || dialog.type === "filter") return null;
  const height = bodyHeight(size);
  const cells = Math.min(state.look.plain ? Infinity : WIDEST, size.columns - 4);
  return (
    <Box
      position="absolute"
      marginTop={ABOVE}
      width={size.columns}
      height={height}
      alignItems="center"
      justifyContent="center"
    >
      <Frame title={titleOf(dialog)} width={cells} paddingY={airy(dialog, height)}>
        {contents(state, dialog, cells - 4, height - 2)}
      </Frame>
    </Box>
  );
}

/** Blank rows inside the border, where there is room for them. */
function airy(dialog: Dialog, height: number): number {
  const rows = dialog.type === "form" ? dialog.fields.length + 9 : 18;
  return rows <= height ? 1 : 0;
}

function titleOf(dialog: Dialog): string {
  switch (dialog.type) {
    case "palette":
      return dialog.places === undefined ? "Commands" : "Bookmarks and recent places";
    case "conflict":
      return "It is there already";
    case "filter":
      return "";
    default:
      return dialog.title;
  }
}

function contents(state: State, dialog: Dialog, cells: number, room: number): ReactNode {
  switch (dialog.type) {
    case "form":
      return <FormView state={state} form={dialog} room={room} />;
    case "confirm":
      return <ConfirmView state={state} dialog={dialog} room={room} />;
    case "menu":
      return <MenuView look={state.look} dialog={dialog} />;
    case "palette":
      return <PaletteView state={state} dialog={dialog} />;
    case "text":
      return <TextView dialog={dialog} cells={cells} room={room} />;
    case "conflict":
      return <ConflictView state={state} dialog={dialog} cells={cells} />;
    case "filter":
      return null;
  }
}

function TextView(props: {
  readonly dialog: TextDialog;
  readonly cells: number;
  readonly room: number;
}): ReactNode {
  const { dialog, cells, room } = props;
  const rows = dialog.lines.flatMap((line) => wrapped(safe(line), cells)).slice(0, room);
  return <Region height={rows.length} flexShrink={0} draw={() => rows} />;
}

/** Text broken at the width; an address has no better places to break. */
function wrapped(text: string, cells: number): Row[] {
  const rows: Row[] = [];
  let rest = text;
  do {
    const piece = width(rest) <= cells ? rest : cut(rest, cells, "");
    rows.push([linked(piece, text)]);
    rest = rest.slice(Math.max(1, piece.length));
  } while (rest !== "");
  return rows;
}
