/** Looking into an object that may be larger than memory: one window of it is loaded at a time. */
import type { Picture } from "../../picture/scale.js";
import type { Update } from "../../state/actions.js";
import { LOADING, push, putPage } from "../../state/stack.js";
import type { Load, ObjectRef, Size, State } from "../../state/types.js";

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
}

export type PreviewContent =
  | { readonly type: "text"; readonly lines: readonly string[]; readonly end: number }
  | { readonly type: "bytes"; readonly bytes: Uint8Array; readonly end: number }
  | { readonly type: "image"; readonly image: Picture };

export type PreviewEffect = {
  readonly type: "preview";
  readonly page: number;
  readonly object: ObjectRef;
  readonly offset: number;
  /** Cells a picture may take. */
  readonly size: Size;
};

export type PreviewAction = {
  readonly type: "previewed";
  readonly page: number;
  readonly size: number;
  readonly offset: number;
  readonly content: PreviewContent;
};

/** Opens a preview of an object from its beginning. */
export function openPreview(state: State, object: ObjectRef): Update {
  const id = state.nextId;
  const { alias, bucket, key, versionId } = object;
  const at = { alias, bucket, key, versionId, size: 0, offset: 0, top: 0 };
  return push(
    state,
    { type: "preview", id, load: LOADING, ...at },
    { type: "preview", page: id, object, offset: 0, size: state.size },
  );
}

/** Bytes fetched for one window of a preview. */
export const WINDOW = 64 * 1024;

/** Bytes shown on one line of a dump. */
export const DUMP_WIDTH = 16;

/** Lines the loaded window has. */
export function previewCount(page: PreviewPage): number {
  const content = page.content;
  if (content?.type === "text") return content.lines.length;
  if (content?.type === "bytes") return Math.ceil(content.bytes.length / DUMP_WIDTH);
  return 0;
}

/** Scrolls within the window; past its end or beginning, the next or the previous one is fetched. */
export function scrollPreview(
  state: State,
  page: PreviewPage,
  to: (at: number, count: number, height: number) => number,
  height: number,
): Update {
  const { content } = page;
  if (content === undefined || content.type === "image") return [state, []];
  const count = previewCount(page);
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
        size: state.size,
      },
    ],
  ];
}
