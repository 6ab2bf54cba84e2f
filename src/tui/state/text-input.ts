/** Editing a line (or lines) of text, grapheme by grapheme. */
import type { InputEvent } from "../terminal/input.js";
import { characters } from "../text/cells.js";

export interface Editable {
  readonly value: string;
  readonly caret: number;
}

/**
 * The text after a key or a paste; undefined when the event does not edit text. Newlines are kept
 * only with `multiline`.
 */
export function edit(text: Editable, event: InputEvent, multiline = false): Editable | undefined {
  if (event.type === "paste") {
    return insert(text, multiline ? event.text : event.text.replaceAll("\n", ""));
  }
  if (event.type !== "key") return undefined;
  const operation = OPERATIONS[event.key];
  if (operation !== undefined) return operation(text);
  if (event.key === "enter" && multiline) return insert(text, "\n");
  return event.text === undefined ? undefined : insert(text, event.text);
}

/** UTF-16 units a field holds; what would make it longer is not taken at all. */
export const MOST = 64 * 1024;

function insert(text: Editable, added: string): Editable {
  const { value, caret } = text;
  if (value.length + added.length > MOST) return text;
  return { value: value.slice(0, caret) + added + value.slice(caret), caret: caret + added.length };
}

const OPERATIONS: Readonly<Record<string, (text: Editable) => Editable>> = {
  left: ({ value, caret }) => ({ value, caret: previous(value, caret) }),
  right: ({ value, caret }) => ({ value, caret: following(value, caret) }),
  home: ({ value }) => ({ value, caret: 0 }),
  end: ({ value }) => ({ value, caret: value.length }),
  "ctrl-a": ({ value }) => ({ value, caret: 0 }),
  "ctrl-e": ({ value }) => ({ value, caret: value.length }),
  "ctrl-u": ({ value, caret }) => ({ value: value.slice(caret), caret: 0 }),
  "ctrl-k": ({ value, caret }) => ({ value: value.slice(0, caret), caret }),
  "ctrl-w": ({ value, caret }) => {
    let start = caret;
    while (start > 0 && /[\s/]/u.test(value[start - 1]!)) start--;
    while (start > 0 && !/[\s/]/u.test(value[start - 1]!)) start--;
    return { value: value.slice(0, start) + value.slice(caret), caret: start };
  },
  backspace: ({ value, caret }) => {
    const start = previous(value, caret);
    return { value: value.slice(0, start) + value.slice(caret), caret: start };
  },
  delete: ({ value, caret }) => ({
    value: value.slice(0, caret) + value.slice(following(value, caret)),
    caret,
  }),
};

/** No grapheme that a person types is longer, in UTF-16 units; so a long text costs as a short one. */
const LONGEST = 64;

function previous(value: string, caret: number): number {
  const start = Math.max(0, caret - LONGEST);
  const last = [...characters(value.slice(start, caret))].at(-1);
  return start + (last?.index ?? 0);
}

function following(value: string, caret: number): number {
  const [first] = characters(value.slice(caret, caret + LONGEST));
  return caret + (first?.segment.length ?? 0);
}
