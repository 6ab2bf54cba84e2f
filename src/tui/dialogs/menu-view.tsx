import { Box } from "ink";
import type { ReactNode } from "react";

import { keysOf, paletteItems, reasonAgainst } from "../commands.js";
import { bodyHeight } from "../layout.js";
import type { MenuDialog, PaletteDialog, State } from "../state/types.js";
import { fit } from "../text/cells.js";
import { type Look, glyphsOf } from "../theme.js";
import { matched } from "../view/list.js";
import { Region } from "../view/parts.js";
import { type Row, span } from "../view/rows.js";
import { caretSpans } from "./caret.js";

/** A few items, each on a key of its own. */
export function MenuView(props: { readonly look: Look; readonly dialog: MenuDialog }): ReactNode {
  const { look, dialog } = props;
  return (
    <Region
      height={dialog.items.length}
      flexShrink={0}
      draw={(cells) =>
        dialog.items.map(({ key, label }, index) => {
          const row = [span(fit(key, 3), "key"), span(fit(label, cells - 5))];
          return item(look, row, index, index === dialog.cursor);
        })
      }
    />
  );
}

/** Commands or places found by what is typed, with their keys. */
export function PaletteView(props: {
  readonly state: State;
  readonly dialog: PaletteDialog;
}): ReactNode {
  const { state, dialog } = props;
  const items = paletteItems(state, dialog);
  const height = Math.max(1, Math.min(12, bodyHeight(state.size) - 6));
  const top = Math.max(0, Math.min(dialog.cursor - height + 1, items.length - height));
  const draw = (cells: number): Row[] => {
    if (items.length === 0) return [[span("Nothing fits that.", "dim")]];
    return items.slice(top, top + height).map((command, slot) => {
      const current = top + slot === dialog.cursor;
      const reason = reasonAgainst(state, command);
      const title = reason === undefined ? command.title : `${command.title} (${reason})`;
      const name = span(fit(title, cells - 18), reason === undefined ? "plain" : "disabled");
      const row = [
        ...matched(name, dialog.text, current ? "cursorMatch" : "match"),
        span(fit(keysOf(state, command), 16, "right"), "key"),
      ];
      return item(state.look, row, top + slot, current);
    });
  };
  return (
    <Box flexDirection="column">
      <Box marginBottom={1}>
        <Region
          height={1}
          draw={(cells) => [
            [span(": ", "key"), ...caretSpans(dialog.text, dialog.caret, cells - 2, true)],
          ]}
        />
      </Box>
      <Region height={height} flexShrink={0} draw={draw} />
    </Box>
  );
}

function item(look: Look, row: Row, index: number, current: boolean): Row {
  const click = { type: "item", index } as const;
  const whole = [span(`${current ? glyphsOf(look).pointer : " "} `), ...row];
  return whole.map((part) => {
    const style = current && part.style !== "cursorMatch" ? "cursor" : part.style;
    return { ...part, click, style };
  });
}
