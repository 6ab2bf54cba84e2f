/** A typed line, as the keys and clicks that it stands for. */
import { commandByKey, keysOf, reasonAgainst } from "../commands.js";
import { nameToType } from "../dialogs/confirm.js";
import { matcher } from "../list/match.js";
import { type Command, commandsOf, countOf, currentPage } from "../pages/page.js";
import type { Action } from "../state/actions.js";
import type { FormDialog, State } from "../state/types.js";

/** Actions one after the other; or what is said instead. */
export type Meant =
  | { readonly actions: readonly Action[] }
  | { readonly say: readonly string[] }
  | "list"
  | "again";

const key = (name: string, text?: string): Action => ({
  type: "input",
  event: { type: "key", key: name, text },
});
const item = (index: number): Action => ({ type: "click", click: { type: "item", index } });
const keys = (...names: readonly string[]): Meant => ({ actions: names.map((name) => key(name)) });

/** The meaning of a line in a state. */
export function meant(state: State, line: string): Meant {
  const { dialog } = state;
  const text = line.trim();
  switch (dialog?.type) {
    case undefined:
      return onPage(state, text);
    case "form":
      return onForm(dialog, line);
    case "confirm": {
      const name = nameToType(dialog);
      if (name === undefined)
        return keys(/^y(?:es)?$/i.test(text) ? "y" : text === "" ? "enter" : "esc");
      return line === name ? { actions: [key(name, name), key("enter")] } : keys("esc");
    }
    case "menu":
      return keys(text === "" ? "esc" : text);
    case "palette": {
      if (/^\d+$/.test(text)) return { actions: [item(Number(text) - 1)] };
      return text === "" ? keys("esc") : { actions: [key("ctrl-u"), key(text, text)] };
    }
    case "filter":
      return { actions: [key("ctrl-u"), ...(text === "" ? [] : [key(text, text)]), key("enter")] };
    case "conflict":
      return keys(...(text.match(/[asrb]/g) ?? []));
    case "text":
      return keys("esc");
  }
}

function onPage(state: State, text: string): Meant {
  const page = currentPage(state);
  if (text === "") return keys("enter");
  if (/^\d+$/.test(text)) {
    const index = Number(text) - 1;
    if (index < 0 || index >= countOf(state, page)) return { say: [`There is no row ${text}.`] };
    const there = "cursor" in page && page.cursor === index;
    return there
      ? "again"
      : { actions: [{ type: "click", click: { type: "row", page: page.id, index } }] };
  }
  if (text === "list" || text === "again") return text;
  if (text === "help" || text === "?") return { say: help(state) };
  if (commandByKey(state, text) !== undefined) return keys(text);
  const found = commandNamed(state, text);
  const [one, other] = found;
  if (one === undefined) return { say: [`No command is called ${text}; help has all.`] };
  if (other === undefined)
    return { actions: [{ type: "click", click: { type: "command", id: one.id } }] };
  return { say: ["Which of these?", ...found.map(({ id, title }) => `${id}: ${title}`)] };
}

/** The words of the page's commands, those that cannot be run now with the reason. */
function help(state: State): readonly string[] {
  const own = [
    "A number: to that row. Enter: open it. list: the next rows. again: the row once more.",
    "In a dialog each line answers what is asked; Control-D leaves.",
  ];
  const lines = commandsOf(state).map((command) => {
    const reason = reasonAgainst(state, command);
    const keys = keysOf(state, command).replaceAll(" ", " or ");
    const why = reason === undefined ? "" : ` (not now: ${reason})`;
    return `${[command.id, keys].filter(Boolean).join(", ")}: ${command.title}${why}`;
  });
  return [...own, ...lines];
}

function commandNamed(state: State, text: string): readonly Command[] {
  const all = commandsOf(state);
  const named = all.filter(({ id }) => id === text);
  if (named.length > 0) return named.slice(0, 1);
  const fits = matcher(text);
  return all.filter(({ id, title }) => fits(`${title} ${id}`));
}

/** An empty line keeps what is in a field, a space empties it. */
function onForm({ fields, buttons, focus }: FormDialog, line: string): Meant {
  const field = fields[focus];
  if (field === undefined) {
    const wanted = line.trim().toLowerCase();
    const at = buttons.findIndex((label) => label.toLowerCase().startsWith(wanted));
    const index = /^n(?:o)?$/.test(wanted) ? buttons.length - 1 : at;
    return index < 0 ? "again" : { actions: [item(fields.length + index)] };
  }
  if (field.kind === "lines") {
    if (line === ".") return keys("tab");
    const begins = field.caret === 0 || field.value === "" ? "" : "\n";
    return { actions: [key("end"), key("line", begins + line)] };
  }
  if (line === "") return keys("tab");
  if (field.kind === "choice") {
    const { choices = [], value } = field;
    const at = choices.findIndex((choice) =>
      choice.toLowerCase().startsWith(line.trim().toLowerCase()),
    );
    if (at < 0) return "again";
    const steps = (at - choices.indexOf(value) + choices.length) % choices.length;
    return keys(...Array.from({ length: steps }, () => "right"), "tab");
  }
  const text = line === " " ? [] : [key("text", line)];
  return { actions: [key("end"), key("ctrl-u"), ...text, key("tab")] };
}
