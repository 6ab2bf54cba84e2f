/** How far each page can be moved about in. */
import { bodyHeight, listHeight, place } from "../layout.js";
import { detailRows } from "./details.js";
import { currentPage, putPage } from "./pages.js";
import type { Page, State } from "./types.js";

/** Rows on screen for the page's list. */
export function pageHeight(state: State, page: Page = currentPage(state)): number {
  switch (page.type) {
    case "preview":
    case "help":
      return bodyHeight(state.size);
    case "details":
      return Math.max(1, bodyHeight(state.size) - DETAILS_HEAD);
    case "transfers":
      return Math.max(1, Math.floor((bodyHeight(state.size) - 1) / JOB_ROWS));
    default:
      return listHeight(state.size);
  }
}

/** Rows above the content of a details page: the key, the tabs, a blank line. */
export const DETAILS_HEAD = 3;

/** Rows one transfer takes. */
export const JOB_ROWS = 3;

/** How many rows the page's list has. */
export function rowCount(state: State, page: Page): number {
  switch (page.type) {
    case "sign-in":
      return page.aliases.length;
    case "buckets":
      return page.buckets.length;
    case "objects":
      return page.rows.length;
    case "picker":
      return page.entries.length;
    case "transfers":
      return state.jobs.length;
    case "details":
      return detailRows(page).length;
    case "preview":
    case "help":
      return 0;
  }
}

/** Puts the cursor of the page on a row, as near as there is one. */
export function moveTo(state: State, index: number): State {
  const page = currentPage(state);
  if (!("cursor" in page)) return state;
  const at = place(page, index, rowCount(state, page), pageHeight(state, page));
  return putPage(state, { ...page, ...at });
}

/** The same cursor for a screen of another height. */
export function keepVisible(state: State): State {
  const pages = state.pages.map((page) =>
    "cursor" in page
      ? { ...page, ...place(page, page.cursor, rowCount(state, page), pageHeight(state, page)) }
      : page,
  );
  return { ...state, pages };
}
