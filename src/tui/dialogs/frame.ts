/** The room that dialogs have. */
import type { Dialog, State } from "../state/types.js";

/** Widest a dialog gets. */
const WIDEST = 80;

/** The cells of a dialog, its border among them. */
export function dialogWidth({ look, size }: State): number {
  return Math.min(look.plain ? Infinity : WIDEST, size.columns - 4);
}

/** Blank rows inside the border, where there is room for them. */
export function padding(dialog: Dialog, height: number): number {
  const rows = dialog.type === "form" ? dialog.fields.length + 9 : 18;
  return rows <= height ? 1 : 0;
}
