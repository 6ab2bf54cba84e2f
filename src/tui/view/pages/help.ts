/** The help: every command of the page it was opened from, with its keys. */
import { bodyHeight } from "../../layout.js";
import type { HelpPage, State } from "../../state/types.js";
import { fit } from "../../text/cells.js";
import { status } from "../chrome.js";
import { type Row, gap, span } from "../rows.js";
import type { PageView } from "./places.js";

const KEYS = 16;

/** Keys on the left, what they do on the right, and why not. */
export function helpView(state: State, page: HelpPage): PageView {
  const shown = page.lines.slice(page.top, page.top + bodyHeight(state.size));
  const body = shown.map(({ heading, keys = "", title = "", reason }): Row => {
    if (heading !== undefined) return [gap(2), span(heading, "strong")];
    const why: Row = reason === undefined ? [] : [span(`  (${reason})`, "dim")];
    return [gap(4), span(fit(keys, KEYS), "key"), gap(1), span(title), ...why];
  });
  return {
    body,
    status: status(
      state,
      [span("Keys can be changed under tui.keys in config.json", "dim")],
      [span(`${page.top + 1}–${page.top + shown.length}/${page.lines.length}`, "dim")],
    ),
  };
}
