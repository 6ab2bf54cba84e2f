/** The page of what was said in this session, the latest first. */
import type { Update } from "../../state/actions.js";
import { START, openText, push } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatSeconds } from "../../text/time.js";
import { List } from "../../view/list.js";
import { span } from "../../view/rows.js";
import { formatCount } from "../../../text/format.js";
import { currentPage, definePage } from "../page.js";
import type { LogPage } from "./state.js";

export const log = definePage<LogPage>({
  type: "log",
  crumbs: () => ["Messages"],
  commands: [],
  bar: ["back"],
  footer: ["open", "back"],
  count: (state) => state.log.length,
  open: (state, page) => {
    const line = lineAt(state, page.cursor);
    if (line === undefined) return [state, []];
    return openText(state, formatSeconds(line.at), [line.text]);
  },
  body: ({ state, page }) => (
    <List
      state={state}
      at={page}
      columns={(room) => [
        { title: "TIME", cells: 19 },
        { title: "MESSAGE", cells: room - 21 },
      ]}
      count={state.log.length}
      cells={(index) => {
        const { at, tone, text } = lineAt(state, index)!;
        return [span(formatSeconds(at), "dim"), span(safe(text), tone === "info" ? "plain" : tone)];
      }}
      load={{ type: "ready" }}
      empty={["Nothing was said yet."]}
    />
  ),
  status: (state) => ({ left: [span(formatCount(state.log.length, "message"), "dim")], right: [] }),
});

function lineAt(state: State, index: number) {
  return state.log[state.log.length - 1 - index];
}

/** Opens the messages, unless they are on screen. */
export function openLog(state: State): Update {
  if (currentPage(state).type === "log") return [state, []];
  return push(state, { type: "log", id: state.nextId, ...START });
}
