/** The console in words: what there is now, a line for each thing, for a person who hears it. */
import { formatNumber } from "../../text/format.js";
import { nameToType } from "../dialogs/confirm.js";
import { currentPage, countOf, typeOf } from "../pages/page.js";
import type { Dialog, FormDialog, State } from "../state/types.js";
import { safe } from "../text/cells.js";
import { glyphsOf } from "../theme.js";
import type { Row } from "../view/rows.js";

/** The rows of components that are drawn for nobody but this. */
export interface Drawn {
  readonly page: readonly Row[];
  readonly dialog: readonly Row[];
}

/** Lists up to this long are said whole. */
const SHORT = 10;
/** Rows that `list` says at once. */
const SOME = 20;

/** Where one is, and the facts about it. */
export function place(state: State): string {
  const page = currentPage(state);
  const facts = typeOf(page)
    .status(state, page)
    .left.flatMap((part) => (part === undefined || part.text === "" ? [] : [part.text]));
  const readonly = state.readonly ? ["read-only"] : [];
  const clip = state.clip
    ? [`${formatNumber(state.clip.targets.length)} taken, paste brings them here`]
    : [];
  const where = typeOf(page).crumbs(page).map(safe).join(" / ");
  return [where, ...facts, ...readonly, ...clip].join(", ");
}

/** Whether what the page shows is still to come. */
export function isComing(state: State, { page: rows }: Drawn): boolean {
  const page = currentPage(state);
  if (countOf(state, page) > 0) return false;
  const loads = "load" in page && page.load.type === "loading";
  return loads || texts(rows).some((text) => /^(?:\S )?Loading$/.test(text));
}

/** The row under the cursor, with its number; a page without rows is said whole. */
export function here(state: State, drawn: Drawn): readonly string[] {
  const page = currentPage(state);
  const count = countOf(state, page);
  if (!("cursor" in page) || count === 0) return texts(drawn.page);
  const row = listed(state, drawn).find(({ index }) => index === page.cursor);
  return row === undefined ? [] : [`Row ${row.index + 1} of ${count}: ${row.text}`];
}

/** All rows of a short list, of a longer one the row under the cursor. */
export function rows(state: State, drawn: Drawn): readonly string[] {
  const count = countOf(state, currentPage(state));
  if (count === 0 || count > SHORT) return here(state, drawn);
  return [...some(state, drawn, 0), ...(count > 1 ? here(state, drawn) : [])];
}

/** Rows with their numbers, from the cursor on. */
export function some(state: State, drawn: Drawn, from?: number): readonly string[] {
  const page = currentPage(state);
  const first = from ?? ("cursor" in page ? page.cursor : 0);
  const found = listed(state, drawn).filter(({ index }) => index >= first);
  return found.length === 0
    ? texts(drawn.page)
    : found.slice(0, SOME).map(({ index, text }) => `${index + 1}. ${text}`);
}

function listed({ look }: State, drawn: Drawn) {
  const { mark } = glyphsOf(look);
  return drawn.page.flatMap((row) => {
    const click = row.find((part) => part.click?.type === "row")?.click;
    if (click?.type !== "row") return [];
    const marked = row[1]?.text === mark ? "marked, " : "";
    return [{ index: click.index, text: marked + textOf(row) }];
  });
}

function isCounting(dialog: Dialog | undefined): boolean {
  return dialog?.type === "confirm" && dialog.count?.done === false;
}

/** The text of a dialog, without its fields and buttons, which are asked for one by one. */
export function dialogLines(state: State, { dialog: rows }: Drawn): readonly string[] {
  const { dialog } = state;
  if (dialog === undefined || dialog.type === "filter") return [];
  if (dialog.type === "form") {
    const { title, intro, notice, failure } = dialog;
    return [
      title,
      ...[intro, notice, failure?.message].flatMap((text) => (text ? [safe(text)] : [])),
    ];
  }
  if (dialog.type === "text") return [dialog.title, ...dialog.lines.map(safe)];
  const lines = rows.map((row) =>
    row
      .map(({ text }) => text)
      .join("")
      .trim(),
  );
  const title = /^\+- (.*?) -*\+$/.exec(lines.find((line) => line.startsWith("+")) ?? "")?.[1];
  const inside = lines
    .filter((line) => line.startsWith("|"))
    .map((line) => squeezed(line.slice(1, -1).replace(/^ *> /, "")))
    .filter((line) => line !== "");
  if (isCounting(dialog)) return [title ?? "", "Counting"];
  const buttons = dialog.type === "confirm" || dialog.type === "conflict";
  const list =
    dialog.type === "palette" ? inside.slice(1) : inside.slice(0, buttons ? -1 : undefined);
  const numbered = dialog.type === "palette" ? list.map((line, at) => `${at + 1}. ${line}`) : list;
  return [title ?? "", ...numbered];
}

/** The question that waits for an answer; nothing while the answer is worked on. */
export function question({ dialog }: State): string {
  if ((dialog?.type === "form" && dialog.busy) || isCounting(dialog)) return "";
  return dialog === undefined ? "pail> " : `${asked(dialog)}: `;
}

function asked(dialog: Dialog): string {
  switch (dialog.type) {
    case "form":
      return askedByForm(dialog);
    case "confirm": {
      const name = nameToType(dialog);
      if (name !== undefined) return `Type ${safe(name)} to go on, or Enter to cancel`;
      const enter = dialog.focus === "accept" ? dialog.accept : "Cancel";
      return `y for ${dialog.accept}, n for Cancel, Enter for ${enter}`;
    }
    case "menu":
      return "A letter, or Enter to cancel";
    case "palette":
      return "A number, or words to narrow it, or Enter to cancel";
    case "filter":
      return "Filter";
    case "conflict":
      return "s skips, r replaces, b keeps both; a before it for all";
    case "text":
      return "Enter closes";
  }
}

function askedByForm({ fields, buttons, focus }: FormDialog): string {
  const field = fields[focus];
  if (field === undefined) return `Enter for ${buttons[0]}, or ${buttons.slice(1).join(", ")}`;
  const { label, note, kind, value, choices } = field;
  const now = kind === "secret" ? (value === "" ? "" : "kept") : safe(value);
  const facts = [note, choices?.join(" or "), kind === "lines" ? "lines, ended by ." : undefined];
  const said = facts.flatMap((fact) => (fact ? [safe(fact)] : [])).join("; ");
  return `${label}${said === "" ? "" : ` (${said})`}${now === "" ? "" : ` [${now}]`}`;
}

function texts(rows: readonly Row[]): readonly string[] {
  const headings = (row: Row) => row.some(({ style }) => style === "heading");
  return rows.flatMap((row) => (headings(row) ? [] : textOf(row) || []));
}

/** A row without what points at it and what only lines it up. */
function textOf(row: Row): string {
  const clicked = row.some((part) => part.click?.type === "row");
  return squeezed(
    (clicked && row[0]?.text.length === 1 ? row.slice(1) : row)
      .slice(clicked && row[1]?.text.length === 1 ? 1 : 0)
      .map(({ text }) => text)
      .join(""),
  );
}

function squeezed(text: string): string {
  return text.trim().replaceAll(/\s{2,}/g, ", ");
}
