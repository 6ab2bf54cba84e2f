/** The help: every command of the page it was opened from, with its keys. */
import { keysOf, reasonAgainst } from "../../commands.js";
import { bodyHeight } from "../../layout.js";
import type { Update } from "../../state/actions.js";
import { push, putPage } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { fit } from "../../text/cells.js";
import { Region } from "../../view/parts.js";
import { type Row, gap, span } from "../../view/rows.js";
import { type Command, commandsOf, currentPage, definePage, typeOf } from "../page.js";
import type { HelpLine, HelpPage } from "./state.js";

const KEYS = 16;

export const help = definePage<HelpPage>({
  type: "help",
  crumbs: () => ["Help"],
  commands: [],
  bar: ["back"],
  footer: ["down", "back", "quit"],
  move: (state, page, to) => {
    const height = bodyHeight(state.size);
    const count = page.lines.length;
    const top = Math.max(0, Math.min(to(page.top, count, height), count - height));
    return [putPage(state, { ...page, top }), []];
  },
  body: ({ page }) => <Region draw={(_width, height) => rows(page, height)} />,
  status: ({ size }, { top, lines }) => {
    const end = Math.min(lines.length, top + bodyHeight(size));
    return {
      left: [span("Keys can be changed under tui.keys in config.json", "dim")],
      right: [span(`${top + 1}–${end}/${lines.length}`, "dim")],
    };
  },
});

/** Keys on the left, what they do on the right, and why not. */
function rows({ lines, top }: HelpPage, height: number): Row[] {
  return lines.slice(top, top + height).map(({ heading, keys = "", title = "", reason }): Row => {
    if (heading !== undefined) return [gap(2), span(heading, "strong")];
    const why: Row = reason === undefined ? [] : [span(`  (${reason})`, "dim")];
    return [gap(4), span(fit(keys, KEYS), "key"), gap(1), span(title), ...why];
  });
}

/** Opens the help of the page on screen. */
export function openHelp(state: State): Update {
  if (currentPage(state).type === "help") return [state, []];
  return push(state, { type: "help", id: state.nextId, top: 0, lines: helpLines(state) });
}

/** The keys of the page on screen, then those that work everywhere. */
function helpLines(state: State): readonly HelpLine[] {
  const line = (command: Command): HelpLine => ({
    keys: keysOf(state, command),
    title: command.title,
    reason: reasonAgainst(state, command),
  });
  const here = typeOf(currentPage(state)).commands;
  const everywhere = commandsOf(state).slice(here.length);
  return [
    { heading: "On this page" },
    ...here.map(line),
    { heading: "Everywhere" },
    ...everywhere.map(line),
    { heading: "In a dialog" },
    { keys: "Tab", title: "To the next field or button" },
    { keys: "Enter", title: "On: the next field, or do it" },
    { keys: "Esc", title: "Close it and do nothing" },
  ];
}
