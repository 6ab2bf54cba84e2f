/** Commands that act on one type of page. */
import { pageOf } from "../state/pages.js";
import type { Update } from "../state/actions.js";
import type { Page, State } from "../state/types.js";

/** Runs with the page, which the command's scope guarantees; does nothing on any other. */
export function onPage<T extends Page["type"]>(
  type: T,
  run: (state: State, page: Extract<Page, { type: T }>) => Update,
): (state: State) => Update {
  return (state) => {
    const page = pageOf(state, type);
    return page === undefined ? [state, []] : run(state, page);
  };
}
