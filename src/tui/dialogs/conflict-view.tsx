import { Box } from "ink";
import type { ReactNode } from "react";

import { nameOf } from "../../core/ref.js";
import type { Facts } from "../../core/operations/types.js";
import { formatSize } from "../../text/format.js";
import type { ConflictDialog, State } from "../state/types.js";
import { cutStart, safe } from "../text/cells.js";
import { formatSeconds } from "../text/time.js";
import { glyphsOf } from "../theme.js";
import { Button } from "../view/button.js";
import { Line, Say, Target } from "../view/parts.js";
import { span } from "../view/rows.js";
import { ALL, CHOICES } from "./conflict.js";

/** Both sides with their sizes and dates, and what can be done. */
export function ConflictView(props: {
  readonly state: State;
  readonly dialog: ConflictDialog;
  readonly cells: number;
}): ReactNode {
  const { state, dialog, cells } = props;
  const { source, target, sourceInfo, targetInfo } = dialog.conflict;
  const { mark } = glyphsOf(state.look);
  const title = state.jobs.find(({ id }) => id === dialog.job)?.title ?? "";
  return (
    <Box flexDirection="column">
      <Say as="dim">{safe(title)}</Say>
      <Box marginTop={1} flexDirection="column">
        <Line row={[span("There  ", "strong"), span(cutStart(safe(nameOf(target)), cells - 7))]} />
        <Line row={[span(`       ${facts(targetInfo)}`, "dim")]} />
        <Line row={[span("New    ", "strong"), span(cutStart(safe(nameOf(source)), cells - 7))]} />
        <Line row={[span(`       ${facts(sourceInfo)}`, "dim")]} />
      </Box>
      <Box marginTop={1} gap={2}>
        {CHOICES.map(({ label, action }, index) => (
          <Button
            key={label}
            look={state.look}
            label={label}
            focused={index === dialog.focus}
            index={index}
            kind={action === "replace" ? "danger" : undefined}
          />
        ))}
        <Target click={{ type: "item", index: ALL }}>
          <Say as={dialog.focus === ALL ? "buttonFocus" : "plain"}>
            {`[${dialog.all ? mark : " "}] for all of this job`}
          </Say>
        </Target>
      </Box>
    </Box>
  );
}

function facts({ size, lastModified }: Facts): string {
  return [
    size === undefined ? "size unknown" : formatSize(size),
    lastModified === undefined ? "date unknown" : formatSeconds(lastModified),
  ].join("  ");
}
