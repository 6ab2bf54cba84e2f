/** Every command there is, found by key, by name, or by page. */
import { type Scope, showKey } from "../keymap.js";
import { currentPage, openDialog, openPage } from "../state/pages.js";
import type { Update } from "../state/actions.js";
import type { HelpLine, State } from "../state/types.js";
import { CHANGE } from "./change.js";
import { DETAILS } from "./details.js";
import { GLOBAL } from "./global.js";
import { MOVEMENT } from "./movement.js";
import { OBJECTS } from "./objects.js";
import { PICKER } from "./picker.js";
import { PLACES } from "./places.js";
import { TRANSFERS } from "./transfers.js";
import { type Command, EVERYWHERE } from "./types.js";

const META: readonly Command[] = [
  {
    id: "palette",
    title: "Every command of this page",
    short: "commands",
    bar: "More",
    scopes: EVERYWHERE,
    run: (state) =>
      openDialog(state, (id) => ({ type: "palette", id, text: "", caret: 0, cursor: 0 })),
  },
  { id: "help", title: "Help", short: "help", scopes: EVERYWHERE, run: openHelp },
];

/** In the order of the footer, the action bar and the help. */
export const COMMANDS: readonly Command[] = [
  ...PLACES,
  ...PICKER,
  ...TRANSFERS,
  ...OBJECTS,
  ...CHANGE,
  ...DETAILS,
  ...GLOBAL,
  ...META,
  ...MOVEMENT,
];

/** The commands of the page on screen. */
export function commandsOf(state: State): readonly Command[] {
  const scope: Scope = currentPage(state).type;
  return COMMANDS.filter(({ scopes }) => scopes.includes(scope));
}

/** The buttons of the page on screen. */
export function barOf(state: State): readonly Command[] {
  const scope: Scope = currentPage(state).type;
  return commandsOf(state).filter(
    ({ bar, scopes, barScopes = scopes }) => bar !== undefined && barScopes.includes(scope),
  );
}

/** The page's command with a name. */
export function commandById(state: State, id: string): Command | undefined {
  return commandsOf(state).find((command) => command.id === id);
}

/** The page's command on a key. */
export function commandByKey(state: State, key: string): Command | undefined {
  return commandsOf(state).find(({ id }) => state.keymap[id]?.includes(key));
}

/** Why a command cannot be run now; undefined when it can. */
export function reasonAgainst(state: State, command: Command): string | undefined {
  if (command.writes && state.readonly) return "the console is read-only";
  return command.disabled?.(state);
}

/** Runs a command, or says why not. */
export function runCommand(state: State, command: Command): Update {
  const reason = reasonAgainst(state, command);
  if (reason === undefined) return command.run({ ...state, bar: undefined });
  return [{ ...state, notice: { tone: "warning", text: `${command.title}: ${reason}` } }, []];
}

/**
 * The palette's commands: those of the page whose title or name holds every typed word. Where
 * they begin a word they rank before where they stand in the middle of one.
 */
export function paletteItems(state: State, text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commandsOf(state)
    .map((command) => ({ command, name: `${command.title} ${command.id}`.toLowerCase() }))
    .filter(({ command, name }) => {
      return command.id !== "palette" && words.every((word) => name.includes(word));
    });
  const middles = (name: string) =>
    words.filter((word) => !name.split(/[\s-]/).some((part) => part.startsWith(word))).length;
  return found
    .sort((one, other) => middles(one.name) - middles(other.name))
    .map(({ command }) => command);
}

/** A command's keys as people read them. */
export function keysOf(state: State, { id }: Command): string {
  return (state.keymap[id] ?? []).map((key) => showKey(key, state.look.ascii)).join(" ");
}

function openHelp(state: State): Update {
  if (currentPage(state).type === "help") return [state, []];
  return openPage(state, { type: "help", id: state.nextId, top: 0, lines: helpLines(state) });
}

/** The keys of the page on screen, then those that work everywhere. */
function helpLines(state: State): readonly HelpLine[] {
  const line = (command: Command): HelpLine => ({
    keys: keysOf(state, command),
    title: command.title,
    reason: reasonAgainst(state, command),
  });
  const [everywhere, here] = [true, false].map((all) =>
    commandsOf(state).filter(({ scopes }) => (scopes === EVERYWHERE) === all),
  );
  return [
    { heading: "On this page" },
    ...here!.map(line),
    { heading: "Everywhere" },
    ...everywhere!.map(line),
    { heading: "In a dialog" },
    { keys: "Tab", title: "To the next field or button" },
    { keys: "Enter", title: "On: the next field, or do it" },
    { keys: "Esc", title: "Close it and do nothing" },
  ];
}
