import type { ReactNode } from "react";

import { formatCount, formatDuration, formatSize } from "../../../text/format.js";
import { running } from "../../state/running.js";
import type { Job, State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { type Glyphs, type StyleName, glyphsOf } from "../../theme.js";
import { facts } from "../../view/chrome.js";
import { Region } from "../../view/parts.js";
import { type Row, fitRow, gap, span, spread } from "../../view/rows.js";
import type { Status } from "../page.js";
import { JOB_ROWS, type TransfersPage } from "./state.js";

const BAR = 24;

/** Every job with its bytes, rate and what is left, the newest first. */
export function TransfersView({ state, page }: { state: State; page: TransfersPage }): ReactNode {
  return (
    <Region
      draw={(width, height) => {
        if (state.jobs.length === 0) return [[], [gap(3), span("No transfer yet.", "dim")]];
        const shown = state.jobs.slice(page.top, page.top + Math.ceil(height / JOB_ROWS));
        const rows = shown.flatMap((job, offset) => {
          const index = page.top + offset;
          return jobRows(state, job, index, index === page.cursor, width);
        });
        return [[], ...rows];
      }}
    />
  );
}

/** The number of transfers, and how many of them run and have failed. */
export function transfersStatus(state: State): Status {
  const active = running(state);
  const failed = state.jobs.filter((job) => job.status === "failed").length;
  return {
    left: [
      span(formatCount(state.jobs.length, "transfer"), "dim"),
      active.length > 0 ? span(`${active.length} running`, "progress") : undefined,
      failed > 0 ? span(`${failed} failed`, "error") : undefined,
    ],
    right: [],
  };
}

function jobRows(state: State, job: Job, index: number, current: boolean, columns: number): Row[] {
  const glyphs = glyphsOf(state.look);
  const [mark, style] = markOf(job, state.tick, glyphs);
  const title = spread(
    [
      span(current ? glyphs.pointer : " ", "accent"),
      gap(1),
      span(`${mark} `, style),
      span(safe(job.title), current ? "strong" : "plain"),
    ],
    [span(` ${job.status} `, style)],
    columns,
  );
  const click = { type: "row", page: 0, index } as const;
  return [
    (current ? title.map((part) => ({ ...part, style: "cursor" as const })) : title).map(
      (part) => ({
        ...part,
        click,
      }),
    ),
    fitRow([gap(4), ...detail(job, glyphs)], columns),
    [],
  ];
}

function markOf(job: Job, tick: number, glyphs: Glyphs): [string, StyleName] {
  switch (job.status) {
    case "running":
      return [glyphs.spinner[tick % glyphs.spinner.length]!, "progress"];
    case "done":
      return [glyphs.done, "success"];
    case "failed":
      return [glyphs.failed, "error"];
    case "canceled":
    case "left":
      return [glyphs.dot, "warning"];
  }
}

function detail(job: Job, glyphs: Glyphs): Row {
  const { snapshot } = job;
  const first = job.status === "failed" ? job.failures[0] : undefined;
  if (first !== undefined) {
    const { code, message } = first.failure;
    const done = snapshot === undefined ? "" : `${snapshot.items.done} done, `;
    return [
      span(`${done}${job.failures.length} failed  `, "warning"),
      span(`${code}: ${safe(message)}`, "error"),
    ];
  }
  if (job.status === "left") {
    return [span("An earlier console ended before it did: r goes on, c forgets it.", "dim")];
  }
  if (snapshot === undefined) return [span("starting", "dim")];
  const { bytes, items, rate, eta, counted: final } = snapshot;
  const known =
    bytes.total > 0 ? bytes.done / bytes.total : items.total > 0 ? items.done / items.total : 0;
  const share = job.status === "done" ? 1 : Math.max(0, Math.min(1, known));
  const full = Math.round(share * BAR);
  const plus = final ? "" : "+";
  return [
    span(glyphs.barFull.repeat(full), job.status === "done" ? "success" : "progress"),
    span(glyphs.barEmpty.repeat(BAR - full), "rule"),
    gap(1),
    span(`${String(Math.floor(share * 100)).padStart(3)}%  `),
    ...facts(glyphs, [
      bytes.total === 0
        ? undefined
        : span(`${formatSize(bytes.done)} of ${formatSize(bytes.total)}${plus}`, "dim"),
      span(`${items.done}/${items.total}${plus}`, "dim"),
      job.status === "running" && rate > 0
        ? span(`${formatSize(Math.round(rate))}/s`, "dim")
        : undefined,
      job.status === "running" && eta !== undefined
        ? span(`${formatDuration(Math.ceil(eta))} left`, "dim")
        : undefined,
    ]),
  ];
}
