/** Looking into an object that may be larger than memory: one window of it is loaded at a time. */
import type { PictureRoom } from "../../picture/decode.js";
import type { Picture } from "../../picture/scale.js";
import type { Update } from "../../state/actions.js";
import { bodyHeight } from "../../layout.js";
import { safe, wrapped } from "../../text/cells.js";
import { LOADING, push, putPage, say } from "../../state/stack.js";
import type { Load, ObjectRef, State } from "../../state/types.js";

declare module "../../state/types.js" {
  interface Pages {
    preview: PreviewPage;
  }
  interface PageEffects {
    preview: PreviewEffect;
  }
  interface PageActions {
    preview: PreviewAction;
  }
}

export interface PreviewPage {
  readonly type: "preview";
  readonly id: number;
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly load: Load;
  /** Bytes of the whole object. */
  readonly size: number;
  /** Where the window begins, in bytes. */
  readonly offset: number;
  readonly content?: PreviewContent | undefined;
  readonly top: number;
  /** Long lines go on in the next row. */
  readonly wrap: boolean;
  /** Cells that are hidden to the left. */
  readonly left: number;
  /** The text to search for, whatever its case. */
  readonly query: string;
  /** A window is on its way: to be shown from its end, or searched. */
  readonly after?: "end" | "search" | undefined;
  /** The end is shown anew whenever the object has changed. */
  readonly follow?: boolean | undefined;
}

export interface TextContent {
  readonly type: "text";
  readonly lines: readonly string[];
  /** Where the window ends in the object, in bytes. */
  readonly end: number;
  readonly isJson?: boolean | undefined;
  /** The cells of each column of a table. */
  readonly columns?: readonly number[] | undefined;
  /** The kind of lines, where they are not the bytes themselves. */
  readonly note?: string | undefined;
}

export type PreviewContent =
  | TextContent
  | { readonly type: "bytes"; readonly bytes: Uint8Array; readonly end: number }
  | { readonly type: "image"; readonly image: Picture };

export type PreviewEffect = PreviewRead | Watch;

/** Waits until an object has changed since it was read. */
interface Watch {
  readonly type: "watch";
  readonly page: number;
  readonly object: ObjectRef;
  readonly etag: string | undefined;
}

type PreviewRead = {
  readonly type: "preview";
  readonly page: number;
  readonly object: ObjectRef;
  readonly offset: number;
  /** Cells a picture may take. */
  readonly room: PictureRoom;
};

export type PreviewAction = Previewed | Grown;

interface Grown {
  readonly type: "grown";
  readonly page: number;
  readonly size: number;
}

type Previewed = {
  readonly type: "previewed";
  readonly page: number;
  readonly size: number;
  readonly etag?: string | undefined;
  readonly offset: number;
  readonly content: PreviewContent;
};

/** Opens a preview of an object from its beginning. */
export function openPreview(state: State, object: ObjectRef): Update {
  const id = state.nextId;
  const { alias, bucket, key, versionId } = object;
  const at = { alias, bucket, key, versionId, size: 0, offset: 0, top: 0 };
  const look = { wrap: true, left: 0, query: "" };
  return push(
    state,
    { type: "preview", id, load: LOADING, ...at, ...look },
    { type: "preview", page: id, object, offset: 0, room: pictureRoom(state) },
  );
}

/** Bytes fetched for one window of a preview. */
export const WINDOW = 64 * 1024;

/** Bytes shown on one line of a dump. */
export const DUMP_WIDTH = 16;

/** Rows the loaded window has on a screen of so many columns. */
export function previewCount(page: PreviewPage, columns: number): number {
  const { content } = page;
  if (content?.type === "text") return textRows(page, columns).length;
  if (content?.type === "bytes") return Math.ceil(content.bytes.length / DUMP_WIDTH);
  return 0;
}

/** A row of text: the number of its line, from 0, and the piece of that line. */
export interface TextRow {
  readonly line: number;
  readonly text: string;
}

const kept = new WeakMap<PreviewContent, { readonly key: string; readonly rows: TextRow[] }>();

/** The loaded text in rows; long lines are cut into pieces when the page wraps. */
export function textRows({ content, wrap }: PreviewPage, columns: number): readonly TextRow[] {
  if (content?.type !== "text") return [];
  const key = `${wrap} ${columns}`;
  const known = kept.get(content);
  if (known?.key === key) return known.rows;
  const rows = content.lines.flatMap((raw, line): TextRow[] => {
    const text = safe(raw.replaceAll("\t", "    "));
    return wrap
      ? wrapped(text, columns - MARGIN).map((text) => ({ line, text }))
      : [{ line, text }];
  });
  kept.set(content, { key, rows });
  return rows;
}

/** Cells left of the text: the line's number. */
export const MARGIN = 8;

/** Goes to the next row that holds the searched text, in this window or in a later one. */
export function searchOn(state: State, page: PreviewPage, from: number, by: 1 | -1): Update {
  const { content } = page;
  const wanted = page.query.toLowerCase();
  if (content?.type !== "text" || wanted === "") return [state, []];
  const rows = textRows(page, state.size.columns);
  for (let row = from; row >= 0 && row < rows.length; row += by) {
    if (rows[row]!.text.toLowerCase().includes(wanted)) {
      return [putPage(state, { ...page, top: row, after: undefined }), []];
    }
  }
  if (by === 1 && content.end < page.size) {
    return fetchWindow(state, { ...page, after: "search" }, content.end);
  }
  const text = `${page.query} is not ${by === 1 ? "below" : "above"}`;
  return [say(putPage(state, { ...page, after: undefined }), "warning", text), []];
}

/** Shows the end of the object: its last window is read by its range. */
export function goToEnd(state: State, page: PreviewPage): Update {
  const { content } = page;
  if (content === undefined || content.type === "image") return [state, []];
  if (content.end < page.size) {
    return fetchWindow(state, { ...page, after: "end" }, lastWindow(page, page.size));
  }
  const count = previewCount(page, state.size.columns);
  return [putPage(state, { ...page, top: Math.max(0, count - bodyHeight(state.size)) }), []];
}

/** Where the last window of so many bytes begins. */
export function lastWindow({ content }: PreviewPage, size: number): number {
  const offset = Math.max(0, size - WINDOW);
  return content?.type === "bytes" ? offset - (offset % DUMP_WIDTH) : offset;
}

/** Shows the beginning of the object. */
export function goToStart(state: State, page: PreviewPage): Update {
  if (page.offset > 0) return fetchWindow(state, page, 0);
  return [putPage(state, { ...page, top: 0 }), []];
}

/** Scrolls within the window; past its end or beginning, the window next to it is fetched. */
export function scrollPreview(
  state: State,
  page: PreviewPage,
  to: (at: number, count: number, height: number) => number,
  height: number,
): Update {
  const { content } = page;
  if (content === undefined || content.type === "image") return [state, []];
  const count = previewCount(page, state.size.columns);
  const target = to(page.top, count, height);
  if (target >= count - 1 && page.top >= count - height && content.end < page.size) {
    return fetchWindow(state, page, content.end);
  }
  if (target < 0 && page.top === 0 && page.offset > 0) {
    return fetchWindow(state, page, Math.max(0, page.offset - WINDOW));
  }
  const top = Math.max(0, Math.min(target, count - height));
  return [putPage(state, { ...page, top }), []];
}

function pictureRoom({ size, look }: State): PictureRoom {
  const drawn = look.pictures !== undefined;
  return { columns: size.columns - 2, rows: bodyHeight(size), drawn };
}

/** Fetches the window that begins at a byte. */
export function fetchWindow(state: State, page: PreviewPage, offset: number): Update {
  const { alias, bucket, key, versionId } = page;
  return [
    putPage(state, { ...page, load: LOADING }),
    [
      { type: "stop", id: page.id },
      {
        type: "preview",
        page: page.id,
        object: { alias, bucket, key, versionId },
        offset,
        room: pictureRoom(state),
      },
    ],
  ];
}
