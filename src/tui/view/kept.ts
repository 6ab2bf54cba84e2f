/** The parts of one frame that hold for the next: most keys move a cursor, and nothing else. */
import { currentPage, typeOf } from "../pages/page.js";
import type { State } from "../state/types.js";
import type { Row } from "./rows.js";

/** Whether two values have the same fields, those named aside. */
export function alike(one: object, other: object, aside: readonly string[]): boolean {
  const [before, after] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
  for (const name in after) {
    if (before[name] !== after[name] && !aside.includes(name)) return false;
  }
  for (const name in before) {
    if (before[name] !== after[name] && !aside.includes(name)) return false;
  }
  return true;
}

/** Whether the screen has the same components: the cursor moved on a page that is but a list and its pane. */
export function onlyMoved(before: State, after: State): boolean {
  const [was, is] = [currentPage(before), currentPage(after)];
  return (
    typeOf(is).steady === true &&
    alike(before, after, ["pages", "notice"]) &&
    before.pages.length === after.pages.length &&
    alike(was, is, ["cursor", "top", "peek"])
  );
}

/** Keeps a row, or what one is made of, until one of the values that it shows is another. */
export function keeper<T = Row>(): (shown: readonly unknown[], make: () => T) => T {
  let last: readonly unknown[] | undefined;
  let kept: T | undefined;
  return (shown, make) => {
    const same = last?.length === shown.length && last.every((value, at) => value === shown[at]);
    if (!same) [last, kept] = [shown, make()];
    return kept!;
  };
}
