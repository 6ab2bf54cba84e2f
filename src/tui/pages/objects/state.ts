/** A bucket, or a place in one: the entries that are listed there, marked, and on their way. */
import type { Entry, ObjectInfo } from "../../../core/storage/storage.js";
import { type Marks, NO_MARKS } from "../../list/marks.js";
import { type EntryStore, emptyStore, namedClasses } from "../../list/store.js";
import { type Sort, type View, emptyView } from "../../list/view.js";
import { type Update, also } from "../../state/actions.js";
import { COLUMNS, type ColumnName, visited } from "../../state/memory.js";
import { LOADING, START, addressOf, mapPages, push, remember, settle } from "../../state/stack.js";
import type { Scroll, Load, ObjectRef, PrefixRef, State, Targets } from "../../state/types.js";
import type { PictureRoom } from "../../picture/decode.js";
import type { Picture } from "../../picture/scale.js";
import type { TextContent } from "../preview/state.js";
import { currentPage } from "../page.js";

declare module "../../state/types.js" {
  interface Pages {
    objects: ObjectsPage;
  }
  interface PageEffects {
    objects: ObjectsEffect;
  }
  interface PageActions {
    objects: ObjectsAction;
  }
}

export interface ObjectsPage extends Scroll, PrefixRef {
  readonly type: "objects";
  readonly id: number;
  /** The beginning of names after the prefix, by which the server searches. */
  readonly search: string;
  /** Everything below the prefix whose name matches; undefined for one level. */
  readonly deep?: string | undefined;
  /** Older versions and deleted objects are listed too. */
  readonly versions: boolean;
  readonly load: Load;
  /** Entries of the last complete or running listing. */
  readonly store: EntryStore;
  /** Those that pass the filter, sorted: the rows of the table. */
  readonly view: View;
  /** A view that is being made; the old one stands until then. */
  readonly arranging?: { readonly filter: string; readonly sort: Sort } | undefined;
  readonly marks: Marks;
  /** The listing before and its marks, to be set again as their keys come. */
  readonly carried?: { readonly store: EntryStore; readonly marks: Marks } | undefined;
  /** The row a range began at. */
  readonly anchor?: number | undefined;
  /** The key the cursor moves to when it appears. */
  readonly wanted?: string | undefined;
  /** A new listing has begun and its first page replaces the rows. */
  readonly replacing: boolean;
  /** S3's error codes, by the key that could not be changed. */
  readonly failures: ReadonlyMap<string, string>;
  /** Rows that jobs are going to take away. */
  readonly leaving: readonly Leaving[];
  /** The content of the pane. */
  readonly peek?: Peek | undefined;
  /** The page lists anew when it is shown again. */
  readonly stale: boolean;
}

/** The rows that a job takes away, and what it does to them: `deleting`, `moving`. */
export interface Leaving {
  readonly job: number;
  readonly verb: string;
  readonly targets: Targets;
  /** Entries from this number on came later; they stay. */
  readonly before: number;
}

/** The content of the pane. */
export interface Peek {
  readonly key: string;
  /** Of an older version. */
  readonly versionId?: string | undefined;
  /** Its size and time in the list: what is shown goes when they change. */
  readonly row: string;
  readonly load: Load;
  readonly info?: ObjectInfo | undefined;
  /** Its beginning; undefined when it is not text. */
  readonly text?: TextContent | undefined;
  readonly image?: Picture | undefined;
}

export type PeekAction = {
  readonly type: "peeked";
  readonly page: number;
  readonly peek: Peek;
};

export type ObjectsEffect =
  /** Reads what the pane shows, once the cursor has come to rest. */
  | {
      readonly type: "peek";
      readonly page: number;
      readonly object: ObjectRef;
      readonly row: string;
      /** Cells that a picture may take. */
      readonly room: PictureRoom;
    }
  | {
      readonly type: "list-objects";
      readonly page: number;
      readonly place: PrefixRef;
      /** Lists everything below, and keeps what matches. */
      readonly deep?: string | undefined;
      /** Lists older versions and delete markers too. */
      readonly versions?: boolean | undefined;
    }
  /** Makes a view of many entries, a step at a time. */
  | {
      readonly type: "arrange";
      readonly page: number;
      readonly store: EntryStore;
      readonly filter: string;
      readonly sort: Sort;
    }
  /** Makes an object; one that exists is not replaced. */
  | {
      readonly type: "put-object";
      readonly dialog: number;
      readonly place: PrefixRef;
      readonly key: string;
      readonly text: string;
    };

export type ObjectsAction =
  | PeekAction
  | { readonly type: "entries"; readonly page: number; readonly entries: readonly Entry[] }
  | { readonly type: "listed"; readonly page: number }
  | { readonly type: "arranged"; readonly page: number; readonly view: View }
  | {
      readonly type: "object-put";
      readonly dialog: number;
      readonly place: PrefixRef;
      readonly entry: Entry;
    }
  /** Keys a removal or a move has taken away. */
  | { readonly type: "keys-gone"; readonly from: PrefixRef; readonly keys: readonly string[] }
  /** Objects that were written here. */
  | { readonly type: "keys-here"; readonly to: PrefixRef; readonly entries: readonly Entry[] };

/** A page for a place, before anything of it is known. */
export function newObjects(id: number, place: PrefixRef, sort: Sort, wanted?: string): ObjectsPage {
  return {
    type: "objects",
    id,
    alias: place.alias,
    bucket: place.bucket,
    prefix: place.prefix,
    search: "",
    versions: false,
    load: LOADING,
    store: emptyStore(place.prefix),
    view: emptyView("", sort),
    marks: NO_MARKS,
    wanted,
    replacing: true,
    failures: new Map(),
    leaving: [],
    stale: false,
    ...START,
  };
}

/** The columns besides the name: those that were chosen, else all that tell something. */
export function columnsShown({ memory }: State, { store }: ObjectsPage): readonly ColumnName[] {
  const classes = namedClasses(store).length > 1;
  return memory.columns ?? COLUMNS.filter((name) => name !== "class" || classes);
}

/** Opens a bucket or a prefix in it. */
export function openObjects(state: State, place: PrefixRef): Update {
  const id = state.nextId;
  return also(
    push(state, newObjects(id, place, state.memory.sort), {
      type: "list-objects",
      page: id,
      place,
    }),
    (next) => remember(next, visited(next.memory, addressOf(place))),
  );
}

/** Looks for names below a place, on a page of its own. */
export function openFound(state: State, place: PrefixRef, deep: string): Update {
  const id = state.nextId;
  const page = { ...newObjects(id, place, state.memory.sort), deep };
  return push(state, page, { type: "list-objects", page: id, place, deep });
}

/** Shows another place in the page's stead, with the cursor on `wanted`. */
export function replaceObjects(state: State, place: PrefixRef, wanted?: string): Update {
  const old = currentPage(state);
  const id = state.nextId;
  const page = newObjects(id, place, state.memory.sort, wanted);
  return also(
    [
      { ...settle(state), pages: [...state.pages.slice(0, -1), page], nextId: id + 1 },
      [
        { type: "stop", id: old.id },
        { type: "list-objects", page: id, place },
      ],
    ],
    (next) => remember(next, visited(next.memory, addressOf(place))),
  );
}

/** Changes every page that shows something of a bucket. */
export function mapPlace(
  state: State,
  { alias, bucket }: Pick<PrefixRef, "alias" | "bucket">,
  change: (page: ObjectsPage) => ObjectsPage,
): State {
  return mapPages(state, (page) =>
    page.type === "objects" && page.alias === alias && page.bucket === bucket ? change(page) : page,
  );
}
