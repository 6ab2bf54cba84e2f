import type { ReactNode } from "react";

import { formatCount } from "../../../text/format.js";
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
      load={page.load}
      empty={["No bucket here yet.", "b makes one; o opens one by its name."]}
    />
  );
}

/** How many there are; why the last reading failed. */
export function bucketsStatus(_state: State, { load, buckets }: BucketsPage): Status {
  const failed = load.type === "failed" && buckets.length > 0 ? load.failure : undefined;
  return {
    left: [
      load.type === "loading" && buckets.length === 0
        ? undefined
        : span(formatCount(buckets.length, "bucket"), "dim"),
      failed && span(`${failed.code}: ${safe(failed.message)}`, "error"),
    ],
    right: load.type === "loading" && buckets.length > 0 ? [span("loading", "progress")] : [],
  };
}
