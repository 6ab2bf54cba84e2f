/** Dialogs with fields: where the focus is, what a key does, what the values are. */
import type { InputEvent } from "../terminal/input.js";
import type { Effect, Update } from "../state/actions.js";
import { openDialog } from "../state/stack.js";
import { MOST, edit } from "../state/text-input.js";
import type { Field, FormDialog, FormPurpose, State } from "../state/types.js";

/** A field with its caret at the end. */
export function field(
  name: string,
  label: string,
  value = "",
  more: Partial<Pick<Field, "kind" | "choices" | "note">> = {},
): Field {
  return { name, label, kind: "text", value, caret: value.length, ...more };
}

export interface FormSpec {
  readonly title: string;
  readonly intro?: string | undefined;
  readonly purpose: FormPurpose;
  readonly fields: readonly Field[];
  /** Beside Cancel; Enter in the last field presses the first. */
  readonly buttons: readonly string[];
}

/** Opens a form with the focus on its first field. */
export function openForm(state: State, { buttons, ...spec }: FormSpec): Update {
  return openDialog(state, (id) => ({
    type: "form",
    id,
    ...spec,
    buttons: [...buttons, "Cancel"],
    focus: 0,
    busy: false,
  }));
}

/** The values by field name. */
export function valuesOf(form: FormDialog): Record<string, string> {
  return Object.fromEntries(form.fields.map(({ name, value }) => [name, value]));
}

/** The form with what is wrong with it; the focus goes to the field that is to blame. */
export function refuse(state: State, form: FormDialog, message: string, name?: string): Update {
  const blamed = form.fields.findIndex((field) => field.name === name);
  const failure = { kind: "usage", code: "InvalidArgument", message } as const;
  return [{ ...state, dialog: { ...form, failure, focus: blamed < 0 ? form.focus : blamed } }, []];
}

/** The form while the core does what it asks for. */
export function wait(state: State, form: FormDialog, ...effects: Effect[]): Update {
  return [
    { ...state, dialog: { ...form, busy: true, failure: undefined, notice: undefined } },
    effects,
  ];
}

/** The outcome of a key in a form. */
export type FormOutcome =
  | { readonly type: "changed"; readonly form: FormDialog }
  | { readonly type: "press"; readonly button: string }
  | { readonly type: "cancel" };

/** Moves the focus, edits the focused field, or presses a button. */
export function formInput(form: FormDialog, event: InputEvent): FormOutcome {
  const focused = form.fields[form.focus];
  const changed = (change: Partial<FormDialog>): FormOutcome => ({
    type: "changed",
    form: { ...form, ...change },
  });
  const focus = (by: number): FormOutcome => {
    const count = form.fields.length + form.buttons.length;
    return changed({ focus: (form.focus + by + count) % count });
  };
  const key = event.type === "key" ? event.key : undefined;
  if (key === "esc") return { type: "cancel" };
  if (key === "tab") return focus(1);
  if (key === "shift-tab") return focus(-1);
  if (focused === undefined) return onButton(form, key, focus);
  if (key === "enter" && focused.kind !== "lines") {
    return form.focus === form.fields.length - 1
      ? { type: "press", button: form.buttons[0]! }
      : focus(1);
  }
  if (focused.kind !== "lines" && key === "down") return focus(1);
  if (focused.kind !== "lines" && key === "up") return focus(-1);
  if (event.type === "paste" && focused.value.length + event.text.length > MOST) {
    const message = "that is too long for a field: 64 KiB at most; a file can be uploaded";
    return changed({ failure: { kind: "usage", code: "TooLong", message } });
  }
  const next = editField(focused, event);
  if (next === undefined) return changed({});
  return changed({
    fields: form.fields.map((old) => (old === focused ? next : old)),
    failure: undefined,
    notice: undefined,
  });
}

function onButton(
  form: FormDialog,
  key: string | undefined,
  focus: (by: number) => FormOutcome,
): FormOutcome {
  if (key === "left" || key === "up") return focus(-1);
  if (key === "right" || key === "down") return focus(1);
  if (key === "enter" || key === "space") {
    const button = form.buttons[form.focus - form.fields.length]!;
    return button === "Cancel" ? { type: "cancel" } : { type: "press", button };
  }
  return { type: "changed", form };
}

function editField(old: Field, event: InputEvent): Field | undefined {
  if (old.kind === "choice") {
    const choices = old.choices ?? [];
    const step = event.type === "key" ? CHOICE_KEYS[event.key] : undefined;
    if (step === undefined) return undefined;
    const index = (choices.indexOf(old.value) + step + choices.length) % choices.length;
    return { ...old, value: choices[index] ?? old.value };
  }
  if (
    old.kind === "lines" &&
    event.type === "key" &&
    (event.key === "up" || event.key === "down")
  ) {
    return { ...old, caret: verticalMove(old, event.key === "up" ? -1 : 1) };
  }
  const next = edit(old, event, old.kind === "lines");
  return next === undefined ? undefined : { ...old, ...next };
}

const CHOICE_KEYS: Readonly<Record<string, number>> = { left: -1, right: 1, space: 1 };

/** The caret one line up or down, in the same column where the line is long enough. */
function verticalMove({ value, caret }: Field, by: number): number {
  const lines = value.split("\n");
  let line = 0;
  let start = 0;
  while (line < lines.length - 1 && start + lines[line]!.length < caret) {
    start += lines[line]!.length + 1;
    line++;
  }
  const target = line + by;
  if (target < 0 || target >= lines.length) return caret;
  const column = Math.min(caret - start, lines[target]!.length);
  return lines.slice(0, target).reduce((sum, text) => sum + text.length + 1, 0) + column;
}

/** Lines of `name=value` as a record; the first line that is not one is named in `problem`. */
export function parsePairLines(text: string): {
  pairs: Record<string, string>;
  problem?: string | undefined;
} {
  const pairs: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const cut = line.indexOf("=");
    if (cut < 1) return { pairs, problem: `"${line}" is not name=value` };
    pairs[line.slice(0, cut).trim()] = line.slice(cut + 1).trim();
  }
  return { pairs };
}

/** A record as lines of `name=value`. */
export function pairLines(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
