/** The transfers panel: every job with its bytes, rate and what is left. */
import { formatDuration, formatSize } from "../../../text/format.js";
import { bodyHeight } from "../../layout.js";
import { running } from "../../state/jobs.js";
import { JOB_ROWS } from "../../state/scroll.js";
import type { Job, State, TransfersPage } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { type Glyphs, type StyleName, glyphsOf } from "../../theme.js";
import { counted, facts, status } from "../chrome.js";
import { type Row, fitRow, gap, span, spread } from "../rows.js";
import type { PageView } from "./places.js";

const BAR = 24;

/** Jobs, newest first. */
export function transfersView(state: State, page: TransfersPage): PageView {
  const glyphs = glyphsOf(state.look);
  const shown = Math.max(1, Math.floor((bodyHeight(state.size) - 1) / JOB_ROWS));
  const body: Row[] = [[]];
  if (state.jobs.length === 0) {
    body.push([gap(3), span("No transfer yet.", "dim")]);
  }
  for (const [offset, job] of state.jobs.slice(page.top, page.top + shown).entries()) {
    const index = page.top + offset;
    body.push(...jobRows(state, job, index, index === page.cursor, glyphs));
  }
  const active = running(state);
  const failed = state.jobs.filter((job) => job.status === "failed").length;
  return {
    body,
    status: status(
      state,
      [
        span(counted(state.jobs.length, "transfer"), "dim"),
        active.length > 0 ? span(`${active.length} running`, "progress") : undefined,
        failed > 0 ? span(`${failed} failed`, "error") : undefined,
      ],
      [],
    ),
  };
}

function jobRows(state: State, job: Job, index: number, current: boolean, glyphs: Glyphs): Row[] {
  const columns = state.size.columns;
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
  const click = { type: "row", index } as const;
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
      return [glyphs.dot, "warning"];
  }
}

function detail(job: Job, glyphs: Glyphs): Row {
  const { snapshot } = job;
  const first = job.failures[0];
  if (first !== undefined) {
    const more = job.failures.length > 1 ? ` and ${job.failures.length - 1} more` : "";
    const { code, message } = first.failure;
    return [span(`${code}: ${safe(message)}${more}`, "error")];
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
