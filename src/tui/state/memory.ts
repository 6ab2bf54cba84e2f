/** The places and settings that the console remembers from one time to the next. */
import { BY_NAME, type Sort } from "../list/view.js";

export interface Memory {
  /** Where it was left, as `alias/bucket/prefix`. */
  readonly place?: string | undefined;
  readonly sort: Sort;
  /** Whether the pane beside a list is open, where there is room for it. */
  readonly pane: boolean;
  /** The columns of a bucket page besides the name; undefined for those that tell something. */
  readonly columns?: readonly ColumnName[] | undefined;
  /** Places, as addresses. */
  readonly bookmarks: readonly string[];
  /** Visited places, the latest first. */
  readonly recent: readonly string[];
}

export const COLUMNS = ["size", "modified", "class"] as const;
export type ColumnName = (typeof COLUMNS)[number];

/** The memory of a console that was never opened. */
export const NOTHING: Memory = { sort: BY_NAME, pane: true, bookmarks: [], recent: [] };

/** The memory that a file holds; any value that is not as it should be is left out. */
export function memoryOf(saved: unknown): Memory {
  const { place, sort, pane, columns, bookmarks, recent } = (saved ?? {}) as Partial<
    Record<keyof Memory, unknown>
  > & { readonly sort?: Partial<Sort> };
  const by = ["name", "size", "modified", "class"].find((name) => name === sort?.by);
  return {
    place: typeof place === "string" && place !== "" ? place : undefined,
    sort:
      by === undefined ? BY_NAME : { by: by as Sort["by"], descending: sort?.descending === true },
    pane: pane !== false,
    columns: Array.isArray(columns) ? COLUMNS.filter((name) => columns.includes(name)) : undefined,
    bookmarks: texts(bookmarks),
    recent: texts(recent),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Places that are kept as recent ones. */
const RECENT = 12;

/** The memory after a visit to a place. */
export function visited(memory: Memory, place: string): Partial<Memory> {
  const recent = [place, ...memory.recent.filter((old) => old !== place)].slice(0, RECENT);
  return { place, recent };
}
