/** The question what becomes of something that is there already; a job waits for the answer. */
import type { ExistsAction } from "../../core/operations/types.js";
import { type Update, also } from "../state/actions.js";
import { closeDialog, openDialog } from "../state/stack.js";
import type { ConflictDialog, State } from "../state/types.js";
import type { InputEvent } from "../terminal/input.js";

export const CHOICES: readonly {
  readonly key: string;
  readonly label: string;
  readonly action: ExistsAction;
}[] = [
  { key: "s", label: "Skip", action: "skip" },
  { key: "r", label: "Replace", action: "replace" },
  { key: "b", label: "Keep both", action: "keep-both" },
];

/** The place of the switch for all behind the buttons. */
export const ALL = CHOICES.length;

/** Opens the next question that waits, unless another dialog is open. */
export function askNext(update: Update): Update {
  const [state] = update;
  const [next] = state.questions;
  if (next === undefined || state.dialog !== undefined) return update;
  return also(update, (waiting) =>
    openDialog({ ...waiting, questions: waiting.questions.slice(1) }, (id) => ({
      type: "conflict",
      id,
      ...next,
      focus: 0,
      all: false,
    })),
  );
}

/** The state without questions of a job that no longer waits. */
export function unasked(state: State, job: number): State {
  const questions = state.questions.filter((question) => question.job !== job);
  const { dialog } = state;
  const moot = dialog?.type === "conflict" && dialog.job === job;
  return { ...state, questions, dialog: moot ? undefined : dialog };
}

/** Applies a key to the question. Esc skips: nothing is replaced by closing a dialog. */
export function onConflict(state: State, dialog: ConflictDialog, event: InputEvent): Update {
  const key = event.type === "key" ? event.key : "";
  const count = CHOICES.length + 1;
  const move = (by: number): Update => [
    { ...state, dialog: { ...dialog, focus: (dialog.focus + by + count) % count } },
    [],
  ];
  if (key === "tab" || key === "right" || key === "down") return move(1);
  if (key === "shift-tab" || key === "left" || key === "up") return move(-1);
  if (key === "esc") return choose(state, dialog, 0);
  if (key === "a") return choose(state, dialog, ALL);
  if (key === "enter" || key === "space") return choose(state, dialog, dialog.focus);
  const index = CHOICES.findIndex((choice) => choice.key === key);
  return index < 0 ? [state, []] : choose(state, dialog, index);
}

/** Presses a button, or the switch. */
export function choose(state: State, dialog: ConflictDialog, index: number): Update {
  if (index === ALL) return [{ ...state, dialog: { ...dialog, all: !dialog.all } }, []];
  const action = CHOICES[index]?.action ?? "skip";
  const { job, all } = dialog;
  return also(closeDialog(state), (closed) => [
    closed,
    [{ type: "answer", job, action, always: all }],
  ]);
}
