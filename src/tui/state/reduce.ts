/** The console's one reducer: what happened in, the next state and what to do about it out. */
import { signedIn } from "../commands/submit.js";
import { place } from "../layout.js";
import type { Action, Update } from "./actions.js";
import { confirmReplace } from "./confirm.js";
import { objectOf } from "./details.js";
import { onInput, onClick } from "./input.js";
import { jobEnded, keysGone } from "./job-results.js";
import { startUpload } from "./jobs.js";
import { addEntries } from "./listing.js";
import { changePage, currentPage, putPage, relist, say } from "./pages.js";
import { fetchWindow } from "./preview.js";
import { keepVisible, pageHeight } from "./scroll.js";
import type { Dialog, Failure, Page, State } from "./types.js";

const READY = { type: "ready" } as const;

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
    case "aliases":
      return [
        changePage(state, action.page, "sign-in", (page) => {
          const { aliases } = action;
          const at = place(page, page.cursor, aliases.length, pageHeight(state, page));
          return { ...page, load: READY, aliases, ...at };
        }),
        [],
      ];
    case "buckets":
      return [
        changePage(state, action.page, "buckets", (page) => {
          const { buckets } = action;
          const at = place(page, page.cursor, buckets.length, pageHeight(state, page));
          return { ...page, load: READY, buckets, ...at };
        }),
        [],
      ];
    case "entries":
      return [
        changePage(state, action.page, "objects", (page) =>
          addEntries(page, action.entries, pageHeight(state, page)),
        ),
        [],
      ];
    case "listed":
      return [
        changePage(state, action.page, "objects", (page) => {
          const whole = page.replacing ? addEntries(page, [], pageHeight(state, page)) : page;
          // Marks on what is gone would count what cannot be acted on.
          const marks =
            page.marks.size === 0
              ? page.marks
              : new Set(whole.all.map(({ key }) => key).filter((key) => page.marks.has(key)));
          return { ...whole, marks, load: READY, wanted: undefined };
        }),
        [],
      ];
    case "directory":
      return [
        changePage(state, action.page, "picker", (page) => {
          const { directory, entries } = action;
          const came = entries.findIndex(({ path, name }) => path === page.wanted && name !== "..");
          // The parent is the first row; the cursor begins below it.
          const first = came >= 0 ? came : entries.findIndex(({ name }) => name !== "..");
          const at = place({ cursor: 0, top: 0 }, first, entries.length, pageHeight(state, page));
          return { ...page, load: READY, directory, entries, wanted: undefined, ...at };
        }),
        [],
      ];
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
    case "upload-checked":
      if (currentPage(state).id !== action.page) return [state, []];
      return action.existing.length > 0
        ? confirmReplace(state, action.spec, action.existing)
        : startUpload(state, action.spec);
    case "job-progress":
      return [
        {
          ...state,
          jobs: state.jobs.map((job) =>
            job.id === action.job && job.status === "running"
              ? { ...job, snapshot: action.snapshot }
              : job,
          ),
        },
        [],
      ];
    case "keys-gone":
      return [keysGone(state, action.from, action.keys), []];
    case "job-ended":
      return jobEnded(state, action);
    case "copied":
      return copied(state, action.what, action.text, action.sent);
    case "notice":
      return [say(state, action.tone, action.text), []];
    default:
      return onDone(state, action);
  }
}

type DoneAction = Extract<
  Action,
  {
    type:
      | "alias-saved"
      | "alias-removed"
      | "bucket-made"
      | "bucket-removed"
      | "object-put"
      | "saved"
      | "info"
      | "tags"
      | "versions"
      | "url"
      | "part-failed"
      | "previewed";
  }
>;

/** Answers of the service to what a dialog or an object's page asked for. */
function onDone(state: State, action: DoneAction): Update {
  switch (action.type) {
    case "alias-saved":
      return signedIn(state, action.name);
    case "alias-removed": {
      const page = currentPage(state);
      return [
        say(state, "success", `Forgot ${action.name}`),
        [{ type: "load-aliases", page: page.id }],
      ];
    }
    case "bucket-made":
    case "bucket-removed": {
      const page = currentPage(state);
      const verb = action.type === "bucket-made" ? "Created" : "Removed";
      const said = say(closed(state, action.dialog), "success", `${verb} ${action.bucket}`);
      if (page.type !== "buckets") return [said, []];
      return [said, [{ type: "list-buckets", page: page.id, alias: page.alias }]];
    }
    case "object-put": {
      const page = currentPage(state);
      const said = say(closed(state, action.dialog), "success", "Created");
      return page.type === "objects" ? relist(said, page, action.key) : [said, []];
    }
    case "saved": {
      const page = currentPage(state);
      const said = say(closed(state, action.dialog), "success", `Saved the ${action.what}`);
      if (page.type !== "details") return [said, []];
      const object = objectOf(page);
      const load = action.what === "tags" ? "load-tags" : "load-info";
      return [
        said,
        [
          { type: load, page: page.id, object },
          { type: "load-versions", page: page.id, object },
        ],
      ];
    }
    case "previewed":
      return [
        changePage(state, action.page, "preview", (page) => {
          const { size, offset, content } = action;
          return { ...page, load: READY, size, offset, content, top: 0 };
        }),
        [],
      ];
    default: {
      const part = action.type === "part-failed" ? action.part : action.type;
      const value =
        action.type === "part-failed"
          ? { load: { type: "failed" as const, failure: action.failure } }
          : { load: READY, value: valueOf(action) };
      return [
        keepVisible(
          changePage(state, action.page, "details", (page) => ({ ...page, [part]: value })),
        ),
        [],
      ];
    }
  }
}

function valueOf(action: Extract<DoneAction, { type: "info" | "tags" | "versions" | "url" }>) {
  switch (action.type) {
    case "info":
      return action.info;
    case "tags":
      return action.tags;
    case "versions":
      return action.versions;
    case "url":
      return { url: action.url, note: action.note };
  }
}

function onResize(state: State): Update {
  const shown = keepVisible(state);
  const page = currentPage(shown);
  // A picture is made for the cells there are.
  return page.type === "preview" && page.content?.type === "image"
    ? fetchWindow(shown, page, 0)
    : [shown, []];
}

function onBackground(state: State, light: boolean): Update {
  if (state.look.theme === "mono") return [state, []];
  return [{ ...state, look: { ...state.look, theme: light ? "light" : "dark" } }, []];
}

function pageFailed(state: State, id: number, failure: Failure): State {
  const page = state.pages.find((page) => page.id === id);
  if (page === undefined || !("load" in page)) return state;
  const failed = { ...page, load: { type: "failed", failure } } as Page;
  return putPage(state, failed);
}

function changeDialog(state: State, id: number, change: (dialog: Dialog) => Dialog): State {
  return state.dialog?.id === id ? { ...state, dialog: change(state.dialog) } : state;
}

/** A dialog that was closed in the meantime, or never was one, says it on the status line. */
function dialogFailed(state: State, id: number, failure: Failure): State {
  if (state.dialog?.id !== id) {
    return say(state, "error", `${failure.code}: ${failure.message}`);
  }
  return changeDialog(state, id, (dialog) =>
    dialog.type === "form" ? { ...dialog, busy: false, failure } : dialog,
  );
}

function closed(state: State, id: number): State {
  return state.dialog?.id === id ? { ...state, dialog: undefined } : state;
}

function copied(state: State, what: string, text: string, sent: boolean): Update {
  const title = sent ? `The ${what} was sent to the clipboard` : `The ${what}, to copy by hand`;
  return [
    {
      ...state,
      dialog: { type: "text", id: state.nextId, title, lines: [text] },
      nextId: state.nextId + 1,
    },
    [],
  ];
}
