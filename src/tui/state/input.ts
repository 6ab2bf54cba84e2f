/** The effect of a key, a paste or a click: on an open dialog, else on the bar or the page. */
import { barOf, commandById, commandByKey, runCommand } from "../commands.js";
import { quit } from "../dialogs/confirm.js";
import { onDialog, onItem } from "../dialogs/input.js";
import { moveBy, open } from "../pages/everywhere.js";
import { currentPage } from "../pages/page.js";
import type { InputEvent } from "../terminal/input.js";
import type { Click, Effect, Update } from "./actions.js";
import { droppedPaths } from "./drop.js";
import { switchPane } from "./panes.js";
import { moveTo, placeOf } from "./stack.js";
import type { State } from "./types.js";

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
  if (event.type === "key" && (event.key === "ctrl-z" || event.key === "ctrl-l")) {
    for (const type of ["suspend", "redraw"] as const) {
      if (state.keymap[type]?.includes(event.key)) return [state, [{ type }]];
    }
  }
  if (state.dialog !== undefined) return onDialog(state, state.dialog, event);
  const calm: State = state.notice === undefined ? state : { ...state, notice: undefined };
  if (event.type === "paste") return [calm, onDrop(calm, event.text)];
  if (event.type !== "key") return [calm, []];
  if (calm.bar !== undefined) return onBar(calm, calm.bar, event.key);
  const command = commandByKey(calm, event.key);
  return command === undefined ? [calm, []] : runCommand(calm, command);
}

/** A file dropped on the window comes as a pasted path: it may be meant to be uploaded. */
function onDrop(state: State, text: string): Effect[] {
  const page = currentPage(state);
  if (page.type !== "objects" || state.readonly) return [];
  const paths = droppedPaths(text);
  return paths.length === 0 ? [] : [{ type: "drop", target: placeOf(page), paths }];
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

/** Applies a click on something that was drawn as clickable. */
export function onClick(state: State, click: Click): Update {
  const { dialog } = state;
  if (dialog !== undefined)
    return click.type === "item" ? onItem(state, dialog, click.index) : [state, []];
  const beside = click.type === "row" && click.page === state.other?.pages.at(-1)?.id;
  const calm: State = {
    ...(beside ? switchPane(state) : state),
    notice: undefined,
    bar: undefined,
  };
  if (click.type === "command") {
    const command = commandById(calm, click.id);
    return command === undefined ? [calm, []] : runCommand(calm, command);
  }
  if (click.type !== "row") return [calm, []];
  const page = currentPage(calm);
  // A second click on a row opens it.
  if (!beside && "cursor" in page && page.cursor === click.index) return open(calm);
  return [moveTo(calm, click.index), []];
}
