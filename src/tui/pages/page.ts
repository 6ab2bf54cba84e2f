/** The parts of a page: its data, its keys, its rows, and its handling of the core's answers. */
import type { ReactNode } from "react";

import { listHeight } from "../layout.js";
import type { Action, Update } from "../state/actions.js";
import type {
  ConfirmDialog,
  ConfirmPurpose,
  FormDialog,
  FormPurpose,
  MenuPurpose,
  Page,
  State,
} from "../state/types.js";
import type { Row, Span } from "../view/rows.js";

/** Something a key, a button, a click or the palette can run. */
export interface Command {
  /** Its name in the keymap. */
  readonly id: string;
  /** For the help and the palette. */
  readonly title: string;
  /** One or two words for the footer; without them it is not shown there. */
  readonly short?: string | undefined;
  /** Its label on the action bar; default the title. */
  readonly bar?: string | undefined;
  /** The label where the screen is narrow. */
  readonly barShort?: string | undefined;
  /** Changes something on a service; `--readonly` disables it. */
  readonly writes?: boolean | undefined;
  /** Why it cannot be run now. */
  readonly disabled?: ((state: State) => string | undefined) | undefined;
  /** The pages that do not need a command that every page has. Default none. */
  readonly except?: ((type: PageType) => boolean) | undefined;
  readonly run: (state: State) => Update;
}

/** The row that a motion leads to, in a list of `count` rows with `height` of them on screen. */
export type Motion = (at: number, count: number, height: number) => number;

/** The text of the status line: facts on the left, work under way on the right. */
export interface Status {
  readonly left: readonly (Span | undefined)[];
  readonly right: Row;
}

/** The handlers of forms, menus and questions that were answered. */
export interface Replies {
  readonly forms?: {
    readonly [T in FormPurpose["type"]]?: (
      state: State,
      form: FormDialog,
      purpose: Extract<FormPurpose, { type: T }>,
      button: string,
    ) => Update;
  };
  /** The dialog is closed by then. */
  readonly menus?: { readonly [T in MenuPurpose]?: (state: State, value: string) => Update };
  /** The dialog is closed by then. */
  readonly confirms?: {
    readonly [T in ConfirmPurpose["type"]]?: (
      state: State,
      purpose: Extract<ConfirmPurpose, { type: T }>,
      dialog: ConfirmDialog,
    ) => Update;
  };
  /** The handlers of the core's answers; see `onPage`. */
  readonly answers?: {
    readonly [T in Action["type"]]?: (state: State, action: Extract<Action, { type: T }>) => Update;
  };
}

export interface PageType<P extends Page = Page> extends Replies {
  readonly type: P["type"];
  /** The names of the place, from the outside in. */
  readonly crumbs: (page: P) => readonly string[];
  /** Besides those that every page has. */
  readonly commands: readonly Command[];
  /** Names of the commands on the action bar and on the footer, the most useful first. */
  readonly bar: readonly string[];
  readonly footer: readonly string[];
  /** Rows of the page's list; a page without a list has none. */
  readonly count?: (state: State, page: P) => number;
  /** Rows of it on screen; default all below the headings. */
  readonly height?: (state: State, page: P) => number;
  /** For a page that moves something else than a cursor. */
  readonly move?: (state: State, page: P, to: Motion) => Update;
  readonly open?: (state: State, page: P) => Update;
  readonly parent?: (state: State, page: P) => Update;
  readonly refresh?: (state: State, page: P) => Update;
  /** The text of its filter, and how it is set; a page without a filter has neither. */
  readonly filter?: {
    readonly text: (page: P) => string;
    readonly set: (state: State, page: P, filter: string) => Update;
  };
  /** Leaves something transient first; undefined when there is nothing but the page to leave. */
  readonly back?: (state: State, page: P) => Update | undefined;
  /** Runs when the page is on screen again. */
  readonly resume?: (state: State, page: P) => Update;
  /** Runs after each action while the page is on screen: the update that its new state asks for. */
  readonly settled?: (state: State, page: P) => Update;
  /** Runs when the size of the screen has changed. */
  readonly resized?: (state: State, page: P) => Update;
  readonly busy?: (state: State, page: P) => boolean;
  /**
   * Its components and its buttons are the same wherever the cursor is: only rows of its list, the
   * status line and what is shown of one row change, which are drawn from the state of each frame.
   */
  readonly steady?: boolean | undefined;
  /** Another page may stand beside it. */
  readonly pane?: boolean | undefined;
  readonly body: (props: { readonly state: State; readonly page: P }) => ReactNode;
  readonly status: (state: State, page: P) => Status;
}

const types = new Map<Page["type"], PageType>();
let shared: readonly Command[] = [];
let replies: readonly Replies[] = [];

/** Makes pages known, with the commands that every page has; done once, by the registry. */
export function register(
  pages: readonly PageType[],
  everywhere: readonly Command[],
  others: readonly Replies[],
): void {
  for (const page of pages) types.set(page.type, page);
  shared = everywhere;
  replies = [...pages, ...others];
}

/** A page type as the registry takes it. */
export function definePage<P extends Page>(type: PageType<P>): PageType {
  return type as unknown as PageType;
}

/** The type of a page. */
export function typeOf(page: Page): PageType {
  const type = types.get(page.type);
  if (type === undefined) throw new Error(`no page is called ${page.type}`);
  return type;
}

const commands = new Map<PageType, readonly Command[]>();

/** The page's own commands, then those of every page. */
export function commandsOf(state: State): readonly Command[] {
  const type = typeOf(currentPage(state));
  let found = commands.get(type);
  if (found === undefined) {
    found = [...type.commands, ...shared.filter(({ except }) => !except?.(type))];
    commands.set(type, found);
  }
  return found;
}

/** The handler of an action, a form, a menu or a question. */
export function replyTo(kind: keyof Replies, name: string): unknown {
  for (const reply of replies) {
    const table = reply[kind] as Readonly<Record<string, unknown>> | undefined;
    if (table?.[name] !== undefined) return table[name];
  }
  return undefined;
}

/** The page on screen. */
export function currentPage(state: State): Page {
  return state.pages.at(-1)!;
}

/** Rows of the page's list. */
export function countOf(state: State, page: Page): number {
  return typeOf(page).count?.(state, page) ?? 0;
}

/** Rows on screen for the page's list. */
export function heightOf(state: State, page: Page = currentPage(state)): number {
  return typeOf(page).height?.(state, page) ?? listHeight(state.size);
}
