/** What a key, a paste or a click does: to the dialog if one is open, else to the bar or the page. */
import { barOf, commandById, commandByKey, paletteItems, runCommand } from "../commands/index.js";
import { open } from "../commands/global.js";
import { moveBy } from "../commands/movement.js";
import { choose, submit } from "../commands/submit.js";
import type { InputEvent } from "../terminal/input.js";
import type { Click, Update } from "./actions.js";
import { accept, quit, undecidable } from "./confirm.js";
import { formInput } from "./form.js";
import { setFilter } from "./listing.js";
import { closeDialog, currentPage, pageOf, putPage } from "./pages.js";
import { moveTo, pageHeight } from "./scroll.js";
import { edit } from "./text-input.js";
import type { ConfirmDialog, Dialog, FilterDialog, PaletteDialog, State } from "./types.js";

/** Rows the wheel moves. */
const WHEEL = 3;

/** Applies one event of the terminal. */
export function onInput(state: State, event: InputEvent): Update {
  if (event.type === "mouse") {
    if (event.kind === "press" || state.dialog !== undefined) return [state, []];
    return moveBy(state, event.kind === "wheel-up" ? -WHEEL : WHEEL);
  }
  // Ctrl-C quits from everywhere, even out of a field.
  if (event.type === "key" && state.keymap["quit"]?.includes(event.key) && !event.text) {
    return quit(state);
  }
  if (state.dialog !== undefined) return onDialog(state, state.dialog, event);
  const calm: State = { ...state, notice: undefined };
  if (event.type !== "key") return [calm, []];
  if (calm.bar !== undefined) return onBar(calm, calm.bar, event.key);
  const command = commandByKey(calm, event.key);
  return command === undefined ? [calm, []] : runCommand(calm, command);
}

function onBar(state: State, index: number, key: string): Update {
  const buttons = barOf(state);
  const focus = (to: number): Update => [
    { ...state, bar: (to + buttons.length) % buttons.length },
    [],
  ];
  if (key === "right" || key === "tab") {
    return index === buttons.length - 1 && key === "tab"
      ? [{ ...state, bar: undefined }, []]
      : focus(index + 1);
  }
  if (key === "left" || key === "shift-tab") return focus(index - 1);
  if (key === "enter" || key === "space") {
    const command = buttons[index];
    return command === undefined ? [state, []] : runCommand(state, command);
  }
  const calm = { ...state, bar: undefined };
  if (key === "esc") return [calm, []];
  return onInput(calm, { type: "key", key });
}

function onDialog(state: State, dialog: Dialog, event: InputEvent): Update {
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
  const filter = (shown: State, text: string): State =>
    putPage(shown, setFilter(page, text, pageHeight(state, page)));
  const key = event.type === "key" ? event.key : "";
  if (key === "enter") return [closed, []];
  if (key === "esc") return [filter(closed, ""), []];
  if (key === "up" || key === "down") return moveBy(closed, key === "up" ? -1 : 1);
  const next = edit({ value: dialog.text, caret: dialog.caret }, event);
  if (next === undefined) return [state, []];
  const dialogAfter: FilterDialog = { ...dialog, text: next.value, caret: next.caret };
  return [{ ...filter(state, next.value), dialog: dialogAfter }, []];
}

/** Applies a click on something that was drawn as clickable. */
export function onClick(state: State, click: Click): Update {
  const { dialog } = state;
  if (dialog !== undefined)
    return click.type === "item" ? onItem(state, dialog, click.index) : [state, []];
  const calm: State = { ...state, notice: undefined, bar: undefined };
  if (click.type === "command") {
    const command = commandById(calm, click.id);
    return command === undefined ? [calm, []] : runCommand(calm, command);
  }
  if (click.type !== "row") return [calm, []];
  const page = currentPage(calm);
  // A second click on a row opens it.
  if ("cursor" in page && page.cursor === click.index) return open(calm);
  return [moveTo(calm, click.index), []];
}

function onItem(state: State, dialog: Dialog, index: number): Update {
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
