/** How the screen is divided. Everything that scrolls asks here how many rows it has. */
import type { Scroll, Size } from "./state/types.js";

/** Smaller screens show a message instead. */
export const SMALLEST: Size = { columns: 60, rows: 15 };

/** The size of a screen that is read out: so wide that hardly anything is cut. */
export const PLAIN_SIZE: Size = { columns: 400, rows: 46 };

/** Header, action bar, rule; rule, status, footer. */
const CHROME = 6;

/** Rows between the rules. */
export function bodyHeight(size: Size): number {
  return Math.max(1, size.rows - CHROME);
}

/** Rows of a list that has one row of headings. */
export function listHeight(size: Size): number {
  return Math.max(1, bodyHeight(size) - 1);
}

/** A cursor put at `index` of `count` rows, with the first row on screen moved as little as can be. */
export function place(at: Scroll, index: number, count: number, height: number): Scroll {
  const cursor = Math.max(0, Math.min(index, count - 1));
  const highest = Math.max(0, count - height);
  const top = Math.min(Math.max(at.top, cursor - height + 1), cursor, highest);
  return { cursor, top: Math.max(0, top) };
}
