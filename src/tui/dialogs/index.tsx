/** Dialogs: boxes over the middle of the page. */
import { Box } from "ink";
import type { ReactNode } from "react";

import { bodyHeight } from "../layout.js";
import type { Dialog, State } from "../state/types.js";
import { Frame } from "../view/parts.js";
import { ConflictView } from "./conflict-view.js";
import { ConfirmView } from "./confirm-view.js";
import { FormView } from "./form-view.js";
import { MenuView, PaletteView } from "./menu-view.js";
import { dialogWidth, padding } from "./frame.js";
import { TextView } from "./text.js";

/** Rows above the body: header, buttons, rule. */
const ABOVE = 3;

/** The open dialog, or nothing. */
export function dialogBody(state: State): ReactNode {
  const { dialog, size } = state;
  if (dialog === undefined || dialog.type === "filter") return null;
  const height = bodyHeight(size);
  const cells = dialogWidth(state);
  return (
    <Box
      position="absolute"
      marginTop={ABOVE}
      width={size.columns}
      height={height}
      alignItems="center"
      justifyContent="center"
    >
      <Frame title={titleOf(dialog)} width={cells} paddingY={padding(dialog, height)}>
        {contents(state, dialog, cells - 4, height - 2)}
      </Frame>
    </Box>
  );
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
      return <ConfirmView state={state} dialog={dialog} cells={cells} room={room} />;
    case "menu":
      return <MenuView look={state.look} dialog={dialog} />;
    case "palette":
      return <PaletteView state={state} dialog={dialog} />;
    case "text":
      return <TextView state={state} dialog={dialog} />;
    case "conflict":
      return <ConflictView state={state} dialog={dialog} cells={cells} />;
    case "filter":
      return null;
  }
}
