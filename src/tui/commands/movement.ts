/** Moving about in a list, a preview or the help. */
import { currentPage, putPage } from "../state/pages.js";
import { scrollPreview } from "../state/preview.js";
import { moveTo, pageHeight, rowCount } from "../state/scroll.js";
import type { Update } from "../state/actions.js";
import type { State } from "../state/types.js";
import { type Command, EVERYWHERE } from "./types.js";

type Motion = (at: number, count: number, height: number) => number;

function motion(id: string, title: string, to: Motion): Command {
  return { id, title, scopes: EVERYWHERE, run: (state) => move(state, to) };
}

/** Moves the cursor, or the text of a page that has none. */
function move(state: State, to: Motion): Update {
  const page = currentPage(state);
  const height = pageHeight(state, page);
  if (page.type === "preview") return scrollPreview(state, page, to, height);
  if (page.type === "help") {
    const count = page.lines.length;
    const top = Math.max(0, Math.min(to(page.top, count, height), count - height));
    return [putPage(state, { ...page, top }), []];
  }
  if (!("cursor" in page)) return [state, []];
  return [moveTo(state, to(page.cursor, rowCount(state, page), height)), []];
}

/** Moves by rows, as the wheel does. */
export function moveBy(state: State, rows: number): Update {
  return move(state, (at) => at + rows);
}

export const MOVEMENT: readonly Command[] = [
  motion("up", "Up", (at) => at - 1),
  motion("down", "Down", (at) => at + 1),
  motion("page-up", "A screen up", (at, _count, height) => at - height),
  motion("page-down", "A screen down", (at, _count, height) => at + height),
  motion("first", "To the first row", () => 0),
  motion("last", "To the last row", (_at, count) => Math.max(0, count - 1)),
];
