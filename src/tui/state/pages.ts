/** Opening, changing and leaving pages. */
import type { Effect, ObjectRef, Update } from "./actions.js";
import { loadDetails } from "./details.js";
import type {
  DetailsPage,
  DetailsTab,
  Dialog,
  Notice,
  ObjectsPage,
  Page,
  Place,
  State,
} from "./types.js";

const START = { cursor: 0, top: 0 } as const;
const LOADING = { type: "loading" } as const;

/** The page on screen. */
export function currentPage(state: State): Page {
  return state.pages.at(-1)!;
}

/** The page on screen when it is of one type. */
export function pageOf<T extends Page["type"]>(
  state: State,
  type: T,
): Extract<Page, { type: T }> | undefined {
  const page = currentPage(state);
  return page.type === type ? (page as Extract<Page, { type: T }>) : undefined;
}

/** Replaces the page with the same id; a page that is gone stays gone. */
export function putPage(state: State, page: Page): State {
  return { ...state, pages: state.pages.map((old) => (old.id === page.id ? page : old)) };
}

/** Applies a change to the page with an id and a type, if it is still there. */
export function changePage<T extends Page["type"]>(
  state: State,
  id: number,
  type: T,
  change: (page: Extract<Page, { type: T }>) => Page,
): State {
  const page = state.pages.find((page) => page.id === id);
  if (page?.type !== type) return state;
  return putPage(state, change(page as Extract<Page, { type: T }>));
}

/** State without anything that belongs to one moment on one page. */
function settle(state: State): State {
  return { ...state, dialog: undefined, bar: undefined, notice: undefined };
}

function push(state: State, page: Page, effects: readonly Effect[]): Update {
  const left = currentPage(state);
  // What is left behind stops loading, and loads again when it is returned to.
  const interrupted = left.type === "objects" && left.load.type === "loading";
  const pages = interrupted
    ? state.pages.map((old) =>
        old === left ? { ...left, load: { type: "stopped" as const }, stale: true } : old,
      )
    : state.pages;
  return [
    { ...settle(state), pages: [...pages, page], nextId: state.nextId + 1 },
    [...(interrupted ? [{ type: "stop" as const, id: left.id }] : []), ...effects],
  ];
}

/** Starts over with the list of aliases. */
export function openSignIn(state: State): Update {
  const id = state.nextId;
  return [
    {
      ...settle(state),
      nextId: id + 1,
      pages: [{ type: "sign-in", id, load: LOADING, aliases: [], ...START }],
    },
    [
      ...state.pages.map((page) => ({ type: "stop" as const, id: page.id })),
      { type: "load-aliases", page: id },
    ],
  ];
}

/** Opens the buckets of an alias. */
export function openBuckets(state: State, alias: string): Update {
  const id = state.nextId;
  return push(state, { type: "buckets", id, alias, load: LOADING, buckets: [], ...START }, [
    { type: "list-buckets", page: id, alias },
    { type: "remember", place: alias },
  ]);
}

/** A page for a place, before anything of it is known. */
export function newObjects(id: number, place: Place, wanted?: string): ObjectsPage {
  return {
    type: "objects",
    id,
    alias: place.alias,
    bucket: place.bucket,
    prefix: place.prefix,
    search: "",
    load: LOADING,
    all: [],
    rows: [],
    filter: "",
    sort: { by: "name", descending: false },
    marks: new Set(),
    wanted,
    replacing: true,
    failures: new Map(),
    leaving: new Map(),
    stale: false,
    ...START,
  };
}

/** How a person types a place. */
export function addressOf(place: Place): string {
  return `${place.alias}/${place.bucket}/${place.prefix}`;
}

/** Opens a bucket or a prefix in it. */
export function openObjects(state: State, place: Place): Update {
  const id = state.nextId;
  return push(state, newObjects(id, place), [
    { type: "list-objects", page: id, place },
    { type: "remember", place: addressOf(place) },
  ]);
}

/** Shows another place in the page's stead, with the cursor on `wanted`. */
export function replaceObjects(state: State, place: Place, wanted?: string): Update {
  const old = currentPage(state);
  const id = state.nextId;
  return [
    {
      ...settle(state),
      pages: [...state.pages.slice(0, -1), newObjects(id, place, wanted)],
      nextId: id + 1,
    },
    [
      { type: "stop", id: old.id },
      { type: "list-objects", page: id, place },
      { type: "remember", place: addressOf(place) },
    ],
  ];
}

/** Lists a place anew; rows stay until the first new page, the cursor stays on its key. */
export function relist(state: State, page: ObjectsPage, wanted?: string): Update {
  const next: ObjectsPage = {
    ...page,
    load: LOADING,
    replacing: true,
    stale: false,
    anchor: undefined,
    failures: new Map(),
    wanted: wanted ?? (page.cursor > 0 ? page.rows[page.cursor]?.key : undefined),
  };
  const place = { ...page, prefix: page.prefix + page.search };
  return [
    putPage(state, next),
    [
      { type: "stop", id: page.id },
      { type: "list-objects", page: page.id, place: placeOf(place) },
    ],
  ];
}

/** The place alone, of anything that has one. */
export function placeOf({ alias, bucket, prefix }: Place): Place {
  return { alias, bucket, prefix };
}

/** Opens an object's details. */
export function openDetails(state: State, object: ObjectRef, tab: DetailsTab = "info"): Update {
  const id = state.nextId;
  const page: DetailsPage = {
    type: "details",
    id,
    alias: object.alias,
    bucket: object.bucket,
    key: object.key,
    versionId: object.versionId,
    tab,
    info: { load: LOADING },
    tags: { load: LOADING },
    versions: { load: LOADING },
    url: { load: LOADING },
    expiry: 3600,
    ...START,
  };
  return push(state, page, loadDetails(page));
}

/** Opens a preview of an object from its beginning. */
export function openPreview(state: State, object: ObjectRef): Update {
  const id = state.nextId;
  const { alias, bucket, key, versionId } = object;
  return push(
    state,
    {
      type: "preview",
      id,
      alias,
      bucket,
      key,
      versionId,
      load: LOADING,
      size: 0,
      offset: 0,
      top: 0,
    },
    [{ type: "preview", page: id, object, offset: 0, size: state.size }],
  );
}

/** Opens a page that loads nothing, or only a local directory. */
export function openPage(state: State, page: Page, ...effects: Effect[]): Update {
  return push(state, page, effects);
}

/** Leaves the page for the one below it; the last page cannot be left. */
export function leave(state: State): Update {
  if (state.pages.length < 2) return [state, []];
  const left = currentPage(state);
  const [next, effects] = comeBack({ ...settle(state), pages: state.pages.slice(0, -1) });
  return [next, [{ type: "stop", id: left.id }, ...effects]];
}

/** What a page does when it is on screen again: short lists are always asked for anew. */
function comeBack(state: State): Update {
  const page = currentPage(state);
  switch (page.type) {
    case "sign-in":
      return [state, [{ type: "load-aliases", page: page.id }]];
    case "buckets":
      return [
        state,
        [
          { type: "list-buckets", page: page.id, alias: page.alias },
          { type: "remember", place: page.alias },
        ],
      ];
    case "objects": {
      const [next, effects] = page.stale ? relist(state, page) : ([state, []] as Update);
      return [next, [...effects, { type: "remember", place: addressOf(page) }]];
    }
    default:
      return [state, []];
  }
}

/** Opens a dialog; it gets the next number. */
export function openDialog(
  state: State,
  make: (id: number) => Dialog,
  ...effects: Effect[]
): Update {
  const dialog = make(state.nextId);
  return [{ ...state, dialog, notice: undefined, nextId: state.nextId + 1 }, effects];
}

/** Closes the dialog and ends what it was waiting for. */
export function closeDialog(state: State): Update {
  if (state.dialog === undefined) return [state, []];
  return [{ ...state, dialog: undefined }, [{ type: "stop", id: state.dialog.id }]];
}

/** Says something on the status line until the next key. */
export function say(state: State, tone: Notice["tone"], text: string): State {
  return { ...state, notice: { tone, text } };
}
