/** Changing the open dialog by its number: it may have been closed in the meantime. */
import { blamed } from "../pages/sign-in/form.js";
import { say } from "../state/stack.js";
import type { Dialog, ShownFailure, State } from "../state/types.js";

const ANYWAY = "Save anyway";

/** The state with the dialog changed, if it is still the one. */
export function changeDialog(state: State, id: number, change: (dialog: Dialog) => Dialog): State {
  return state.dialog?.id === id ? { ...state, dialog: change(state.dialog) } : state;
}

/** The state without the dialog, if it is still the one. */
export function closed(state: State, id: number): State {
  return state.dialog?.id === id ? { ...state, dialog: undefined } : state;
}

/** A dialog that is closed by now, or never was a form, says it on the status line. */
export function dialogFailed(state: State, id: number, failure: ShownFailure): State {
  if (state.dialog?.id !== id) return say(state, "error", `${failure.code}: ${failure.message}`);
  return changeDialog(state, id, (dialog) => {
    if (dialog.type !== "form") return dialog;
    const failed = { ...dialog, busy: false, failure };
    if (dialog.purpose.type !== "alias") return failed;
    const focus = dialog.fields.findIndex(({ name }) => name === blamed(failure.code));
    // An alias that cannot be reached now may be right all the same.
    const [save = "Save", ...rest] = dialog.buttons.filter((label) => label !== ANYWAY);
    const buttons = failure.kind === "conflict" ? [save, ...rest] : [save, ANYWAY, ...rest];
    return { ...failed, buttons, focus: focus < 0 ? dialog.focus : focus };
  });
}
