/** The only part that knows Ink: rows become lines of text. */
import { Box, Text } from "ink";
import { memo } from "react";

import type { State } from "../state/types.js";
import { type StyleName, type Style, stylesOf } from "../theme.js";
import type { Row } from "./rows.js";

type Styles = Readonly<Record<StyleName, Style>>;

/** One row of the screen. Its text is already as wide as it may be. */
const Line = memo(function Line({ row, styles }: { readonly row: Row; readonly styles: Styles }) {
  return (
    <Text wrap="truncate">
      {row.map(({ text, style, pixels }, index) =>
        pixels === undefined ? (
          <Text key={index} {...styles[style ?? "plain"]}>
            {text}
          </Text>
        ) : (
          <Text key={index} color={pixels[0]} backgroundColor={pixels[1]}>
            {text}
          </Text>
        ),
      )}
    </Text>
  );
});

/** The screen. Keys of the lines are their places, so that scrolling changes text, not structure. */
export function App({ state, rows }: { readonly state: State; readonly rows: readonly Row[] }) {
  const styles = stylesOf(state.look);
  return (
    <Box flexDirection="column" width={state.size.columns} height={state.size.rows}>
      {rows.map((row, index) => (
        <Line key={index} row={row} styles={styles} />
      ))}
    </Box>
  );
}
