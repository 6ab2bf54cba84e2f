/** The pages before a bucket is open: aliases, and buckets. */
import type { BucketsPage, SignInPage, State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatTime } from "../../text/time.js";
import { counted, status } from "../chrome.js";
import { type Row, span } from "../rows.js";
import { GUTTER, list } from "./list.js";

/** Rows between the rules, and the status line. */
export interface PageView {
  readonly body: readonly Row[];
  readonly status: Row;
}

/** The aliases there are to sign in with. */
export function signInView(state: State, page: SignInPage): PageView {
  const room = state.size.columns - GUTTER - 1;
  const name = Math.min(24, Math.floor(room * 0.25));
  const region = 14;
  const origin = Math.min(26, Math.floor(room * 0.25));
  const columns = [
    { title: "ALIAS", cells: name },
    { title: "ENDPOINT", cells: room - name - region - origin - 6 },
    { title: "REGION", cells: region },
    { title: "FROM", cells: origin },
  ];
  const body = list(state, page, {
    columns,
    count: page.aliases.length,
    cells: (index) => {
      const alias = page.aliases[index]!;
      return [
        span(safe(alias.name), "prefix"),
        span(safe(alias.url)),
        span(safe(alias.region), "dim"),
        span(safe(alias.origin), "dim"),
      ];
    },
    load: page.load,
    empty: ["No alias yet."],
  });
  const count = span(
    `${page.aliases.length} ${page.aliases.length === 1 ? "alias" : "aliases"}`,
    "dim",
  );
  return { body, status: status(state, [count], []) };
}

/** The buckets of an alias. */
export function bucketsView(state: State, page: BucketsPage): PageView {
  const room = state.size.columns - GUTTER - 1;
  const columns = [
    { title: "BUCKET", cells: room - 18 },
    { title: "CREATED", cells: 16 },
  ];
  const body = list(state, page, {
    columns,
    count: page.buckets.length,
    cells: (index) => {
      const bucket = page.buckets[index]!;
      return [span(safe(bucket.name), "prefix"), span(formatTime(bucket.created), "dim")];
    },
    load: page.load,
    empty: ["No bucket here yet.", "b makes one; o opens one by its name."],
  });
  const failed =
    page.load.type === "failed" && page.buckets.length > 0 ? page.load.failure : undefined;
  return {
    body,
    status: status(
      state,
      [
        page.load.type === "loading" && page.buckets.length === 0
          ? undefined
          : span(counted(page.buckets.length, "bucket"), "dim"),
        failed && span(`${failed.code}: ${safe(failed.message)}`, "error"),
      ],
      page.load.type === "loading" && page.buckets.length > 0 ? [span("loading", "progress")] : [],
    ),
  };
}
