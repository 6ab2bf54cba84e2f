/** The frame of every page: the header, the buttons, the status line and the footer. */
import { formatDuration, formatNumber, formatSize } from "../../text/format.js";
import { barOf, commandById, keysOf, reasonAgainst } from "../commands.js";
import { caretSpans } from "../dialogs/caret.js";
import { type Command, currentPage, typeOf } from "../pages/page.js";
import { hasFocus, shownPages } from "../state/panes.js";
import { running } from "../state/running.js";
import type { FilterDialog, Page, State } from "../state/types.js";
import { cut, cutStart, safe, width } from "../text/cells.js";
import { type Glyphs, glyphsOf } from "../theme.js";
import { keeper } from "./kept.js";
import { type Row, type Span, fitRow, gap, rowWidth, span, spread } from "./rows.js";

const [keptHeader, keptBar, keptRule, keptFooter] = [keeper(), keeper(), keeper(), keeper()];

/** Where one is, and what runs in the background. */
export function header(state: State): Row {
  const { size, look, readonly, clip, jobs } = state;
  const places = shownPages(state).flatMap((page): readonly unknown[] => [
    hasFocus(state, page),
    ...typeOf(page).crumbs(page),
  ]);
  const shown = [size.columns, look, readonly, clip, jobs, ...places];
  return keptHeader(shown, () => headerOf(state));
}

function headerOf(state: State): Row {
  const right = [
    ...clipped(state),
    ...summary(state),
    ...(state.readonly ? [span(" read-only ", "warning")] : []),
    gap(1),
  ];
  const room = state.size.columns - rowWidth(right) - 8;
  const pages = shownPages(state);
  const share = Math.floor(room / pages.length) - (pages.length - 1);
  const places = pages.flatMap((page, index): Row => [
    ...(index === 0 ? [] : [span(` ${glyphsOf(state.look).vertical} `, "rule")]),
    ...crumbs(state, page, share),
  ]);
  return spread([span(" pail ", "brand"), gap(1), ...places], right, state.size.columns);
}

/** A click on what a page is in goes there. */
const UP = { type: "command", id: "parent" } as const;

function crumbs(state: State, page: Page, room: number): Row {
  const glyphs = glyphsOf(state.look);
  const parts = [...typeOf(page).crumbs(page)].map(safe);
  const last = parts.pop() ?? "";
  const before = parts.flatMap((part) => [
    span(part, "dim", UP),
    span(` ${glyphs.crumb} `, "rule"),
  ]);
  const used = rowWidth(before);
  const style = hasFocus(state, page) ? "strong" : "dim";
  // The end of a long prefix says more than its beginning.
  if (used + width(last) <= room) return [...before, span(last, style)];
  const whole = [...parts, last].join(` ${glyphs.crumb} `);
  return [span(cutStart(whole, room, glyphs.ellipsis), style)];
}

/** The number of items that wait to be pasted. */
function clipped({ clip, look }: State): Row {
  if (clip === undefined) return [];
  const verb = clip.verb === "copy" ? "copy" : "move";
  const { dot } = glyphsOf(look);
  return [span(`${formatNumber(clip.targets.length)} to ${verb} ${dot} P pastes`, "mark"), gap(2)];
}

/** All running jobs in a few cells: `↑↓ 2 · 41% · 12MiB/s · 7s`. */
function summary(state: State): Row {
  const jobs = running(state);
  if (jobs.length === 0) return [];
  const glyphs = glyphsOf(state.look);
  const sum = jobs.reduce(
    (all, { snapshot }) => ({
      done: all.done + (snapshot?.bytes.done ?? 0),
      total: all.total + (snapshot?.bytes.total ?? 0),
      rate: all.rate + (snapshot?.rate ?? 0),
    }),
    { done: 0, total: 0, rate: 0 },
  );
  const facts = [
    `${glyphs.upload}${glyphs.download} ${jobs.length}`,
    ...(sum.total > 0 ? [`${Math.floor((100 * sum.done) / sum.total)}%`] : []),
    ...(sum.rate > 0 ? [`${formatSize(Math.round(sum.rate))}/s`] : []),
    ...(sum.rate > 0 && sum.total > sum.done
      ? [formatDuration(Math.ceil((sum.total - sum.done) / sum.rate))]
      : []),
  ];
  return [
    span(facts.join(` ${glyphs.dot} `), "progress", { type: "command", id: "transfers" }),
    gap(1),
  ];
}

/** The buttons of the page. */
export function actionBar(state: State): Row {
  const { size, look, bar } = state;
  const buttons = barOf(state);
  const off = buttons.map((command) => reasonAgainst(state, command) !== undefined);
  const shown = [size.columns, look, bar, ...buttons, ...off];
  return keptBar(shown, () => barRow(state, buttons, off));
}

function barRow(state: State, buttons: readonly Command[], off: readonly boolean[]): Row {
  const columns = state.size.columns - 2;
  const labels = (short: boolean) =>
    buttons.map(({ title, bar = title, barShort }) => ` ${(short && barShort) || bar} `);
  const long = labels(false);
  const total = long.reduce((sum, label) => sum + label.length + 1, -1);
  const shown = total <= columns ? long : labels(true);
  const row = shown.flatMap((label, index): Row => {
    const command = buttons[index]!;
    const style = state.bar === index ? "buttonFocus" : off[index] ? "disabled" : "button";
    // The focus must be seen without color, too.
    const text = state.bar === index && state.look.theme === "mono" ? `[${label.trim()}]` : label;
    return [span(text, style, { type: "command", id: command.id }), gap(1)];
  });
  return fitRow([gap(1), ...row], state.size.columns);
}

/** A horizontal line. */
export function rule({ look, size: { columns } }: State): Row {
  return keptRule([look, columns], () => [span(glyphsOf(look).rule.repeat(columns), "rule")]);
}

/** The page's facts, or a notice, on the left; what is under way on the right. */
export function status(state: State): Row {
  const { notice, size, dialog } = state;
  if (dialog?.type === "filter") return filterLine(state, dialog);
  const page = currentPage(state);
  const { left, right } = typeOf(page).status(state, page);
  // The right side stays in sight: it shows the work under way and the position.
  const room = size.columns - rowWidth(right) - 4;
  const text = notice && cut(safe(notice.text), room);
  const said = notice && span(text!, notice.tone === "info" ? "accent" : notice.tone);
  const shown = facts(glyphsOf(state.look), [said, ...left]);
  return spread([gap(1), ...shown], [gap(1), ...right, gap(1)], size.columns);
}

/** The filter as it is typed, with how much it leaves. */
function filterLine(state: State, dialog: FilterDialog): Row {
  const page = currentPage(state);
  const label = " Filter ";
  const [fact] = typeOf(page).status(state, page).left;
  const note = [gap(1), ...facts(glyphsOf(state.look), [fact]), gap(1)];
  const room = state.size.columns - label.length - rowWidth(note);
  return [span(label, "key"), ...caretSpans(dialog.text, dialog.caret, room, true), ...note];
}

/** Facts joined with dots. */
export function facts(glyphs: Glyphs, parts: readonly (Span | undefined)[]): Row {
  const there = parts.filter((part): part is Span => part !== undefined && part.text !== "");
  return there.flatMap((part, index) =>
    index === 0 ? [part] : [span(` ${glyphs.dot} `, "rule"), part],
  );
}

/** Keys of the page, as many as fit; help is always there. */
export function footer(state: State): Row {
  const { size, look, keymap, dialog, bar } = state;
  const page = typeOf(currentPage(state));
  const pages = shownPages(state).length;
  const shown = [size.columns, look, keymap, dialog?.type, bar === undefined, page, pages];
  return keptFooter(shown, () => footerOf(state));
}

function footerOf(state: State): Row {
  const dialog = state.dialog;
  if (dialog !== undefined) return hints(state, DIALOG_KEYS[dialog.type] ?? []);
  if (state.bar !== undefined) return hints(state, BAR_KEYS);
  const shown = typeOf(currentPage(state)).footer;
  const split = shownPages(state).length > 1;
  const first = split ? ["switch-pane", "copy", "move"] : [];
  const pairs = [...new Set([...first, ...shown, "palette", "help"])].flatMap(
    (id): (readonly [string, string])[] => {
      const command = commandById(state, id);
      const key = command && keysOf(state, command).split(" ")[0];
      if (!command || !key) return [];
      if (split && id === "switch-pane") return [[key, "other pane"]];
      return [[key, command.short ?? command.title.toLowerCase()]];
    },
  );
  return hints(state, pairs);
}

/** As many pairs as fit; the last two, commands and help or the like, always do. */
function hints(state: State, pairs: readonly (readonly [string, string])[]): Row {
  const cells = ([key, label]: readonly [string, string]) => width(key) + width(label) + 3;
  const kept = pairs.slice(-2);
  let left = state.size.columns - 1 - kept.reduce((sum, pair) => sum + cells(pair), 0);
  const shown: (readonly [string, string])[] = [];
  for (const pair of pairs.slice(0, -2)) {
    left -= cells(pair);
    if (left < 0) break;
    shown.push(pair);
  }
  const row = [...shown, ...kept].flatMap(([key, label]): Row => [
    span(key, "key"),
    span(` ${label}`, "dim"),
    gap(2),
  ]);
  return fitRow([gap(1), ...row], state.size.columns);
}

const BAR_KEYS = [
  ["Enter", "do it"],
  ["Tab", "next"],
  ["Esc", "back to the list"],
] as const;

const DIALOG_KEYS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  form: [
    ["Tab", "next"],
    ["Enter", "next or accept"],
    ["Esc", "cancel"],
  ],
  confirm: [
    ["Tab", "other button"],
    ["Enter", "press"],
    ["y", "yes"],
    ["Esc", "cancel"],
  ],
  menu: [
    ["Enter", "choose"],
    ["Esc", "cancel"],
  ],
  palette: [
    ["Enter", "run"],
    ["Esc", "close"],
  ],
  filter: [
    ["'text", "as it stands"],
    ["*.jpg", "a pattern"],
    ["Enter", "keep"],
    ["Esc", "clear"],
  ],
  text: [
    ["PgDn", "more"],
    ["Esc", "close"],
  ],
  conflict: [
    ["s", "skip"],
    ["r", "replace"],
    ["b", "keep both"],
    ["a", "for all"],
    ["Esc", "skip"],
  ],
};
