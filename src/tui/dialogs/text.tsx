/** A text to read or to copy by hand, as long as it is. */
import type { ReactNode } from "react";

import { bodyHeight } from "../layout.js";
import type { Update } from "../state/actions.js";
import { closeDialog } from "../state/stack.js";
import type { State, TextDialog } from "../state/types.js";
import { safe, wrapped } from "../text/cells.js";
import { Region } from "../view/parts.js";
import { type Row, linked, span } from "../view/rows.js";
import { dialogWidth, padding } from "./frame.js";

export function TextView(props: { readonly state: State; readonly dialog: TextDialog }): ReactNode {
  const { state, dialog } = props;
  const { rows, room } = laidOut(state, dialog);
  const last = Math.min(rows.length, dialog.top + room);
  const shown = rows.slice(dialog.top, last);
  const place = [span(`${dialog.top + 1}–${last} of ${rows.length}`, "dim")];
  const all = rows.length > room ? [...shown, [], place] : shown;
  return <Region height={all.length} flexShrink={0} draw={() => all} />;
}

/** Every row of the text, and how many of them are shown at once. */
function laidOut(state: State, dialog: TextDialog): { rows: readonly Row[]; room: number } {
  const cells = dialogWidth(state) - 4;
  const height = bodyHeight(state.size);
  const rows = dialog.lines.flatMap((line) =>
    wrapped(safe(line), cells).map((piece): Row => [linked(piece, line)]),
  );
  const room = height - 2 - 2 * padding(dialog, height);
  return { rows, room: rows.length > room ? room - 2 : room };
}

/** Scrolls by the keys of every list; any other key closes it. */
export function scrollText(state: State, dialog: TextDialog, key: string): Update {
  const { rows, room } = laidOut(state, dialog);
  const command = SCROLLS.find((id) => state.keymap[id]?.includes(key));
  if (command === undefined) return closeDialog(state);
  const by = {
    up: -1,
    down: 1,
    "page-up": -room,
    "page-down": room,
    first: -Infinity,
    last: Infinity,
  };
  const top = Math.max(0, Math.min(dialog.top + by[command], rows.length - room));
  return [{ ...state, dialog: { ...dialog, top } }, []];
}

const SCROLLS = ["up", "down", "page-up", "page-down", "first", "last"] as const;
