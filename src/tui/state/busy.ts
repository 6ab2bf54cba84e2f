/** Whether anything on screen moves by itself. */
import { currentPage, typeOf } from "../pages/page.js";
import type { State } from "./types.js";

/** True while a spinner is on screen. */
export function busy(state: State): boolean {
  const page = currentPage(state);
  if ("load" in page && page.load.type === "loading") return true;
  if (state.dialog?.type === "form" && state.dialog.busy) return true;
  if (state.dialog?.type === "confirm" && state.dialog.count?.done === false) return true;
  return typeOf(page).busy?.(state, page) ?? false;
}
