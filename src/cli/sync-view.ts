/** A sync, and what it would do, as a person reads it. */
import type { SyncReport } from "../core/sync/state.js";
import { nameOf } from "../core/ref.js";
import { type Change, type PlanSummary, type Tally } from "../core/sync/summary.js";
import { refAt, type Side } from "../core/sync/sides.js";
import { formatCount, formatNumber, formatSize } from "../text/format.js";
import type { Output } from "./output.js";

const CHANGES: readonly Change[] = ["new", "changed", "gone", "left", "same"];

/** A side as a person types it. */
export function sideName(side: Side): string {
  return nameOf(refAt(side, { name: "" }));
}

/** The plan in at most 20 lines, however long it is. */
function planLines({ total, groups, folded, requests, requestsAtMost }: PlanSummary): string[] {
  const columns = CHANGES.filter((change) => total[change].items > 0);
  const rows = groups.map(({ prefix, tallies }, index) => {
    const rest = folded > 0 && index === groups.length - 1;
    const name = rest ? `(${formatCount(folded, "more prefix", "more prefixes")})` : prefix || "./";
    return [name, ...columns.map((change) => cell(tallies[change], change))];
  });
  const table = [
    ["", ...columns],
    ...rows,
    ["total", ...columns.map((one) => cell(total[one], one))],
  ];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row
      .map((text, i) => text.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
  const more = formatNumber(requestsAtMost);
  const alone = requestsAtMost > requests ? `, ${more} where objects are removed one by one` : "";
  return [...lines, `about ${formatCount(requests, "request")}${alone}`];
}

function cell({ items, bytes }: Tally, change: Change): string {
  if (items === 0) return "-";
  const count = formatNumber(items);
  return change === "same" ? count : `${count} (${formatSize(bytes)})`;
}

/** Shows what a sync found, when all its items have been shown. */
export function showSync(output: Output, report: SyncReport, dryRun: boolean): void {
  const { summary, withheld, kept } = report;
  const { total, requests, requestsAtMost } = summary;
  output.result(
    { type: "sync", ...total, requests, requestsAtMost, ...(kept && { kept: sideName(kept) }) },
    dryRun ? planLines(summary) : undefined,
  );
  if (dryRun) return;
  const counts = [
    `${formatCount(total.new.items, "new", "new")}, ${total.changed.items} changed`,
    `${formatNumber(withheld === undefined ? total.gone.items : 0)} removed`,
    `${formatNumber(total.same.items)} the same`,
  ];
  if (total.left.items > 0) counts.push(`${formatNumber(total.left.items)} left as they are`);
  output.note(counts.join(", "));
  if (kept !== undefined && total.changed.items + total.gone.items > 0) {
    output.note(`what was replaced or removed is kept below ${sideName(kept)}`);
  }
}
