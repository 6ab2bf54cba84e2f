/** The console without a screen: its reducer driven by keys, its screen as text. */
import type { Entry } from "../../src/core/storage/storage.js";
import { rowCount } from "../../src/tui/list/view.js";
import { DEFAULT_KEYS, type Keymap } from "../../src/tui/keymap.js";
import type { Action, Effect } from "../../src/tui/state/actions.js";
import { type Memory, NOTHING } from "../../src/tui/state/memory.js";
import { initialState } from "../../src/tui/state/initial.js";
import { chosen } from "../../src/tui/pages/objects/choice.js";
import { rowAt } from "../../src/tui/pages/objects/listing.js";
import type { ObjectsPage } from "../../src/tui/pages/objects/state.js";
import { currentPage } from "../../src/tui/pages/page.js";
import { reduce } from "../../src/tui/state/reduce.js";
import type { Count, Page, Size, State } from "../../src/tui/state/types.js";
import { createInputParser } from "../../src/tui/terminal/input.js";
import type { Look } from "../../src/tui/theme.js";
import { type Row, plainText } from "../../src/tui/view/rows.js";
import { createScreen } from "../../src/tui/view/screen.js";

export interface TestConsole {
  readonly state: () => State;
  readonly page: <T extends Page["type"]>(type: T) => Extract<Page, { type: T }>;
  /** Applies actions; the effects they ask for are kept. */
  readonly apply: (...actions: Action[]) => void;
  /** Types: each string is a chunk as a terminal sends it. */
  readonly type: (...chunks: string[]) => void;
  /** Answers the open question: the number of things it is about. */
  readonly counted: (change?: Partial<Count>) => void;
  /** Effects since the last call. */
  readonly effects: () => Effect[];
  readonly text: () => string;
}

export interface TestConsoleOptions {
  readonly place?: string;
  readonly size?: Size;
  readonly readonly?: boolean;
  readonly keymap?: Keymap;
  readonly look?: Look;
  readonly memory?: Memory;
}

const shared = createScreen();

/** The rows of a state as they would be on the terminal. */
export function screen(state: State): readonly Row[] {
  return shared.draw(state);
}

/** Keys of the rows of a bucket page, from the top. */
export function rowKeys(page: ObjectsPage): string[] {
  return Array.from({ length: rowCount(page.view) }, (_, row) => rowAt(page, row)!.key);
}

/** Marked keys, as listed. */
export function markedKeys(page: ObjectsPage): string[] {
  return page.marks.count === 0 ? [] : Array.from(chosen(page), ({ key }) => key);
}

/** Starts a console at a place; nothing is loaded until the test says what came. */
export function testConsole(options: TestConsoleOptions = {}): TestConsole {
  let [state, effects] = initialState({
    size: options.size ?? { columns: 80, rows: 24 },
    look: options.look ?? { theme: "dark", ascii: false, colors: 3 },
    keymap: options.keymap ?? DEFAULT_KEYS,
    problems: [],
    readonly: options.readonly ?? false,
    place: options.place,
    memory: options.memory ?? NOTHING,
    home: "/home/me",
    directory: "/home/me/work",
  });
  let pending: Effect[] = [...effects];
  const apply = (...actions: Action[]) => {
    for (const action of actions) {
      [state, effects] = reduce(state, action, 1_700_000_000_000);
      pending.push(...effects);
    }
  };
  return {
    state: () => state,
    page: (type) => {
      const page = currentPage(state);
      if (page.type !== type) throw new Error(`the page is ${page.type}, not ${type}`);
      return page as never;
    },
    apply,
    type: (...chunks) => {
      const parser = createInputParser();
      for (const chunk of chunks) {
        for (const event of [...parser.push(chunk), ...parser.flush()])
          apply({ type: "input", event });
      }
    },
    counted: (change = {}) => {
      const { dialog } = state;
      if (dialog?.type !== "confirm") throw new Error("no question is open");
      const { objects = 0, bytes = 0 } = dialog.count ?? {};
      const count: Count = { objects, bytes, done: true, keeps: "nothing", ...change };
      apply({ type: "counted", dialog: dialog.id, count });
    },
    effects: () => pending.splice(0),
    text: () => plainText(screen(state)),
  };
}

/** An object as a listing has it. */
export function object(key: string, size = 1): Entry {
  return { type: "object", key, size, lastModified: 1_700_000_000_000 };
}

/** Starts a console in a bucket that holds these entries. */
export function consoleWith(
  entries: readonly Entry[],
  options: TestConsoleOptions = {},
): TestConsole {
  const made = testConsole({ place: "local/photos/", ...options });
  const { id } = made.page("objects");
  made.apply({ type: "entries", page: id, entries }, { type: "listed", page: id });
  made.effects();
  return made;
}
