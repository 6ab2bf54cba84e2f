/** Commands that every page has: opening, going back, moving about, quitting. */
import { isPath, splitRemote } from "../../core/location.js";
import { quit } from "../dialogs/confirm.js";
import { field, openForm, valuesOf } from "../dialogs/form.js";
import { type Update, also } from "../state/actions.js";
import { canUndo, confirmUndo } from "../state/jobs.js";
import { closeOther, shownPages, switchPane } from "../state/panes.js";
import { addressOf, atHome, closeDialog, leave, moveTo, openDialog, push } from "../state/stack.js";
import type { Job, State } from "../state/types.js";
import { openBuckets } from "./buckets/state.js";
import { openHelp } from "./help/index.js";
import { openLog } from "./log/index.js";
import { openObjects } from "./objects/state.js";
import {
  type Command,
  type Motion,
  type PageType,
  type Replies,
  countOf,
  currentPage,
  heightOf,
  typeOf,
} from "./page.js";
import { enterDirectory, newPicker } from "./picker/state.js";
import { openSignIn } from "./sign-in/state.js";
import { openTransfers } from "./transfers/state.js";

/** The job on screen, or the latest that can be undone. */
function jobToUndo(state: State): Job | undefined {
  const page = currentPage(state);
  if (page.type === "job") return state.jobs.find(({ id }) => id === page.job);
  if (page.type === "transfers") return state.jobs[page.cursor];
  return state.jobs.find((job) => canUndo(job) === undefined);
}

/** What a page does in a way of its own, or not at all. */
type Own = "open" | "parent" | "refresh";

function runOwn(state: State, what: Own): Update {
  const page = currentPage(state);
  return typeOf(page)[what]?.(state, page) ?? [state, []];
}

function own(id: Own, command: Pick<Command, "title" | "short" | "bar">): Command {
  return { id, ...command, except: (type) => !type[id], run: (state) => runOwn(state, id) };
}

/** Opens what is under the cursor. */
export function open(state: State): Update {
  return runOwn(state, "open");
}

/** Leaves what is transient first, then the page; from the last page, the console. */
function back(state: State): Update {
  const page = currentPage(state);
  const first = typeOf(page).back?.(state, page);
  if (first !== undefined) return first;
  if (state.pages.length > 1) return leave(state);
  return state.other === undefined ? quit(state) : closeOther(switchPane(state));
}

function focusBar(state: State): Update {
  return [{ ...state, bar: state.bar === undefined ? 0 : undefined }, []];
}

/** Opens a pane on the right, on the directory one works in, or closes the right one. */
function togglePane(state: State): Update {
  const { other } = state;
  if (other !== undefined) return closeOther(other.left ? switchPane(state) : state);
  const { nextId, pages, local } = state;
  const files = newPicker(nextId, local.directory);
  return [
    { ...state, nextId: nextId + 1, pages: [files], other: { pages, left: true } },
    [{ type: "read-directory", page: nextId, directory: local.directory }],
  ];
}

/** Moves the cursor, or what a page moves in its stead. */
function move(state: State, to: Motion): Update {
  const page = currentPage(state);
  const type = typeOf(page);
  if (type.move !== undefined) return type.move(state, page, to);
  if (!("cursor" in page)) return [state, []];
  return [moveTo(state, to(page.cursor, countOf(state, page), heightOf(state, page))), []];
}

/** Moves by rows, as the wheel does. */
export function moveBy(state: State, rows: number): Update {
  return move(state, (at) => at + rows);
}

function motion(id: string, title: string, to: Motion, short?: string): Command {
  // The loaded part of a text has other ends than the text itself.
  const except = ({ commands }: PageType) => commands.some((command) => command.id === id);
  return { id, title, short, except, run: (state) => move(state, to) };
}

export const EVERYWHERE: readonly Command[] = [
  own("open", { title: "Open", short: "open" }),
  own("parent", { title: "Up to what it is in" }),
  { id: "back", title: "Back", short: "back", run: back },
  own("refresh", { title: "Read it again", short: "refresh", bar: "Refresh" }),
  {
    id: "filter",
    title: "Filter the loaded rows",
    short: "filter",
    except: ({ filter }) => filter === undefined,
    run: (state) => {
      const page = currentPage(state);
      const text = typeOf(page).filter?.text(page) ?? "";
      return openDialog(state, (id) => ({ type: "filter", id, text, caret: text.length }));
    },
  },
  {
    id: "transfers",
    title: "Transfers",
    short: "transfers",
    except: ({ type }) => type === "picker" || type === "transfers",
    run: openTransfers,
  },
  {
    id: "undo",
    title: "Undo the transfer, or the latest that can be",
    short: "undo",
    bar: "Undo",
    writes: true,
    except: ({ type }) => type === "sign-in",
    disabled: (state) => canUndo(jobToUndo(state)),
    run: (state) => {
      const job = jobToUndo(state);
      return job === undefined ? [state, []] : confirmUndo(state, job);
    },
  },
  {
    id: "places",
    title: "Bookmarks and recent places",
    disabled: ({ memory }) =>
      memory.bookmarks.length + memory.recent.length === 0 ? "there is none yet" : undefined,
    run: (state) => {
      const { bookmarks, recent } = state.memory;
      const places = [...new Set([...bookmarks, ...recent])];
      return openDialog(state, (id) => ({
        type: "palette",
        id,
        places,
        text: "",
        caret: 0,
        cursor: 0,
      }));
    },
  },
  {
    id: "log",
    title: "Messages of this session",
    except: ({ type }) => type === "log",
    run: openLog,
  },
  {
    id: "aliases",
    title: "Switch to another alias",
    short: "aliases",
    bar: "Aliases",
    except: ({ type }) => type === "sign-in",
    run: openSignIn,
  },
  {
    id: "go-to",
    title: "Go to an address",
    run: (state) => {
      const page = currentPage(state);
      const here =
        page.type === "objects" ? addressOf(page) : page.type === "picker" ? page.directory : "";
      return openForm(state, {
        title: "Go to",
        intro: "alias, alias/bucket, alias/bucket/prefix, or a directory: /path, ./path, ~/path",
        purpose: { type: "go-to" },
        fields: [field("address", "Address", here)],
        buttons: ["Go"],
      });
    },
  },
  {
    id: "second-pane",
    title: "Open or close a second pane, to copy to and fro",
    except: ({ pane }) => pane !== true,
    run: togglePane,
  },
  {
    id: "switch-pane",
    title: "To the other pane; where there is one, to the buttons",
    short: "buttons",
    run: (state) => (shownPages(state).length > 1 ? [switchPane(state), []] : focusBar(state)),
  },
  { id: "focus-bar", title: "To the buttons and back", short: "buttons", run: focusBar },
  { id: "quit", title: "Quit", short: "quit", run: quit },
  {
    id: "suspend",
    title: "Back to the shell; fg returns",
    run: (state) => [state, [{ type: "suspend" }]],
  },
  { id: "redraw", title: "Paint the screen anew", run: (state) => [state, [{ type: "redraw" }]] },
  {
    id: "palette",
    title: "Every command of this page",
    short: "commands",
    bar: "More",
    run: (state) =>
      openDialog(state, (id) => ({ type: "palette", id, text: "", caret: 0, cursor: 0 })),
  },
  { id: "help", title: "Help", short: "help", run: openHelp },
  motion("up", "Up", (at) => at - 1),
  motion("down", "Down", (at) => at + 1, "down"),
  motion("page-up", "A screen up", (at, _count, height) => at - height),
  motion("page-down", "A screen down", (at, _count, height) => at + height, "screen down"),
  motion("half-up", "Half a screen up", (at, _count, height) => at - Math.ceil(height / 2)),
  motion("half-down", "Half a screen down", (at, _count, height) => at + Math.ceil(height / 2)),
  motion("first", "To the first row", () => 0),
  motion("last", "To the last row", (_at, count) => Math.max(0, count - 1)),
];

export const EVERYWHERE_REPLIES: Replies = {
  menus: { places: goTo },
  forms: {
    "go-to": (state, form) => {
      const address = (valuesOf(form)["address"] ?? "").trim();
      return also(closeDialog(state), (closed) => goTo(closed, address));
    },
  },
  confirms: { quit: (state) => [state, [{ type: "quit" }]] },
};

/** Opens `alias`, `alias/bucket` or `alias/bucket/prefix`, or a directory. */
function goTo(state: State, address: string): Update {
  if (isPath(address)) {
    const directory = atHome(state, address);
    const page = currentPage(state);
    if (page.type === "picker") return enterDirectory(state, page, directory);
    const files = newPicker(state.nextId, directory);
    return push(state, files, { type: "read-directory", page: files.id, directory });
  }
  const [alias, bucket, prefix] = splitRemote(address);
  if (alias === "") return [state, []];
  if (bucket === "") return openBuckets(state, alias);
  return openObjects(state, { alias, bucket, prefix });
}
