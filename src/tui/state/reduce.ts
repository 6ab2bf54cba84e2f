/** The console's one reducer: what happened in, the next state and what to do about it out. */
import { changeDialog, dialogFailed } from "../dialogs/change.js";
import { currentPage, replyTo, typeOf } from "../pages/page.js";
import { registerPages } from "../pages/registry.js";
import type { Action, Update } from "./actions.js";
import { onClick, onInput } from "./input.js";
import { jobEnded } from "./job-results.js";
import { keepVisible, putPage, say } from "./stack.js";
import type { Failure, State } from "./types.js";

registerPages();

/** Applies an action. Pure: the same inputs give the same result, and nothing else happens. */
export function reduce(state: State, action: Action): Update {
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
      return [pageFailed(state, action.page, action.failure), []];
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
          const { objects, bytes, done, failure } = action;
          return dialog.type === "confirm"
            ? { ...dialog, count: { objects, bytes, done, failure } }
            : dialog;
        }),
        [],
      ];
    case "job-progress": {
      const jobs = state.jobs.map((job) =>
        job.id === action.job && job.status === "running"
          ? { ...job, snapshot: action.snapshot }
          : job,
      );
      return [{ ...state, jobs }, []];
    }
    case "job-ended":
      return jobEnded(state, action);
    case "copied":
      return copied(state, action.what, action.text, action.sent);
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

function pageFailed(state: State, id: number, failure: Failure): State {
  const page = state.pages.find((page) => page.id === id);
  if (page === undefined || !("load" in page)) return state;
  return putPage(state, { ...page, load: { type: "failed", failure } });
}

function copied(state: State, what: string, text: string, sent: boolean): Update {
  const title = sent ? `The ${what} was sent to the clipboard` : `The ${what}, to copy by hand`;
  const dialog = { type: "text", id: state.nextId, title, lines: [text] } as const;
  return [{ ...state, dialog, nextId: state.nextId + 1 }, []];
}
