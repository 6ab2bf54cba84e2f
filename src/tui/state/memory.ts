/** What the console remembers from one time to the next. */
import { BY_NAME, type Sort } from "../list/view.js";

export interface Memory {
  /** Where it was left, as `alias/bucket/prefix`. */
  readonly place?: string | undefined;
  readonly sort: Sort;
  /** Whether the pane beside a list is open, where there is room for it. */
  readonly pane: boolean;
  /** Places, as addresses. */
  readonly bookmarks: readonly string[];
  /** Places one was in, the latest first. */
  readonly recent: readonly string[];
}

/** What a console that was never opened remembers. */
export const NOTHING: Memory = { sort: BY_NAME, pane: true, bookmarks: [], recent: [] };

/** What was remembered, of whatever a file holds: what is not as it should be is left out. */
export function memoryOf(saved: unknown): Memory {
  const { place, sort, pane, bookmarks, recent } = (saved ?? {}) as Partial<
    Record<keyof Memory, unknown>
  > & { readonly sort?: Partial<Sort> };
  const by = ["name", "size", "modified", "class"].find((name) => name === sort?.by);
  return {
    place: typeof place === "string" && place !== "" ? place : undefined,
    sort:
      by === undefined ? BY_NAME : { by: by as Sort["by"], descending: sort?.descending === true },
    pane: pane !== false,
    bookmarks: texts(bookmarks),
    recent: texts(recent),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Places that are kept as recent ones. */
const RECENT = 12;

/** The memory with a place that was gone to. */
export function visited(memory: Memory, place: string): Partial<Memory> {
  const recent = [place, ...memory.recent.filter((old) => old !== place)].slice(0, RECENT);
  return { place, recent };
}
