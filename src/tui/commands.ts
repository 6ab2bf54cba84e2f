/** Finding and running commands: by key, by name, or by what is typed in the palette. */
import { visible } from "../text/sanitize.js";
import { type Keymap, showKey } from "./keymap.js";
import { fitness, isFuzzy, passing } from "./list/match.js";
import {
  type Command,
  type PageType,
  type Replies,
  commandsOf,
  currentPage,
  replyTo,
  typeOf,
} from "./pages/page.js";
import type { Update } from "./state/actions.js";
import type { PaletteDialog, State } from "./state/types.js";

const bars = new Map<PageType, readonly Command[]>();

/** The buttons of the page on screen. */
export function barOf(state: State): readonly Command[] {
  const type = typeOf(currentPage(state));
  let bar = bars.get(type);
  if (bar === undefined) {
    bar = [...type.bar, "palette"].flatMap((id) => commandById(state, id) ?? []);
    bars.set(type, bar);
  }
  return bar;
}

/** The page's command with a name. */
export function commandById(state: State, id: string): Command | undefined {
  return commandsOf(state).find((command) => command.id === id);
}

let bound:
  | { keymap: Keymap; commands: readonly Command[]; byKey: Map<string, Command> }
  | undefined;

/** The page's command on a key. */
export function commandByKey(state: State, key: string): Command | undefined {
  const { keymap } = state;
  const commands = commandsOf(state);
  if (bound?.keymap !== keymap || bound.commands !== commands) {
    bound = { keymap, commands, byKey: new Map() };
    for (const command of commands.toReversed()) {
      for (const each of keymap[command.id] ?? []) bound.byKey.set(each, command);
    }
  }
  return bound.byKey.get(key);
}

/** Why a command cannot be run now; undefined when it can. */
export function reasonAgainst(state: State, command: Command): string | undefined {
  if (command.writes && state.readonly) return "the console is read-only";
  return command.disabled?.(state);
}

/** Runs a command, or says why not. */
export function runCommand(state: State, command: Command): Update {
  const reason = reasonAgainst(state, command);
  if (reason === undefined) {
    return command.run(state.bar === undefined ? state : { ...state, bar: undefined });
  }
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
