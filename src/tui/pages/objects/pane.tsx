/** The pane beside the list: what the object under the cursor is, and how it begins. */
import type { ReactNode } from "react";

import { formatSize } from "../../../text/format.js";
import type { Effect, Update } from "../../state/actions.js";
import { bodyHeight } from "../../layout.js";
import { LOADING, pageWith, putPage } from "../../state/stack.js";
import type { State } from "../../state/types.js";
import { fit, safe } from "../../text/cells.js";
import { formatSeconds } from "../../text/time.js";
import { type Look, glyphsOf } from "../../theme.js";
import { Region } from "../../view/parts.js";
import { pictureRows } from "../../view/picture.js";
import { type Row, fitRow, gap, span } from "../../view/rows.js";
import { inStyles } from "../preview/readable.js";
import { nameOf, under } from "./listing.js";
import type { ObjectsPage, Peek } from "./state.js";

/** Rows of the pane that a picture leaves to the facts above it. */
const FACTS = 10;
/** Screens from this width on have room for the pane. */
const WIDE = 110;

/** Whether the pane is open. */
export function hasPane({ memory, size, other, look }: State): boolean {
  return memory.pane && size.columns >= WIDE && other === undefined && !look.plain;
}

/** Asks for what the pane shows when the cursor has come to another object. */
export function follow(state: State, page: ObjectsPage): Update {
  if (!hasPane(state)) return [state, []];
  const entry = under(page);
  if (entry?.type !== "object" || entry.isDeleteMarker) {
    return page.peek === undefined
      ? [state, []]
      : [putPage(state, { ...page, peek: undefined }), []];
  }
  const { key, size, lastModified } = entry;
  const versionId = entry.isLatest === false ? entry.versionId : undefined;
  const row = `${size} ${lastModified}`;
  if (isSame(page.peek, { key, versionId, row })) return [state, []];
  const object = { alias: page.alias, bucket: page.bucket, key, versionId };
  const { columns } = state.size;
  const rows = Math.max(3, bodyHeight(state.size) - FACTS);
  const room = { columns: paneWidth(columns) - 3, rows, drawn: state.look.pictures !== undefined };
  const effect: Effect = { type: "peek", page: page.id, object, row, room };
  return [putPage(state, { ...page, peek: { key, versionId, row, load: LOADING } }), [effect]];
}

/** Whether the pane shows the same version of the same object, as it is listed now. */
export function isSame(
  peek: Peek | undefined,
  { key, versionId, row }: Pick<Peek, "key" | "versionId" | "row">,
): boolean {
  return peek?.key === key && peek.versionId === versionId && peek.row === row;
}

/** Two fifths of the screen. */
function paneWidth(columns: number): number {
  return Math.floor(columns * 0.4);
}

/** The pane beside the list. */
export function Pane({ state, page }: { state: State; page: ObjectsPage }): ReactNode {
  const width = paneWidth(state.size.columns);
  const { vertical } = glyphsOf(state.look);
  return (
    <Region
      width={width}
      flexGrow={0}
      flexShrink={0}
      draw={(cells, height, now) => {
        // The cursor has moved on since the components were made.
        const shown = pageWith(now, page.id) as ObjectsPage;
        const rows = paneRows(now.look, shown, cells - 2, height);
        return Array.from({ length: height }, (_, row) => [
          span(`${vertical} `, "rule"),
          ...(rows[row] ?? []),
        ]);
      }}
    />
  );
}

function paneRows(look: Look, page: ObjectsPage, cells: number, height: number): Row[] {
  const { peek } = page;
  const entry = under(page);
  if (entry === undefined || peek === undefined) return [];
  const fact = (label: string, value: string | undefined): Row[] =>
    value ? [[span(fit(label, 10), "dim"), span(fit(safe(value), cells - 10))]] : [];
  const { info, text, image, load } = peek;
  return [
    [span(fit(safe(nameOf(page, entry)), cells), "strong")],
    [],
    ...(load.type === "failed"
      ? [[span(fit(`${load.failure.code}: ${safe(load.failure.message)}`, cells), "error")]]
      : []),
    ...(info === undefined
      ? []
      : [
          ...fact("Size", `${formatSize(info.size)} (${info.size} bytes)`),
          ...fact("Modified", formatSeconds(info.lastModified)),
          ...fact("Type", info.contentType),
          ...fact("ETag", info.etag),
          ...fact("Class", info.storageClass),
          ...fact("Version", info.versionId),
          ...fact("Encoding", info.contentEncoding),
          ...Object.entries(info.metadata ?? {}).flatMap(([name, value]) => fact(name, value)),
          [],
        ]),
    ...(text?.note === undefined ? [] : [[span(fit(text.note, cells), "accent")], []]),
    ...(text?.lines ?? []).slice(0, height).map((line, index): Row => {
      const shown = safe(line.slice(0, cells * 4).replaceAll("\t", "  "));
      return fitRow(text === undefined ? [] : inStyles(shown, text, index), cells);
    }),
    ...(image === undefined
      ? []
      : [[span(image.label, "accent")], [], ...pictureRows(look, image, cells, 0)]),
    ...(info !== undefined && text === undefined && image === undefined
      ? [[gap(0), span("Not text.", "dim")]]
      : []),
  ];
}
