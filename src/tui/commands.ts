/** Finding and running commands: by key, by name, or by what is typed in the palette. */
import { showKey } from "./keymap.js";
import { type Command, commandsOf, currentPage, typeOf } from "./pages/page.js";
import type { Update } from "./state/actions.js";
import type { State } from "./state/types.js";

/** The buttons of the page on screen. */
export function barOf(state: State): readonly Command[] {
  return [...typeOf(currentPage(state)).bar, "palette"].flatMap(
    (id) => commandById(state, id) ?? [],
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
  const rank = (name: string) => 2 * middles(name) + (name.startsWith(words[0] ?? "") ? 0 : 1);
  return found
    .sort((one, other) => rank(one.name) - rank(other.name))
    .map(({ command }) => command);
}

/** A command's keys as people read them. */
export function keysOf(state: State, { id }: Command): string {
  return (state.keymap[id] ?? []).map((key) => showKey(key, state.look.ascii)).join(" ");
}
