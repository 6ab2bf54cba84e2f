import type { ReactNode } from "react";

import { formatCount, formatNumber } from "../../../text/format.js";
import type { State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatTime } from "../../text/time.js";
import { List } from "../../view/list.js";
import { span } from "../../view/rows.js";
import type { Status } from "../page.js";
import type { BucketsPage } from "./state.js";

/** Buckets by name. */
export function BucketsView({ state, page }: { state: State; page: BucketsPage }): ReactNode {
  return (
    <List
      state={state}
      at={page}
      columns={(room) => [
        { title: "BUCKET", cells: room - 18 },
        { title: "CREATED", cells: 16 },
      ]}
      count={page.buckets.length}
      cells={(index) => {
        const bucket = page.buckets[index]!;
        return [span(safe(bucket.name), "prefix"), span(formatTime(bucket.created), "dim")];
      }}
      filter={page.filter}
      load={page.load}
      empty={
        page.filter !== ""
          ? ["No bucket fits the filter."]
          : ["No bucket here yet.", "b makes one; o opens one by its name."]
      }
    />
  );
}

/** How many there are; why the last reading failed. */
export function bucketsStatus(_state: State, { load, all, buckets, filter }: BucketsPage): Status {
  const failed = load.type === "failed" && all.length > 0 ? load.failure : undefined;
  const some = filter === "" ? "" : `${formatNumber(buckets.length)} of `;
  return {
    left: [
      load.type === "loading" && all.length === 0
        ? undefined
        : span(some + formatCount(all.length, "bucket"), "dim"),
      filter === "" ? undefined : span(`filter "${safe(filter)}"`, "accent"),
      failed && span(`${failed.code}: ${safe(failed.message)}`, "error"),
    ],
    right: load.type === "loading" && all.length > 0 ? [span("loading", "progress")] : [],
  };
}
