/** The page of a bucket or a prefix in it. */
import { closed } from "../../dialogs/change.js";
import { refuse, valuesOf, wait } from "../../dialogs/form.js";
import { NO_MARKS } from "../../list/marks.js";
import { type SortBy, rowCount } from "../../list/view.js";
import { type Update, also } from "../../state/actions.js";
import {
  addressOf,
  changePage,
  closeDialog,
  leave,
  pageOf,
  placeOf,
  putPage,
  remember,
  say,
} from "../../state/stack.js";
import { COLUMNS } from "../../state/memory.js";
import type { FormDialog, PrefixRef, State } from "../../state/types.js";
import { CHANGE } from "../change.js";
import { openDetails } from "../details/state.js";
import { currentPage, definePage, heightOf } from "../page.js";
import { OBJECTS } from "./keys.js";
import {
  addEntries,
  addWritten,
  arrange,
  arranged,
  arrangement,
  catchUp,
  endListing,
  moveToKey,
  relist,
  stopListing,
  under,
} from "./listing.js";
import {
  type ObjectsPage,
  columnsShown,
  mapPlace,
  openFound,
  openObjects,
  replaceObjects,
} from "./state.js";
import { follow, isSame } from "./pane.js";
import { ObjectsView, objectsStatus } from "./view.js";

export const objects = definePage<ObjectsPage>({
  type: "objects",
  crumbs: ({ alias, bucket, prefix, deep }) => [
    alias,
    bucket,
    ...(prefix === "" ? [] : [prefix]),
    ...(deep === undefined ? [] : ["Found"]),
  ],
  commands: [...OBJECTS, ...CHANGE],
  bar: ["new-directory", "new-file", "upload", "download", "remove", "refresh"],
  footer: [
    "open",
    "upload",
    "download",
    "remove",
    "filter",
    "sort",
    "mark",
    "copy-menu",
    "rename",
    "preview",
    "transfers",
  ],
  count: (_state, { view }) => rowCount(view),
  busy: (_state, { arranging }) => arranging !== undefined,
  open: (state, page) => {
    const entry = under(page);
    if (entry === undefined) return [state, []];
    if (entry.type === "prefix") return openObjects(state, { ...placeOf(page), prefix: entry.key });
    const { key, versionId, isLatest, isDeleteMarker } = entry;
    const older = page.versions && !isLatest && !isDeleteMarker;
    const object = { alias: page.alias, bucket: page.bucket, key };
    return openDetails(
      state,
      older ? { ...object, versionId } : object,
      isDeleteMarker ? "versions" : "info",
    );
  },
  filter: {
    text: (page) => arrangement(page).filter,
    set: (state, page, filter) =>
      arrange(state, page, filter, arrangement(page).sort, heightOf(state, page)),
  },
  parent,
  refresh: (state, page) => relist(state, page),
  back,
  resume: (state, page) => {
    const listed: Update = page.stale ? relist(state, page) : [state, []];
    return also(listed, (next) => remember(next, { place: addressOf(page) }));
  },
  forms: {
    directory: makeObject,
    file: makeObject,
    find: (state, form, { place }) => {
      const { text = "" } = valuesOf(form);
      if (text.trim() === "") return refuse(state, form, "what is to be found?");
      return openFound(closeDialog(state)[0], place, text);
    },
    search: (state, form) => {
      const page = pageOf(state, "objects");
      if (page === undefined) return closeDialog(state);
      const { search = "" } = valuesOf(form);
      return relist(closeDialog(state)[0], { ...page, search, cursor: 0, top: 0 });
    },
  },
  menus: {
    columns: (state, value) => {
      const page = pageOf(state, "objects");
      if (page === undefined) return [state, []];
      const shown = columnsShown(state, page);
      const columns = COLUMNS.filter((name) => shown.includes(name) !== (name === value));
      return remember(state, { columns });
    },
    sort: (state, value) => {
      const page = pageOf(state, "objects");
      if (page === undefined) return [state, []];
      const sort = { by: value.replace("-", "") as SortBy, descending: value.endsWith("-") };
      return also(remember(state, { sort }), (next) =>
        arrange(next, page, arrangement(page).filter, sort, heightOf(next, page)),
      );
    },
  },
  answers: {
    peeked: (state, { page: id, peek }) => [
      changePage(state, id, "objects", (page) =>
        isSame(page.peek, peek) ? { ...page, peek } : page,
      ),
      [],
    ],
    entries: (state, { page: id, entries }) =>
      changed(state, id, (page) => addEntries(page, entries, heightOf(state, page))),
    listed: (state, { page: id }) =>
      changed(state, id, (page) => endListing(page, heightOf(state, page))),
    arranged: (state, { page: id, view }) =>
      changed(state, id, (page) =>
        page.arranging?.filter === view.filter && page.arranging.sort === view.sort
          ? arranged(page, view, heightOf(state, page))
          : page,
      ),
    "object-put": (state, { dialog, place, entry }) => {
      const said = say(closed(state, dialog), "success", `Created ${entry.key}`);
      const added = mapPlace(said, place, (page) =>
        addWritten(page, [entry], heightOf(said, page)),
      );
      const page = currentPage(added);
      if (page.type !== "objects") return [added, []];
      return [putPage(added, moveToKey(page, entry.key, heightOf(added, page))), []];
    },
  },
  settled: follow,
  // A picture is made for the cells there are.
  resized: (state, page) =>
    page.peek?.image === undefined
      ? [state, []]
      : [putPage(state, { ...page, peek: undefined }), []],
  pane: true,
  steady: true,
  body: ObjectsView,
  status: objectsStatus,
});

/** The page with a change, and with what waits to be put in its order. */
function changed(state: State, id: number, change: (page: ObjectsPage) => ObjectsPage): Update {
  return catchUp(changePage(state, id, "objects", change), id);
}

function makeObject(
  state: State,
  form: FormDialog,
  purpose: { readonly type: "directory" | "file"; readonly place: PrefixRef },
): Update {
  const { name = "", text = "" } = valuesOf(form);
  if (name === "") return refuse(state, form, "a name is needed");
  const slash = purpose.type === "directory" && !name.endsWith("/") ? "/" : "";
  const key = `${purpose.place.prefix}${name}${slash}`;
  return wait(state, form, {
    type: "put-object",
    dialog: form.id,
    place: purpose.place,
    key,
    text,
  });
}

function parent(state: State, page: ObjectsPage): Update {
  if (page.prefix === "" || page.deep !== undefined) return leave(state);
  const prefix = parentPrefix(page.prefix);
  const below = state.pages.at(-2);
  const known =
    below?.type === "objects" &&
    below.deep === undefined &&
    below.bucket === page.bucket &&
    below.prefix === prefix;
  return known ? leave(state) : replaceObjects(state, { ...placeOf(page), prefix }, page.prefix);
}

/** `a/b/` is below `a/`; `a//` is below `a/`, for keys are exact. */
export function parentPrefix(prefix: string): string {
  return prefix.slice(0, prefix.slice(0, -1).lastIndexOf("/") + 1);
}

/** Leaves what is transient first: a range, marks, a listing under way, a filter, a search. */
function back(state: State, page: ObjectsPage): Update | undefined {
  if (page.anchor !== undefined) return [putPage(state, { ...page, anchor: undefined }), []];
  if (page.marks.count > 0) return [putPage(state, { ...page, marks: NO_MARKS }), []];
  if (page.load.type === "loading" && !page.replacing) return stopListing(state, page);
  const { filter, sort } = arrangement(page);
  if (filter !== "") return arrange(state, page, "", sort, heightOf(state, page));
  if (page.search !== "") return relist(state, { ...page, search: "" });
  return page.versions ? relist(state, { ...page, versions: false }) : undefined;
}
