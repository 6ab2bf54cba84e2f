/** The whole screen as components: the frame of every page, the page, and the dialog over it. */
import { Box } from "ink";
import type { ReactNode } from "react";

import { dialogBody } from "../dialogs/index.js";
import { SMALLEST, bodyHeight } from "../layout.js";
import { currentPage, typeOf } from "../pages/page.js";
import type { State } from "../state/types.js";
import { actionBar, footer, header, rule, status } from "./chrome.js";
import { Line, Region } from "./parts.js";
import { type Row, fitRow, gap, span } from "./rows.js";

export function App({ state }: { readonly state: State }): ReactNode {
  const { columns, rows } = state.size;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    return <Region width={columns} height={rows} draw={() => tooSmall(state)} />;
  }
  const page = currentPage(state);
  const { body: Body } = typeOf(page);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Line row={header(state)} />
      <Line row={actionBar(state)} />
      <Line row={rule(state)} />
      <Box height={bodyHeight(state.size)} flexShrink={0} key={page.type}>
        <Body state={state} page={page} />
      </Box>
      <Line row={rule(state)} />
      <Line row={status(state)} />
      <Line row={footer(state)} />
      {dialogBody(state)}
    </Box>
  );
}

function tooSmall({ size }: State): readonly Row[] {
  const { columns, rows } = size;
  const lines = [
    "This terminal is too small for pail.",
    `It has ${columns}x${rows}; ${SMALLEST.columns}x${SMALLEST.rows} is enough.`,
  ];
  const top = Math.max(0, Math.floor((rows - lines.length) / 2));
  return Array.from({ length: rows }, (_, row) => {
    const line = lines[row - top] ?? "";
    const left = Math.max(0, Math.floor((columns - line.length) / 2));
    return fitRow([gap(left), span(line, row === top ? "strong" : "dim")], columns);
  });
}
