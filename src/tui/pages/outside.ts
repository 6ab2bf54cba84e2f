/** Opening one object in a program of the person's own. */
import type { Update } from "../state/actions.js";
import { needsObject, objectUnder } from "../state/subject.js";
import type { ObjectRef, State } from "../state/types.js";
import type { Command } from "./page.js";

/** A command for the one object it is about. */
export function withObject(run: (state: State, object: ObjectRef) => Update) {
  return (state: State): Update => {
    const object = objectUnder(state);
    return object === undefined ? [state, []] : run(state, object);
  };
}

/** An object in another program, on every page that has one. */
export const OUTSIDE: readonly Command[] = [
  {
    id: "show-outside",
    title: "Open in $PAGER",
    short: "pager",
    disabled: needsObject,
    run: withObject((state, object) => [state, [{ type: "show-outside", object }]]),
  },
  {
    id: "edit-outside",
    title: "Edit in $EDITOR; saved only over what was read",
    short: "editor",
    writes: true,
    disabled: (state) =>
      objectUnder(state)?.versionId === undefined
        ? needsObject(state)
        : "an older version cannot be changed",
    run: withObject((state, object) => [state, [{ type: "edit-outside", object }]]),
  },
];
