import { Box } from "ink";
import type { ReactNode } from "react";

import type { Fetched, State } from "../../state/types.js";
import { fit, safe } from "../../text/cells.js";
import { glyphsOf } from "../../theme.js";
import { failureRows } from "../../view/list.js";
import { Line, Region } from "../../view/parts.js";
import { type Row, fitRow, gap, linked, span } from "../../view/rows.js";
import type { Status } from "../page.js";
import { type DetailsPage, type DetailsTab, TABS, detailRows } from "./state.js";

const TITLES: Readonly<Record<DetailsTab, string>> = {
  info: "Info",
  metadata: "Metadata",
  tags: "Tags",
  versions: "Versions",
  share: "Share",
};

const EMPTY: Readonly<Record<DetailsTab, string>> = {
  info: "",
  metadata: "No user metadata. e adds some.",
  tags: "No tags. e adds some.",
  versions: "No versions.",
  share: "",
};

/** Tabs above, rows of a name and a value below. */
export function DetailsView({ state, page }: { state: State; page: DetailsPage }): ReactNode {
  return (
    <Box flexDirection="column" flexGrow={1}>
      <Line row={tabs(state, page)} />
      <Line row={[]} />
      <Region draw={(width, height) => content(state, page, width, height)} />
    </Box>
  );
}

/** The version it is, and what the open tab's keys do. */
export function detailsStatus(_state: State, page: DetailsPage): Status {
  const { tab, versionId } = page;
  return {
    left: [
      versionId === undefined ? undefined : span(`version ${safe(versionId)}`, "accent"),
      tab === "share" ? span("s chooses how long the link lives; y copies it", "dim") : undefined,
      tab === "versions"
        ? span("r restores, d downloads, x deletes the version", "dim")
        : undefined,
    ],
    right: partOf(page).load.type === "loading" ? [span("loading", "progress")] : [],
  };
}

/** The part of the page that the open tab waits for. */
function partOf(page: DetailsPage): Fetched<unknown> {
  switch (page.tab) {
    case "info":
    case "metadata":
      return page.info;
    case "tags":
      return page.tags;
    case "versions":
      return page.versions;
    case "share":
      return page.url;
  }
}

function tabs(state: State, page: DetailsPage): Row {
  const mono = state.look.theme === "mono";
  return [
    gap(2),
    ...TABS.flatMap((tab): Row => {
      const open = tab === page.tab;
      const text = open && mono ? `[${TITLES[tab]}]` : ` ${TITLES[tab]} `;
      return [span(text, open ? "buttonFocus" : "dim"), gap(1)];
    }),
  ];
}

function content(state: State, page: DetailsPage, width: number, height: number): Row[] {
  const glyphs = glyphsOf(state.look);
  const part = partOf(page);
  const rows = detailRows(page);
  if (part.load.type === "failed") return failureRows(state, part.load.failure);
  if (rows.length === 0) {
    const text = part.load.type === "loading" ? "Loading" : EMPTY[page.tab];
    return [[gap(3), span(text, "dim")]];
  }
  const labels = Math.min(
    page.tab === "versions" ? 36 : 24,
    Math.max(...rows.map(({ label }) => safe(label).length)),
  );
  return rows.slice(page.top, page.top + height).map(({ label, value }, offset) => {
    const index = page.top + offset;
    const current = index === page.cursor;
    const row = fitRow(
      [
        span(current ? glyphs.pointer : " ", "accent"),
        gap(2),
        span(fit(safe(label), labels), "dim"),
        gap(2),
        linked(safe(value)),
      ],
      width,
    );
    const click = { type: "row", page: 0, index } as const;
    return row.map((cell) =>
      current ? { ...cell, style: "cursor" as const, click } : { ...cell, click },
    );
  });
}
