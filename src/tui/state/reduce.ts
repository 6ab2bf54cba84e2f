/** The console's one reducer: an action goes in, the next state and its effects come out. */
import { changeDialog, dialogFailed } from "../dialogs/change.js";
import { askNext } from "../dialogs/conflict.js";
import { currentPage, replyTo, typeOf } from "../pages/page.js";
import { registerPages } from "../pages/registry.js";
import { type Action, type Effect, type Update, also } from "./actions.js";
import { onClick, onInput } from "./input.js";
import { unfinished } from "./jobs.js";
import { keepVisible, leave, openText, pageWith, putPage, say } from "./stack.js";
import type { Notice, ShownFailure, State } from "./types.js";

registerPages();

/**
 * Applies an action at a time, in milliseconds since the epoch. Pure: the same inputs give the same
 * result, and nothing else happens.
 */
export function reduce(before: State, action: Action, now: number): Update {
  const [applied, asked] = apply(before, action);
  const page = currentPage(applied);
  const follows = applied === before ? undefined : typeOf(page).settled?.(applied, page);
  const [state, more] = follows ?? [applied, []];
  const effects = [...asked, ...more];
  const { notice } = state;
  const kept = before.jobs === state.jobs ? undefined : keptJobs(before, state);
  const told = notice !== undefined && notice !== before.notice;
  const said = told ? noted(state, notice, now) : state;
  return askNext([said, kept === undefined ? effects : [...effects, kept]]);
}

/** Lines of the session's log that are kept. */
const KEPT_LINES = 1000;

/** The state with a message kept in its log, so that it is not lost with the next key. */
function noted(state: State, notice: Notice, at: number): State {
  return { ...state, log: [...state.log.slice(1 - KEPT_LINES), { ...notice, at }] };
}

/** The effect that keeps the unfinished jobs, when these have changed. */
function keptJobs(before: State, state: State): Effect | undefined {
  const [old, specs] = [unfinished(before), unfinished(state)];
  const same = old.length === specs.length && specs.every((spec, at) => spec === old[at]);
  return same ? undefined : { type: "keep-jobs", specs };
}

function apply(state: State, action: Action): Update {
  switch (action.type) {
    case "input":
      if (action.event.type === "background") return onBackground(state, action.event.light);
      return onInput(state, action.event);
    case "click":
      return onClick(state, action.click);
    case "background":
      return onBackground(state, action.light);
    case "resize":
      return onResize({ ...state, size: action.size });
    case "tick":
      return [{ ...state, tick: state.tick + 1 }, []];
    case "page-failed":
      return pageFailed(state, action.page, action.failure);
    case "dialog-failed":
      return [dialogFailed(state, action.dialog, action.failure), []];
    case "dialog-notice":
      return [
        changeDialog(state, action.dialog, (dialog) =>
          dialog.type === "form" ? { ...dialog, busy: false, notice: action.text } : dialog,
        ),
        [],
      ];
    case "counted":
      return [
        changeDialog(state, action.dialog, (dialog) => {
          return dialog.type === "confirm" ? { ...dialog, count: action.count } : dialog;
        }),
        [],
      ];
    case "copied":
      return copied(state, action.what, action.text, action.sent);
    case "edit-kept":
      return openText(state, "Not saved", [
        ...action.lines,
        "",
        "Your text is in this file:",
        action.path,
      ]);
    case "notice":
      return [say(state, action.tone, action.text), []];
    default: {
      const answer = replyTo("answers", action.type) as
        | ((state: State, action: Action) => Update)
        | undefined;
      return answer?.(state, action) ?? [state, []];
    }
  }
}

function onResize(state: State): Update {
  const shown = keepVisible(state);
  const page = currentPage(shown);
  return typeOf(page).resized?.(shown, page) ?? [shown, []];
}

function onBackground(state: State, light: boolean): Update {
  if (state.look.theme === "mono") return [state, []];
  return [{ ...state, look: { ...state.look, theme: light ? "light" : "dark" } }, []];
}

function pageFailed(state: State, id: number, failure: ShownFailure): Update {
  const page = pageWith(state, id);
  if (page === undefined || !("load" in page)) return [state, []];
  const text = `${typeOf(page).crumbs(page).join("/")} cannot be opened: ${failure.message}`;
  if (state.guessed.includes(id) && currentPage(state) === page) {
    return also(leave(state), (left) => [say(left, "warning", text), []]);
  }
  return [putPage(state, { ...page, load: { type: "failed", failure } }), []];
}

function copied(state: State, what: string, text: string, sent: boolean): Update {
  const title = sent ? `The ${what} was sent to the clipboard` : `The ${what}, to copy by hand`;
  return openText(state, title, text.split("\n"));
}
