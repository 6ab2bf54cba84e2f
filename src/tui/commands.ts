/** Finding and running commands: by key, by name, or by what is typed in the palette. */
import { visible } from "../text/sanitize.js";
import { showKey } from "./keymap.js";
import { fitness, isFuzzy, passing } from "./list/match.js";
import {
  type Command,
  type Replies,
  commandsOf,
  currentPage,
  replyTo,
  typeOf,
} from "./pages/page.js";
import type { Update } from "./state/actions.js";
import type { PaletteDialog, State } from "./state/types.js";

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

/** The items of a palette that fit what is typed, the best first: commands of the page, or places. */
export function paletteItems(
  state: State,
  { text, places }: Pick<PaletteDialog, "text" | "places">,
): readonly Command[] {
  const items = places?.map(placeCommand) ?? commandsOf(state).filter(({ id }) => id !== "palette");
  const passes = passing(text);
  const found = items.filter(({ title, id }) => passes(`${title} ${id}`));
  if (!isFuzzy(text)) return found;
  const fit = new Map(
    found.map((item) => [item, Math.max(fitness(text, item.title), fitness(text, item.id))]),
  );
  return found.sort((one, other) => fit.get(other)! - fit.get(one)!);
}

function placeCommand(place: string): Command {
  const goTo = replyTo("menus", "places") as NonNullable<NonNullable<Replies["menus"]>["places"]>;
  return { id: place, title: visible(place), run: (state) => goTo(state, place) };
}

/** A command's keys as people read them. */
export function keysOf(state: State, { id }: Command): string {
  return (state.keymap[id] ?? []).map((key) => showKey(key, state.look.ascii)).join(" ");
}
