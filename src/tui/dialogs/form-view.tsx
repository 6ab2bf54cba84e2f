/** Forms: labels, fields with a caret, buttons. */
import { Box } from "ink";
import type { ReactNode } from "react";

import type { Field, FormDialog, State } from "../state/types.js";
import { fit, safe, width } from "../text/cells.js";
import { glyphsOf } from "../theme.js";
import { Button } from "../view/button.js";
import { Line, Region, Say, Target } from "../view/parts.js";
import { type Row, span } from "../view/rows.js";
import { caretSpans } from "./caret.js";

/** Lines a field of several lines shows. */
const LINES = 5;

/** A form in at most `room` rows: blank ones go first, then fields out of focus. */
export function FormView(props: {
  readonly state: State;
  readonly form: FormDialog;
  readonly room: number;
}): ReactNode {
  const { state, form, room } = props;
  const heights = form.fields.map(heightOf);
  const fields = heights.reduce((sum, height) => sum + height, 0);
  const intro = form.intro === undefined ? 0 : 1;
  const airy = fields + (intro > 0 ? 2 : 0) + 4 <= room;
  const tight = fields + intro + 2 <= room;
  const labels = Math.min(24, Math.max(...form.fields.map(({ label }) => width(label))));
  const shown = tight ? form.fields.map((_, index) => index) : inFocus(form, heights, room - 2);
  return (
    <Box flexDirection="column">
      {form.intro !== undefined && tight && (
        <Box marginBottom={airy ? 1 : 0}>
          <Say as="dim">{form.intro}</Say>
        </Box>
      )}
      {shown.map((index) => (
        <FieldView key={index} form={form} index={index} labels={labels} ascii={state.look.ascii} />
      ))}
      <Box marginTop={airy ? 1 : 0}>
        <Line row={message(state, form)} />
      </Box>
      <Box marginTop={airy ? 1 : 0} gap={2}>
        {form.buttons.map((label, offset) => {
          const index = form.fields.length + offset;
          const focused = index === form.focus;
          return <Button key={label} look={state.look} {...{ label, index, focused }} />;
        })}
      </Box>
    </Box>
  );
}

function heightOf({ kind }: Field): number {
  return kind === "lines" ? LINES : 1;
}

/** The fields that fit, the one in focus among them. */
function inFocus(form: FormDialog, heights: readonly number[], room: number): number[] {
  const last = Math.min(form.focus, form.fields.length - 1);
  const shown: number[] = [];
  let left = room;
  for (let index = last; index >= 0 && left >= heights[index]!; index--) {
    shown.unshift(index);
    left -= heights[index]!;
  }
  for (let index = last + 1; index < heights.length && left >= heights[index]!; index++) {
    shown.push(index);
    left -= heights[index]!;
  }
  return shown;
}

function FieldView(props: {
  readonly form: FormDialog;
  readonly index: number;
  readonly labels: number;
  readonly ascii: boolean;
}): ReactNode {
  const { form, index, labels, ascii } = props;
  const field = form.fields[index]!;
  const focused = index === form.focus;
  return (
    <Target click={{ type: "item", index }} height={heightOf(field)} gap={2} flexShrink={0}>
      <Box width={labels} flexShrink={0}>
        <Say as={focused ? "strong" : "dim"}>{field.label}</Say>
      </Box>
      <Region draw={(cells) => fieldRows(field, focused, cells, ascii)} />
    </Target>
  );
}

function fieldRows(field: Field, focused: boolean, cells: number, ascii: boolean): Row[] {
  const style = focused ? "inputFocus" : "input";
  switch (field.kind) {
    case "choice": {
      const [left, right] = ascii ? ["<", ">"] : ["‹", "›"];
      return [[span(` ${left} ${field.value} ${right} `, style)]];
    }
    case "lines":
      return lineRows(field, focused, cells);
    case "secret": {
      const dots = "*".repeat(Math.min(field.value.length, 32));
      return [
        focused ? caretSpans(dots, dots.length, cells, true) : [span(fit(dots, cells), style)],
      ];
    }
    case "text":
      return [
        focused
          ? caretSpans(field.value, field.caret, cells, true)
          : [span(fit(safe(field.value), cells), style)],
      ];
  }
}

function lineRows({ value, caret }: Field, focused: boolean, cells: number): Row[] {
  const lines = value.split("\n");
  const before = value.slice(0, caret).split("\n");
  const caretLine = before.length - 1;
  const top = Math.max(0, Math.min(caretLine - LINES + 1, lines.length - LINES));
  return Array.from({ length: LINES }, (_, slot): Row => {
    const line = lines[top + slot] ?? "";
    return focused && top + slot === caretLine
      ? caretSpans(line, before.at(-1)!.length, cells, true)
      : [span(fit(safe(line), cells), focused ? "inputFocus" : "input")];
  });
}

function message({ look, tick }: State, form: FormDialog): Row {
  const glyphs = glyphsOf(look);
  if (form.busy) {
    return [span(`${glyphs.spinner[tick % glyphs.spinner.length]!} working`, "progress")];
  }
  if (form.failure !== undefined) {
    const { code, message, kind } = form.failure;
    const text = kind === "usage" ? message : `${code}: ${message}`;
    return [span(`${glyphs.failed} ${safe(text)}`, "error")];
  }
  if (form.notice !== undefined) return [span(`${glyphs.done} ${safe(form.notice)}`, "success")];
  return [span(form.fields[form.focus]?.note ?? " ", "dim")];
}
