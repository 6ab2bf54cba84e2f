/** The whole screen as components: the frame of every page, the page, and the dialog over it. */
import { Box } from "ink";
import type { ReactNode } from "react";

import { dialogBody } from "../dialogs/index.js";
import { SMALLEST, bodyHeight } from "../layout.js";
import { typeOf } from "../pages/page.js";
import { shownPages } from "../state/panes.js";
import type { State } from "../state/types.js";
import { glyphsOf } from "../theme.js";
import { actionBar, footer, header, rule, status } from "./chrome.js";
import { Region } from "./parts.js";
import { type Row, fitRow, gap, span } from "./rows.js";

/** The lines above and below every page: always these components, which draw what holds now. */
const line = (draw: (state: State) => Row, still = true) => (
  <Region
    height={1}
    flexShrink={0}
    flexGrow={0}
    still={still}
    draw={(_width, _height, state) => [draw(state)]}
  />
);
const [HEADER, BAR, RULE, STATUS, FOOTER] = [
  line(header),
  line(actionBar),
  line(rule),
  line(status, false),
  line(footer),
];

export function App({ state }: { readonly state: State }): ReactNode {
  const { columns, rows } = state.size;
  if (columns < SMALLEST.columns || rows < SMALLEST.rows) {
    return <Region width={columns} height={rows} draw={(_width, _height, now) => tooSmall(now)} />;
  }
  const pages = shownPages(state);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {HEADER}
      {BAR}
      {RULE}
      <Box height={bodyHeight(state.size)} flexShrink={0}>
        {pages.map((page, index) => {
          const { body: Body } = typeOf(page);
          const half = Math.floor((columns - 1) / 2);
          const width = pages.length === 1 ? columns : index === 0 ? half : columns - 1 - half;
          return [
            index > 0 && <Divider key="divider" state={state} />,
            <Box key={`${page.type} ${index}`} width={width} flexShrink={0}>
              <Body state={state} page={page} />
            </Box>,
          ];
        })}
      </Box>
      {RULE}
      {STATUS}
      {FOOTER}
      {dialogBody(state)}
    </Box>
  );
}

function Divider({ state }: { readonly state: State }): ReactNode {
  const line = [span(glyphsOf(state.look).vertical, "rule")];
  return (
    <Region
      width={1}
      flexGrow={0}
      draw={(_, height) => Array.from({ length: height }, () => line)}
    />
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
