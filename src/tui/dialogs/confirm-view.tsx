import { Box } from "ink";
import type { ReactNode } from "react";

import { formatCount, formatSize } from "../../text/format.js";
import type { ConfirmDialog, State } from "../state/types.js";
import { cut, safe, wrapped } from "../text/cells.js";
import { glyphsOf } from "../theme.js";
import { Button } from "../view/button.js";
import { Line, Say } from "../view/parts.js";
import { type Row, span } from "../view/rows.js";
import { caretSpans } from "./caret.js";
import { fate, nameToType, undecidable } from "./confirm.js";

/** The subject of a question, how much that is, and its two buttons. */
export function ConfirmView(props: {
  readonly state: State;
  readonly dialog: ConfirmDialog;
  readonly cells: number;
  readonly room: number;
}): ReactNode {
  const { state, dialog, cells, room } = props;
  const wanted = nameToType(dialog);
  const lines = dialog.lines
    .flatMap((line) => wrapped(safe(line), cells, 3))
    .slice(0, Math.max(1, room - (wanted === undefined ? 8 : 10)));
  const blocked = undecidable(dialog);
  const what = fate(dialog);
  const keeps = dialog.count?.keeps;
  const accept = dialog.focus === "accept";
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        <Say key={index}>{line || " "}</Say>
      ))}
      {dialog.count !== undefined && (
        <Box marginTop={lines.length > 0 ? 1 : 0}>
          <Line row={countRow(state, dialog.count)} />
        </Box>
      )}
      {what !== undefined && <Say as={keeps === "versions" ? "dim" : "warning"}>{what}</Say>}
      {wanted !== undefined && (
        <Box marginTop={1}>
          <Line
            row={[
              span(`Type ${cut(safe(wanted), 40)} to go on: `, "strong"),
              ...caretSpans(dialog.typed, dialog.typed.length, 26, true),
            ]}
          />
        </Box>
      )}
      <Box marginTop={1} gap={2}>
        <Button look={state.look} label="Cancel" focused={!accept} index={0} />
        <Button
          look={state.look}
          label={dialog.accept}
          focused={accept}
          index={1}
          kind={blocked !== undefined ? "disabled" : dialog.danger ? "danger" : undefined}
        />
        {blocked !== undefined && <Say as="dim">{blocked}</Say>}
      </Box>
    </Box>
  );
}

function countRow({ look, tick }: State, count: NonNullable<ConfirmDialog["count"]>): Row {
  const sum = `${formatCount(count.objects, "object")}, ${formatSize(count.bytes)}`;
  if (count.failure !== undefined) {
    const { code, message } = count.failure;
    return [span(`Not counted: ${code}, ${safe(message)}`, "warning")];
  }
  if (count.done) return [span(count.objects === 0 ? "It is empty." : sum, "strong")];
  const { spinner } = glyphsOf(look);
  return [span(`${spinner[tick % spinner.length]!} `, "progress"), span(`${sum} so far`, "dim")];
}
