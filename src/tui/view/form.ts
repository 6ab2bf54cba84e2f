/** Forms: labels, fields with a caret, buttons. */
import type { Field, FormDialog, State } from "../state/types.js";
import { cut, cutStart, fit, safe, width } from "../text/cells.js";
import { glyphsOf } from "../theme.js";
import { button } from "./button.js";
import { type Row, type Span, fitRow, gap, span } from "./rows.js";

/** Lines a field of several lines shows. */
const LINES = 5;

/** The inside of a form, in at most `room` rows: blank ones go first, then fields out of focus. */
export function formRows(state: State, form: FormDialog, inner: number, room: number): Row[] {
  const labels = Math.min(24, Math.max(...form.fields.map(({ label }) => width(label))));
  const blocks = form.fields.map((field, index) =>
    fieldRows(state, field, index, index === form.focus, labels, inner),
  );
  const fields = blocks.flat();
  const intro: Row[] = form.intro === undefined ? [] : [[span(form.intro, "dim")], []];
  const ends: Row[] = [messageRow(state, form), [], buttonRow(state, form)];
  const whole = [...intro, ...fields, [], ...ends];
  if (whole.length <= room) return whole;
  const tight = [...intro, ...fields, ...ends].filter((row) => row.length > 0);
  if (tight.length <= room) return tight;
  const height = Math.max(1, room - 2);
  const end = blocks.slice(0, form.focus + 1).flat().length;
  const top = Math.max(0, Math.min(end - height, fields.length - height));
  return [...fields.slice(top, top + height), messageRow(state, form), buttonRow(state, form)];
}

function messageRow(state: State, form: FormDialog): Row {
  const glyphs = glyphsOf(state.look);
  if (form.busy) {
    const spinner = glyphs.spinner[state.tick % glyphs.spinner.length]!;
    return [span(`${spinner} working`, "progress")];
  }
  if (form.failure !== undefined) {
    const { code, message, kind } = form.failure;
    const text = kind === "usage" ? message : `${code}: ${message}`;
    return [span(`${glyphs.failed} ${safe(text)}`, "error")];
  }
  if (form.notice !== undefined) return [span(`${glyphs.done} ${safe(form.notice)}`, "success")];
  const note = form.fields[form.focus]?.note;
  return [span(note ?? " ", "dim")];
}

function buttonRow(state: State, form: FormDialog): Row {
  return form.buttons.flatMap((label, offset): Row => {
    const index = form.fields.length + offset;
    return [button(state, label, index === form.focus, "button", "buttonFocus", index), gap(2)];
  });
}

function fieldRows(
  state: State,
  field: Field,
  index: number,
  focused: boolean,
  labels: number,
  inner: number,
): Row[] {
  const room = inner - labels - 2;
  const label = span(fit(field.label, labels), focused ? "strong" : "dim");
  const click = { type: "item", index } as const;
  const clickable = (row: Row): Row => row.map((part) => ({ ...part, click }));
  if (field.kind === "choice") {
    const glyphs = state.look.ascii ? ["<", ">"] : ["‹", "›"];
    const text = ` ${glyphs[0]} ${field.value} ${glyphs[1]} `;
    return [clickable([label, gap(2), span(text, focused ? "inputFocus" : "input")])];
  }
  const style = focused ? "inputFocus" : "input";
  if (field.kind === "lines") return linesRows(field, label, focused, room).map(clickable);
  const secret = field.kind === "secret";
  const value = secret ? "*".repeat(Math.min(field.value.length, 32)) : field.value;
  const caret = secret ? value.length : field.caret;
  const spans = focused
    ? caretSpans(value, caret, room, true)
    : [span(fit(safe(value), room), style)];
  return [clickable([label, gap(2), ...spans])];
}

function linesRows(field: Field, label: Span, focused: boolean, room: number): Row[] {
  const lines = field.value.split("\n");
  const before = field.value.slice(0, field.caret).split("\n");
  const caretLine = before.length - 1;
  const caret = before.at(-1)!.length;
  const top = Math.max(0, Math.min(caretLine - LINES + 1, lines.length - LINES));
  return Array.from({ length: LINES }, (_, slot) => {
    const index = top + slot;
    const line = lines[index] ?? "";
    const spans =
      focused && index === caretLine
        ? caretSpans(line, caret, room, true)
        : [span(fit(safe(line), room), focused ? "inputFocus" : "input")];
    return [slot === 0 ? label : gap(width(label.text)), gap(2), ...spans];
  });
}

const SEGMENTER = new Intl.Segmenter();

/** Text with the caret in it, scrolled so that the caret is in sight; exactly `cells` wide. */
export function caretSpans(text: string, caret: number, cells: number, focused: boolean): Row {
  const style = focused ? "inputFocus" : "input";
  const rest = text.slice(caret);
  const [next] = SEGMENTER.segment(rest);
  const under = next === undefined ? " " : safe(next.segment);
  const room = cells - width(under);
  const before = cutStart(safe(text.slice(0, caret)), room);
  const after = safe(rest.slice(next?.segment.length ?? 0));
  return fitRow(
    [
      span(before, style),
      span(under, "caret"),
      span(cut(after, Math.max(0, room - width(before))), style),
    ],
    cells,
    style,
  );
}
