/** The rows of a bucket page that are marked, in a range, or otherwise what a command is about. */
import { NO_MARKS, setMarks } from "../../list/marks.js";
import { idAt, idsIn, rowCount } from "../../list/view.js";
import { markedTargets, targetOf, withKeys } from "../../state/targets.js";
import type { Targets } from "../../state/types.js";
import { under } from "./listing.js";
import type { ObjectsPage } from "./state.js";

/** Marks or unmarks the row under the cursor. */
export function toggleMark(page: ObjectsPage): ObjectsPage {
  const id = idAt(page.view, page.cursor);
  if (id === undefined) return page;
  const on = page.marks.bits[id] !== 1;
  return { ...page, marks: setMarks(page.store, page.marks, [id], on) };
}

/** Marks everything from the anchor to the cursor. */
export function markRange(page: ObjectsPage): ObjectsPage {
  if (page.anchor === undefined) return page;
  const known = ranges.get(page);
  if (known !== undefined) return known;
  const [from, to] = [Math.min(page.anchor, page.cursor), Math.max(page.anchor, page.cursor)];
  const ids = idsIn(page.view, from, to + 1);
  const marks = setMarks(page.store, page.marks, ids, true);
  const ended = { ...page, marks, anchor: undefined };
  ranges.set(page, ended);
  return ended;
}

/** The marks of a long range are asked for several times a frame. */
const ranges = new WeakMap<ObjectsPage, ObjectsPage>();

/** Marks every row, or unmarks all when all are marked. */
export function toggleAll(page: ObjectsPage): ObjectsPage {
  const count = rowCount(page.view);
  const marked = setMarks(page.store, page.marks, idsIn(page.view, 0, count), true);
  return { ...page, marks: marked.count === page.marks.count ? NO_MARKS : marked };
}

/** How many rows are chosen; of an open range of several, those in it. It is asked for each frame. */
export function chosenCount(page: ObjectsPage): number {
  const { anchor = page.cursor, cursor, view } = page;
  const range = Math.abs(anchor - cursor) + 1;
  if (range > 1) return range;
  return markRange(page).marks.count || Math.min(1, rowCount(view));
}

/** Marked rows and those of a range that is open, or the one under the cursor. */
export function chosen(page: ObjectsPage): Targets {
  const { marks } = markRange(page);
  if (marks.count > 0) return markedTargets(page.store, marks);
  const entry = under(page);
  return entry === undefined ? [] : [targetOf(entry)];
}

/** The change of a row that a job is going to take away. */
export function verbFor({ leaving }: ObjectsPage, id: number, key: string): string | undefined {
  return leaving.find(
    ({ targets, before }) =>
      id < before && withKeys(targets, [key]).some(({ versionId }) => versionId === undefined),
  )?.verb;
}
