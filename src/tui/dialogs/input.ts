/** The effects of keys, pastes and clicks on the open dialog. */
import { paletteItems, runCommand } from "../commands.js";
import { moveBy } from "../pages/everywhere.js";
import { type Replies, currentPage, replyTo, typeOf } from "../pages/page.js";
import { type Update, also } from "../state/actions.js";
import { closeDialog } from "../state/stack.js";
import { edit } from "../state/text-input.js";
import type {
  ConfirmDialog,
  Dialog,
  FilterDialog,
  FormDialog,
  MenuDialog,
  PaletteDialog,
  State,
} from "../state/types.js";
import { pastedAlias } from "../pages/sign-in/form.js";
import type { InputEvent } from "../terminal/input.js";
import { nameToType, undecidable } from "./confirm.js";
import { choose as chooseAction, onConflict } from "./conflict.js";
import { formInput } from "./form.js";
import { scrollText } from "./text.js";

/** Does what a form's button says: at once, or by asking the core and waiting. */
function submit(state: State, form: FormDialog, button: string): Update {
  if (form.busy) return [state, []];
  const reply = replyTo("forms", form.purpose.type) as
    | ((state: State, form: FormDialog, purpose: unknown, button: string) => Update)
    | undefined;
  return reply?.(state, form, form.purpose, button) ?? closeDialog(state);
}

/** Does what a menu's item says. */
function choose(state: State, menu: MenuDialog, value: string): Update {
  const reply = replyTo("menus", menu.purpose) as NonNullable<Replies["menus"]>["sort"];
  return also(closeDialog(state), (closed) => reply?.(closed, value) ?? [closed, []]);
}

/** Does what was confirmed. */
function accept(state: State, dialog: ConfirmDialog): Update {
  const reply = replyTo("confirms", dialog.purpose.type) as
    | ((state: State, purpose: unknown, dialog: ConfirmDialog) => Update)
    | undefined;
  return also(
    closeDialog(state),
    (closed) => reply?.(closed, dialog.purpose, dialog) ?? [closed, []],
  );
}

/** Applies a key or a paste to the open dialog. */
export function onDialog(state: State, dialog: Dialog, event: InputEvent): Update {
  switch (dialog.type) {
    case "form": {
      const filled = pasteInto(dialog, event);
      if (filled !== undefined) return [{ ...state, dialog: filled }, []];
      const outcome = formInput(dialog, event);
      if (outcome.type === "cancel") return closeDialog(state);
      if (outcome.type === "press") return submit(state, dialog, outcome.button);
      return [{ ...state, dialog: outcome.form }, []];
    }
    case "confirm":
      return onConfirm(state, dialog, event);
    case "menu": {
      const key = event.type === "key" ? event.key : "";
      const by = key === "up" || key === "k" ? -1 : key === "down" || key === "j" ? 1 : 0;
      const count = dialog.items.length;
      if (by !== 0) {
        return [
          { ...state, dialog: { ...dialog, cursor: (dialog.cursor + by + count) % count } },
          [],
        ];
      }
      if (key === "esc" || key === "q") return closeDialog(state);
      const item =
        key === "enter"
          ? dialog.items[dialog.cursor]
          : dialog.items.find((item) => item.key === key);
      return item === undefined ? [state, []] : choose(state, dialog, item.value);
    }
    case "palette":
      return onPalette(state, dialog, event);
    case "filter":
      return onFilter(state, dialog, event);
    case "conflict":
      return onConflict(state, dialog, event);
    case "text":
      return event.type === "key" ? scrollText(state, dialog, event.key) : [state, []];
  }
}

/** A form for an alias takes a pasted line apart; a paste of anything else is text. */
function pasteInto(form: FormDialog, event: InputEvent): FormDialog | undefined {
  if (event.type !== "paste" || form.purpose.type !== "alias" || form.busy) return undefined;
  const found = pastedAlias(event.text);
  if (Object.keys(found).length === 0) return undefined;
  const fields = form.fields.map((field) => {
    const value = found[field.name];
    return value === undefined ? field : { ...field, value, caret: value.length };
  });
  const empty = fields.findIndex(({ value, kind }) => value === "" && kind !== "choice");
  return { ...form, fields, focus: empty < 0 ? fields.length : empty, failure: undefined };
}

function onConfirm(state: State, dialog: ConfirmDialog, event: InputEvent): Update {
  const key = event.type === "key" ? event.key : "";
  const naming = nameToType(dialog) !== undefined;
  if (key === "esc" || (!naming && (key === "n" || key === "q"))) return closeDialog(state);
  if (["tab", "shift-tab", "left", "right"].includes(key) || (!naming && /^[hl]$/.test(key))) {
    const focus = dialog.focus === "cancel" ? "accept" : "cancel";
    return [{ ...state, dialog: { ...dialog, focus } }, []];
  }
  if (naming && key !== "enter") {
    const next = edit({ value: dialog.typed, caret: dialog.typed.length }, event);
    if (next === undefined) return [state, []];
    const focus = next.value === dialog.name ? "accept" : "cancel";
    return [{ ...state, dialog: { ...dialog, typed: next.value, focus } }, []];
  }
  const pressed = key === "enter" || key === "space" ? dialog.focus : undefined;
  if (pressed === "cancel") return closeDialog(state);
  if (pressed !== "accept" && key !== "y") return [state, []];
  return undecidable(dialog) === undefined ? accept(state, dialog) : [state, []];
}

function onPalette(state: State, dialog: PaletteDialog, event: InputEvent): Update {
  const key = event.type === "key" ? event.key : "";
  const items = paletteItems(state, dialog);
  const last = Math.max(0, items.length - 1);
  if (key === "esc") return closeDialog(state);
  if (key === "up" || key === "shift-tab") {
    return [{ ...state, dialog: { ...dialog, cursor: Math.max(0, dialog.cursor - 1) } }, []];
  }
  if (key === "down" || key === "tab") {
    return [{ ...state, dialog: { ...dialog, cursor: Math.min(last, dialog.cursor + 1) } }, []];
  }
  if (key === "enter") {
    const command = items[dialog.cursor];
    const [closed] = closeDialog(state);
    return command === undefined ? [closed, []] : runCommand(closed, command);
  }
  const next = edit({ value: dialog.text, caret: dialog.caret }, event);
  if (next === undefined) return [state, []];
  return [{ ...state, dialog: { ...dialog, text: next.value, caret: next.caret, cursor: 0 } }, []];
}

function onFilter(state: State, dialog: FilterDialog, event: InputEvent): Update {
  const page = currentPage(state);
  const { filter } = typeOf(page);
  const [closed] = closeDialog(state);
  if (filter === undefined) return [closed, []];
  const show = (shown: State, text: string): Update =>
    text === filter.text(page) ? [shown, []] : filter.set(shown, page, text);
  const key = event.type === "key" ? event.key : "";
  if (key === "enter") return [closed, []];
  if (key === "esc") return show(closed, "");
  if (key === "up" || key === "down") return moveBy(closed, key === "up" ? -1 : 1);
  const next = edit({ value: dialog.text, caret: dialog.caret }, event);
  if (next === undefined) return [state, []];
  const typed: FilterDialog = { ...dialog, text: next.value, caret: next.caret };
  return show({ ...state, dialog: typed }, next.value);
}

/** Applies a click on a part of the open dialog. */
export function onItem(state: State, dialog: Dialog, index: number): Update {
  switch (dialog.type) {
    case "form": {
      const button = dialog.buttons[index - dialog.fields.length];
      if (button === "Cancel") return closeDialog(state);
      if (button !== undefined) return submit(state, dialog, button);
      return [{ ...state, dialog: { ...dialog, focus: index } }, []];
    }
    case "confirm":
      if (index === 0) return closeDialog(state);
      return undecidable(dialog) === undefined ? accept(state, dialog) : [state, []];
    case "menu": {
      const item = dialog.items[index];
      return item === undefined ? [state, []] : choose(state, dialog, item.value);
    }
    case "conflict":
      return chooseAction(state, dialog, index);
    case "palette": {
      const command = paletteItems(state, dialog)[index];
      const [closed] = closeDialog(state);
      return command === undefined ? [closed, []] : runCommand(closed, command);
    }
    default:
      return closeDialog(state);
  }
}
