/** Changing the open dialog by its number: it may have been closed in the meantime. */
import { say } from "../state/stack.js";
import type { Dialog, Failure, State } from "../state/types.js";

/** The state with the dialog changed, if it is still the one. */
export function changeDialog(state: State, id: number, change: (dialog: Dialog) => Dialog): State {
  return state.dialog?.id === id ? { ...state, dialog: change(state.dialog) } : state;
}

/** The state without the dialog, if it is still the one. */
export function closed(state: State, id: number): State {
  return state.dialog?.id === id ? { ...state, dialog: undefined } : state;
}

/** A dialog that is closed by now, or never was a form, says it on the status line. */
export function dialogFailed(state: State, id: number, failure: Failure): State {
  if (state.dialog?.id !== id) return say(state, "error", `${failure.code}: ${failure.message}`);
  return changeDialog(state, id, (dialog) =>
    dialog.type === "form" ? { ...dialog, busy: false, failure } : dialog,
  );
}
