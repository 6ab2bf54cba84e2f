/** Two panes side by side: each has pages of its own, and one of them has the focus. */
import { currentPage, typeOf } from "../pages/page.js";
import { type Update } from "./actions.js";
import { addressOf, settle } from "./stack.js";
import type { Page, State } from "./types.js";

/** The pages on screen, from the left: two only where both may stand beside another. */
export function shownPages(state: State): readonly Page[] {
  const page = currentPage(state);
  const beside = state.other?.pages.at(-1);
  if (beside === undefined || !typeOf(page).pane || !typeOf(beside).pane) return [page];
  if (state.look.plain) return [page];
  return state.other?.left === true ? [beside, page] : [page, beside];
}

/** Whether a page has the focus. */
export function hasFocus(state: State, page: unknown): boolean {
  return state.other === undefined || currentPage(state) === page;
}

/** Gives the focus to the other pane. */
export function switchPane(state: State): State {
  const { pages, other } = state;
  if (other === undefined) return state;
  return { ...settle(state), pages: other.pages, other: { pages, left: !other.left } };
}

/** Closes the pane that has not the focus, and ends what it was reading. */
export function closeOther(state: State): Update {
  const gone = state.other?.pages ?? [];
  return [{ ...state, other: undefined }, gone.map(({ id }) => ({ type: "stop", id }))];
}

/** Applies an update with the focus in each pane in turn. */
export function inBoth(state: State, update: (state: State) => Update): Update {
  const [here, effects] = update(state);
  if (here.other === undefined) return [here, effects];
  const { notice, dialog, bar } = here;
  const [there, more] = update(switchPane(here));
  return [{ ...switchPane(there), notice, dialog, bar }, [...effects, ...more]];
}

/** The place that the other pane shows, as a person types it: a place in a bucket, or a directory. */
export function placeBeside({ other }: State): string | undefined {
  const page = other?.pages.at(-1);
  if (page?.type === "objects" && page.deep === undefined) return addressOf(page);
  return page?.type === "picker" ? page.directory.replace(/\/?$/, "/") : undefined;
}
