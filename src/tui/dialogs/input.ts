/** What keys, pastes and clicks do to the open dialog. */
import { paletteItems, runCommand } from "../commands.js";
import { moveBy } from "../pages/everywhere.js";
import { arrange, arrangement } from "../pages/objects/listing.js";
import { type Replies, heightOf, replyTo } from "../pages/page.js";
import { type Update, also } from "../state/actions.js";
import { closeDialog, pageOf } from "../state/stack.js";
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
import type { InputEvent } from "../terminal/input.js";
import { undecidable } from "./confirm.js";
import { formInput } from "./form.js";

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
      const outcome = formInput(dialog, event);
      if (outcome.type === "cancel") return closeDialog(state);
      if (outcome.type === "press") return submit(state, dialog, outcome.button);
      return [{ ...state, dialog: outcome.form }, []];
    }
    case "confirm":
      return event.type === "key" ? onConfirm(state, dialog, event.key) : [state, []];
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
    case "text":
      return event.type === "key" ? closeDialog(state) : [state, []];
  }
}

function onConfirm(state: State, dialog: ConfirmDialog, key: string): Update {
  if (key === "esc" || key === "n" || key === "q") return closeDialog(state);
  if (["tab", "shift-tab", "left", "right", "h", "l"].includes(key)) {
    const focus = dialog.focus === "cancel" ? "accept" : "cancel";
    return [{ ...state, dialog: { ...dialog, focus } }, []];
  }
  const pressed = key === "enter" || key === "space" ? dialog.focus : undefined;
  if (pressed === "cancel") return closeDialog(state);
  if (pressed !== "accept" && key !== "y") return [state, []];
  return undecidable(dialog) === undefined ? accept(state, dialog) : [state, []];
}

function onPalette(state: State, dialog: PaletteDialog, event: InputEvent): Update {
  const key = event.type === "key" ? event.key : "";
  const items = paletteItems(state, dialog.text);
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
  const page = pageOf(state, "objects");
  const [closed] = closeDialog(state);
  if (page === undefined) return [closed, []];
  const { filter, sort } = arrangement(page);
  const show = (shown: State, text: string): Update =>
    text === filter ? [shown, []] : arrange(shown, page, text, sort, heightOf(state, page));
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
    case "palette": {
      const command = paletteItems(state, dialog.text)[index];
      const [closed] = closeDialog(state);
      return command === undefined ? [closed, []] : runCommand(closed, command);
    }
    default:
      return closeDialog(state);
  }
}
