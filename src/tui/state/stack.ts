/** The pages one on top of the other: opening, changing and leaving them. */
import { place } from "../layout.js";
import { countOf, currentPage, heightOf, typeOf } from "../pages/page.js";
import type { Effect, Update } from "./actions.js";
import type { Memory } from "./memory.js";
import type { Dialog, Notice, Page, PrefixRef, State } from "./types.js";

export const START = { cursor: 0, top: 0 } as const;
export const LOADING = { type: "loading" } as const;
export const READY = { type: "ready" } as const;

/** The page on screen when it is of one type. */
export function pageOf<T extends Page["type"]>(
  state: State,
  type: T,
): Extract<Page, { type: T }> | undefined {
  const page = currentPage(state);
  return page.type === type ? (page as Extract<Page, { type: T }>) : undefined;
}

/** A command for one type of page; it does nothing on another. */
export function onPage<T extends Page["type"]>(
  type: T,
  run: (state: State, page: Extract<Page, { type: T }>) => Update,
): (state: State) => Update {
  return (state) => {
    const page = pageOf(state, type);
    return page === undefined ? [state, []] : run(state, page);
  };
}

/** The page with an id, in either pane. */
export function pageWith(state: State, id: number): Page | undefined {
  return [...state.pages, ...(state.other?.pages ?? [])].find((page) => page.id === id);
}

/** Applies a change to every page of both panes. */
export function mapPages(state: State, change: (page: Page) => Page): State {
  const { pages, other } = state;
  const beside = other && { ...other, pages: other.pages.map(change) };
  return { ...state, pages: pages.map(change), other: beside };
}

/** Replaces the page with the same id; a page that is gone stays gone. */
export function putPage(state: State, page: Page): State {
  return mapPages(state, (old) => (old.id === page.id ? page : old));
}

/** Applies a change to the page with an id and a type, if it is still there. */
export function changePage<T extends Page["type"]>(
  state: State,
  id: number,
  type: T,
  change: (page: Extract<Page, { type: T }>) => Page,
): State {
  const page = pageWith(state, id);
  if (page?.type !== type) return state;
  return putPage(state, change(page as Extract<Page, { type: T }>));
}

/** State without anything that belongs to one moment on one page. */
export function settle(state: State): State {
  return { ...state, dialog: undefined, bar: undefined, notice: undefined };
}

/** Opens a page on top of the others, whose work goes on. */
export function push(state: State, page: Page, ...effects: Effect[]): Update {
  return [{ ...settle(state), pages: [...state.pages, page], nextId: state.nextId + 1 }, effects];
}

/** Leaves the page for the one below it; the last page cannot be left. */
export function leave(state: State): Update {
  if (state.pages.length < 2) return [state, []];
  const left = currentPage(state);
  const below = { ...settle(state), pages: state.pages.slice(0, -1) };
  const page = currentPage(below);
  const [next, effects] = typeOf(page).resume?.(below, page) ?? [below, []];
  return [next, [{ type: "stop", id: left.id }, ...effects]];
}

/** Opens a dialog; it gets the next number. */
export function openDialog(
  state: State,
  make: (id: number) => Dialog,
  ...effects: Effect[]
): Update {
  const dialog = make(state.nextId);
  return [{ ...state, dialog, notice: undefined, nextId: state.nextId + 1 }, effects];
}

/** Shows a text to read or to copy by hand. */
export function openText(state: State, title: string, lines: readonly string[]): Update {
  return openDialog(state, (id) => ({ type: "text", id, title, lines, top: 0 }));
}

/** Closes the dialog and ends what it was waiting for. */
export function closeDialog(state: State): Update {
  if (state.dialog === undefined) return [state, []];
  return [{ ...state, dialog: undefined }, [{ type: "stop", id: state.dialog.id }]];
}

/** Keeps something for the next time. */
export function remember(state: State, change: Partial<Memory>): Update {
  const memory = { ...state.memory, ...change };
  return [{ ...state, memory }, [{ type: "remember", memory }]];
}

/** Says something on the status line until the next key. */
export function say(state: State, tone: Notice["tone"], text: string): State {
  return { ...state, notice: { tone, text } };
}

/** The place alone, of anything that has one. */
export function placeOf({ alias, bucket, prefix }: PrefixRef): PrefixRef {
  return { alias, bucket, prefix };
}

/** How a person types a place. */
export function addressOf(place: PrefixRef): string {
  return `${place.alias}/${place.bucket}/${place.prefix}`;
}

/** A path as it was typed, with `~` for one's home: no shell has expanded it. */
export function atHome({ local }: State, path: string): string {
  return path.replace(/^~(?=$|\/)/, local.home);
}

/** Puts the cursor of the page on a row, as near as there is one. */
export function moveTo(state: State, index: number): State {
  const page = currentPage(state);
  if (!("cursor" in page)) return state;
  const { cursor, top } = place(page, index, countOf(state, page), heightOf(state, page));
  return putPage(state, { ...page, cursor, top });
}

/** The same cursors for a screen of another height, or lists of another length. */
export function keepVisible(state: State): State {
  return mapPages(state, (page) =>
    "cursor" in page
      ? { ...page, ...place(page, page.cursor, countOf(state, page), heightOf(state, page)) }
      : page,
  );
}
