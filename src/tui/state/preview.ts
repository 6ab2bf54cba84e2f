/** Moving through an object that may be larger than memory: one window of it is loaded at a time. */
import type { Update } from "./actions.js";
import { putPage } from "./pages.js";
import type { PreviewPage, State } from "./types.js";

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
  const content = page.content;
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
    putPage(state, { ...page, load: { type: "loading" } }),
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
