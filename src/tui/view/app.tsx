/** The only part that knows Ink: rows become lines of text. */
import { Box, Text } from "ink";

import { type Look, type Style, type StyleName, stylesOf } from "../theme.js";
import type { Row } from "./rows.js";

type Styles = Readonly<Record<StyleName, Style>>;

/** One row of the screen. Its text is already as wide as it may be. */
function Line({ row, styles }: { readonly row: Row; readonly styles: Styles }) {
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
}

export interface AppProps {
  /** The rows to lay out: those of the screen that changed. */
  readonly rows: readonly Row[];
  readonly columns: number;
  readonly look: Look;
}

/** Rows one below the other. Keys are places, so that scrolling changes text, not structure. */
export function App({ rows, columns, look }: AppProps) {
  const styles = stylesOf(look);
  return (
    <Box flexDirection="column" width={columns} height={rows.length}>
      {rows.map((row, index) => (
        <Line key={index} row={row} styles={styles} />
      ))}
    </Box>
  );
}
