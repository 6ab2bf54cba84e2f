/** The page of a job: what failed and why, what runs, what is done. */
import { nameOf } from "../../../core/ref.js";
import { formatCount, formatNumber, formatSize } from "../../../text/format.js";
import { onPage, openText, pageOf } from "../../state/stack.js";
import type { Job, State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { type Glyphs, glyphsOf } from "../../theme.js";
import { List } from "../../view/list.js";
import { type Row, span } from "../../view/rows.js";
import { definePage } from "../page.js";
import { forJob } from "../transfers/keys.js";
import { type JobPage, type JobRow, jobOf, jobRows } from "./state.js";

export const job = definePage<JobPage>({
  type: "job",
  crumbs: () => ["Transfers", "Files"],
  commands: forJob(jobHere),
  bar: ["cancel-job", "retry-job", "undo", "back"],
  footer: ["open", "cancel-job", "retry-job", "undo", "back"],
  count: (state, page) => rowsOf(state, page).length,
  busy: (state, page) => jobOf(state, page)?.status === "running",
  open: onPageRow,
  body: ({ state, page }) => {
    const rows = rowsOf(state, page);
    const glyphs = glyphsOf(state.look);
    return (
      <List
        state={state}
        at={page}
        columns={(room) => [
          { title: "", cells: 2 },
          { title: "FILE", cells: Math.floor((room - 15) * 0.6) },
          { title: "SIZE", cells: 9, align: "right" },
          { title: "", cells: room - 17 - Math.floor((room - 15) * 0.6) },
        ]}
        count={rows.length}
        cells={(index) => cells(rows[index]!, glyphs)}
        load={{ type: "ready" }}
        empty={["Nothing has happened yet."]}
      />
    );
  },
  status: (state, page) => {
    const found = jobOf(state, page);
    const failed = found?.snapshot?.items.failed ?? 0;
    return {
      left: [
        span(safe(found?.title ?? "It was taken off the list."), "accent"),
        found && span(counts(found), "dim"),
        failed > 0 ? span(`${formatNumber(failed)} failed`, "error") : undefined,
      ],
      right: [],
    };
  },
});

function rowsOf(state: State, page: JobPage): readonly JobRow[] {
  const found = jobOf(state, page);
  return found === undefined ? [] : jobRows(found);
}

function jobHere(state: State): Job | undefined {
  const page = pageOf(state, "job");
  return page && jobOf(state, page);
}

function counts({ status, snapshot }: Job): string {
  if (snapshot === undefined) return status;
  const { items, bytes } = snapshot;
  const skipped = items.skipped > 0 ? `, ${formatNumber(items.skipped)} skipped` : "";
  return `${formatNumber(items.done)} of ${formatCount(items.total, "item")}${skipped}, ${formatSize(bytes.done)}`;
}

function cells(row: JobRow, glyphs: Glyphs): Row {
  const size = span(row.size === undefined ? "" : formatSize(row.size), "dim");
  const name = span(safe(row.name));
  switch (row.status) {
    case "failed": {
      const { code, message } = row.failure!;
      return [span(glyphs.failed, "error"), name, size, span(`${code}: ${safe(message)}`, "error")];
    }
    case "running": {
      const share = row.size ? Math.floor((100 * (row.done ?? 0)) / row.size) : 0;
      return [span(glyphs.upload, "progress"), name, size, span(`${share}%`, "progress")];
    }
    case "done":
      return [span(glyphs.done, "success"), name, size, span("done", "dim")];
  }
}

/** Shows the whole of a row: both ends, and why it failed. */
function onPageRow(state: State) {
  return onPage("job", (state, page) => {
    const row = rowsOf(state, page)[page.cursor];
    if (row === undefined) return [state, []];
    const { item, failure } = row;
    const lines = [
      ...(failure === undefined
        ? []
        : [failure.code, failure.message, ...(failure.hint ? [failure.hint] : []), ""]),
      ...(item?.source === undefined ? [] : [`From  ${nameOf(item.source)}`]),
      ...(item === undefined ? [] : [`To    ${nameOf(item.target)}`]),
    ];
    const title = failure === undefined ? "Done" : "Failed";
    return openText(state, title, lines);
  })(state);
}
