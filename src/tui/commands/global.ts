/** Commands that mean the same everywhere: opening, going back, refreshing, quitting. */
import { quit } from "../state/confirm.js";
import { field, openForm } from "../state/form.js";
import { openTransfers } from "../state/jobs.js";
import { setFilter } from "../state/listing.js";
import {
  addressOf,
  currentPage,
  leave,
  openBuckets,
  openDetails,
  openObjects,
  openSignIn,
  placeOf,
  putPage,
  relist,
  replaceObjects,
} from "../state/pages.js";
import { pageHeight } from "../state/scroll.js";
import type { Update } from "../state/actions.js";
import type { ObjectsPage, PickerPage, State } from "../state/types.js";
import { type Command, EVERYWHERE } from "./types.js";

/** Opens what is under the cursor. */
export function open(state: State): Update {
  const page = currentPage(state);
  switch (page.type) {
    case "sign-in": {
      const alias = page.aliases[page.cursor];
      return alias === undefined ? [state, []] : openBuckets(state, alias.name);
    }
    case "buckets": {
      const bucket = page.buckets[page.cursor];
      if (bucket === undefined) return [state, []];
      return openObjects(state, { alias: page.alias, bucket: bucket.name, prefix: "" });
    }
    case "objects": {
      const entry = page.rows[page.cursor];
      if (entry === undefined) return [state, []];
      if (entry.type === "prefix") {
        return openObjects(state, { ...placeOf(page), prefix: entry.key });
      }
      return openDetails(state, { alias: page.alias, bucket: page.bucket, key: entry.key });
    }
    case "picker": {
      const entry = page.entries[page.cursor];
      return entry?.directory ? enterDirectory(state, page, entry.path) : [state, []];
    }
    default:
      return [state, []];
  }
}

function enterDirectory(
  state: State,
  page: PickerPage,
  directory: string,
  wanted: string | undefined = page.directory,
): Update {
  return [
    putPage(state, { ...page, load: { type: "loading" }, wanted }),
    [
      { type: "stop", id: page.id },
      { type: "read-directory", page: page.id, directory },
    ],
  ];
}

/** Goes to the parent: of a prefix, of a bucket, of a local directory. */
function parent(state: State): Update {
  const page = currentPage(state);
  if (page.type === "picker") {
    const up = page.entries.find(({ name }) => name === "..");
    return up === undefined ? [state, []] : enterDirectory(state, page, up.path);
  }
  if (page.type !== "objects" || page.prefix === "") return leave(state);
  const prefix = parentPrefix(page.prefix);
  const below = state.pages.at(-2);
  const known =
    below?.type === "objects" && below.bucket === page.bucket && below.prefix === prefix;
  return known ? leave(state) : replaceObjects(state, { ...placeOf(page), prefix }, page.prefix);
}

/** `a/b/` is below `a/`; `a//` is below `a/`, for keys are exact. */
export function parentPrefix(prefix: string): string {
  return prefix.slice(0, prefix.slice(0, -1).lastIndexOf("/") + 1);
}

/** Leaves what is transient first: a listing under way, marks, a filter; then the page. */
function back(state: State): Update {
  const page = currentPage(state);
  if (page.type === "objects") {
    const settled = settle(page);
    if (settled !== undefined) {
      const effects = page.load.type === "loading" ? [{ type: "stop" as const, id: page.id }] : [];
      return [putPage(state, settled), effects];
    }
    if (page.filter !== "") {
      return [putPage(state, setFilter(page, "", pageHeight(state, page))), []];
    }
    if (page.search !== "") return relist(state, { ...page, search: "" });
  }
  if (page.type === "picker" && page.marks.size > 0) {
    return [putPage(state, { ...page, marks: new Map() }), []];
  }
  return state.pages.length === 1 ? quit(state) : leave(state);
}

function settle(page: ObjectsPage): ObjectsPage | undefined {
  if (page.anchor !== undefined) return { ...page, anchor: undefined };
  if (page.marks.size > 0) return { ...page, marks: new Set() };
  if (page.load.type === "loading" && !page.replacing) {
    return { ...page, load: { type: "stopped" } };
  }
  return undefined;
}

function refresh(state: State): Update {
  const page = currentPage(state);
  switch (page.type) {
    case "sign-in":
      return [state, [{ type: "load-aliases", page: page.id }]];
    case "buckets":
      return [
        putPage(state, { ...page, load: { type: "loading" } }),
        [
          { type: "stop", id: page.id },
          { type: "list-buckets", page: page.id, alias: page.alias },
        ],
      ];
    case "objects":
      return relist(state, page);
    case "picker":
      return enterDirectory(state, page, page.directory, page.entries[page.cursor]?.path);
    default:
      return [state, []];
  }
}

export const GLOBAL: readonly Command[] = [
  {
    id: "open",
    title: "Open",
    short: "open",
    scopes: ["sign-in", "buckets", "objects", "picker"],
    run: open,
  },
  {
    id: "parent",
    title: "Up to what it is in",
    scopes: ["buckets", "objects", "picker"],
    run: parent,
  },
  {
    id: "back",
    title: "Back",
    short: "back",
    bar: "Back",
    scopes: EVERYWHERE,
    barScopes: ["picker", "transfers", "details", "preview", "help"],
    run: back,
  },
  {
    id: "refresh",
    title: "Read the list again",
    short: "refresh",
    bar: "Refresh",
    scopes: ["sign-in", "buckets", "objects", "picker"],
    run: refresh,
  },
  {
    id: "transfers",
    title: "Transfers",
    short: "transfers",
    scopes: ["sign-in", "buckets", "objects", "details", "preview"],
    run: openTransfers,
  },
  {
    id: "aliases",
    title: "Switch to another alias",
    short: "aliases",
    bar: "Aliases",
    scopes: ["buckets", "objects", "transfers", "details"],
    barScopes: ["buckets"],
    run: openSignIn,
  },
  {
    id: "go-to",
    title: "Go to an address",
    scopes: EVERYWHERE,
    run: (state) => {
      const page = currentPage(state);
      const here = page.type === "objects" ? addressOf(page) : "";
      return openForm(state, {
        title: "Go to",
        intro: "alias, alias/bucket or alias/bucket/prefix",
        purpose: { type: "go-to" },
        fields: [field("address", "Address", here)],
        buttons: ["Go"],
      });
    },
  },
  {
    id: "focus-bar",
    title: "To the buttons and back",
    short: "buttons",
    scopes: EVERYWHERE,
    run: (state) => [{ ...state, bar: state.bar === undefined ? 0 : undefined }, []],
  },
  { id: "quit", title: "Quit", scopes: EVERYWHERE, run: quit },
];
