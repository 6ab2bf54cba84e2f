/** The commands of a bucket page besides those that change the chosen rows. */
import type { ObjectEntry } from "../../../core/storage/storage.js";
import { formatSize } from "../../../text/format.js";
import { visible } from "../../../text/sanitize.js";
import { field, openForm } from "../../dialogs/form.js";
import { NO_MARKS } from "../../list/marks.js";
import { rowCount } from "../../list/view.js";
import {
  addressOf,
  moveTo,
  onPage,
  openDialog,
  pageOf,
  placeOf,
  push,
  putPage,
  remember,
  say,
} from "../../state/stack.js";
import type { Update } from "../../state/actions.js";
import { needsSubject } from "../../state/subject.js";
import type { JobSpec, State, JobTarget } from "../../state/types.js";
import { formatSeconds } from "../../text/time.js";
import { type ObjectsPage, columnsShown } from "./state.js";
import { COLUMNS } from "../../state/memory.js";
import type { Command } from "../page.js";
import { openBucket } from "../bucket/state.js";
import { openDu } from "../du/state.js";
import { SYNC } from "../sync/state.js";
import { newPicker } from "../picker/state.js";
import { markRange, toggleAll, toggleMark } from "./choice.js";
import { relist, under } from "./listing.js";

export const OBJECTS: readonly Command[] = [
  {
    id: "new-directory",
    title: "New directory here",
    short: "directory",
    bar: "New directory",
    barShort: "New dir",
    writes: true,
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "New directory",
        intro: `In ${visible(addressOf(page))}`,
        purpose: { type: "directory", place: placeOf(page) },
        fields: [field("name", "Name", "", { note: "an empty object whose key ends in /" })],
        buttons: ["Create"],
      }),
    ),
  },
  {
    id: "new-file",
    title: "New file here",
    short: "file",
    bar: "New file",
    writes: true,
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "New file",
        intro: `In ${visible(addressOf(page))}`,
        purpose: { type: "file", place: placeOf(page) },
        fields: [field("name", "Name"), field("text", "Content", "", { kind: "lines" })],
        buttons: ["Create"],
      }),
    ),
  },
  {
    id: "upload",
    title: "Upload files and folders",
    short: "upload",
    bar: "Upload",
    writes: true,
    run: onPage("objects", (state, page) => {
      const { directory } = state.local;
      const picker = newPicker(state.nextId, directory, placeOf(page));
      return push(state, picker, { type: "read-directory", page: picker.id, directory });
    }),
  },
  {
    id: "mark",
    title: "Mark or unmark the row",
    short: "mark",
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      moveTo(putPage(state, toggleMark(page)), page.cursor + 1),
      [],
    ]),
  },
  {
    id: "mark-range",
    title: "Begin or end a range of marks",
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      putPage(
        state,
        page.anchor === undefined ? { ...page, anchor: page.cursor } : markRange(page),
      ),
      [],
    ]),
  },
  {
    id: "mark-all",
    title: "Mark every loaded row",
    disabled: needsSubject,
    run: onPage("objects", (state, page) => [
      putPage(state, rowCount(page.view) === 0 ? page : toggleAll(page)),
      [],
    ]),
  },
  {
    id: "search",
    title: "Find keys by how they begin, on the server",
    short: "find",
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "Find keys that begin with",
        intro: "Asked of the server, so that nothing need be loaded. Empty lists all.",
        purpose: { type: "search", place: placeOf(page) },
        fields: [field("search", visible(page.prefix) || "Key", page.search)],
        buttons: ["Find"],
      }),
    ),
  },
  {
    id: "find",
    title: "Find names in everything below",
    run: onPage("objects", (state, page) =>
      openForm(state, {
        title: "Find below",
        intro: `In ${visible(addressOf(page))} and all below it`,
        purpose: { type: "find", place: placeOf(page) },
        fields: [field("text", "Name", "", { note: "words it holds, or a pattern: *.jpg" })],
        buttons: ["Find"],
      }),
    ),
  },
  {
    id: "bucket-page",
    title: "The bucket itself: versions, tags, settings, unfinished uploads",
    run: onPage("objects", (state, page) => openBucket(state, page.alias, page.bucket)),
  },
  {
    id: "usage",
    title: "Space taken by everything here",
    run: onPage("objects", (state, page) => openDu(state, placeOf(page))),
  },
  SYNC,
  {
    id: "versions-too",
    title: "Show or hide older versions and what was deleted",
    run: onPage("objects", (state, page) =>
      relist(state, { ...page, versions: !page.versions, marks: NO_MARKS }),
    ),
  },
  {
    id: "bring-back",
    title: "Bring back what was deleted, or an older version",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "objects");
      const entry = page && under(page);
      const past = entry?.type === "object" && (entry.isDeleteMarker || entry.isLatest === false);
      return past ? undefined : "only of what . shows";
    },
    run: onPage("objects", (state, page) => {
      const entry = under(page);
      return entry?.type === "object" ? bringBack(state, page, entry) : [state, []];
    }),
  },
  {
    id: "pane",
    title: "Show or hide the pane beside the list",
    run: (state) => remember(state, { pane: !state.memory.pane }),
  },
  {
    id: "bookmark",
    title: "Bookmark this place, or take the mark off",
    run: onPage("objects", (state, page) => {
      const place = addressOf(page);
      const { bookmarks } = state.memory;
      const known = bookmarks.includes(place);
      const next = known ? bookmarks.filter((old) => old !== place) : [place, ...bookmarks];
      const text = `${known ? "No longer a bookmark" : "Bookmarked"}: ${visible(place)}`;
      return remember(say(state, "success", text), { bookmarks: next.slice(0, 50) });
    }),
  },
  {
    id: "columns",
    title: "Choose the columns",
    run: onPage("objects", (state, page) => {
      const shown = columnsShown(state, page);
      return openDialog(state, (id) => ({
        type: "menu",
        id,
        title: "Columns",
        purpose: "columns",
        cursor: 0,
        items: COLUMNS.map((value) => {
          const label = `${shown.includes(value) ? "Without" : "With"} ${value}`;
          return { key: value[0]!, label, value };
        }),
      }));
    }),
  },
  {
    id: "sort",
    title: "Sort",
    short: "sort",
    run: (state) =>
      openDialog(state, (id) => ({
        type: "menu",
        id,
        title: "Sort by",
        purpose: "sort",
        cursor: 0,
        items: SORTS,
      })),
  },
];

/**
 * Removes the newest delete marker, which uncovers the last version; or copies an older version to
 * the top. Nothing of the past is lost by this but the marker.
 */
function bringBack(state: State, page: ObjectsPage, entry: ObjectEntry): Update {
  const { key, versionId, size, isDeleteMarker } = entry;
  const place = placeOf(page);
  const target: JobTarget = { type: "object", key, versionId, size };
  const spec: JobSpec = isDeleteMarker
    ? { type: "remove", from: place, targets: [target], restores: true }
    : { type: "copy", from: place, targets: [target], to: place, key, restores: true };
  const when = formatSeconds(entry.lastModified);
  return openDialog(state, (id) => ({
    type: "confirm",
    id,
    title: `Bring back ${visible(key)}?`,
    lines: isDeleteMarker
      ? [`The delete marker of ${when} is taken away.`]
      : [`The version of ${when}, ${formatSize(size)}, becomes the latest.`],
    typed: "",
    accept: "Bring back",
    danger: false,
    focus: "accept",
    purpose: { type: "run", spec },
  }));
}

const SORTS = [
  { key: "n", label: "Name, A first", value: "name" },
  { key: "N", label: "Name, Z first", value: "name-" },
  { key: "s", label: "Size, largest first", value: "size-" },
  { key: "S", label: "Size, smallest first", value: "size" },
  { key: "m", label: "Modified, newest first", value: "modified-" },
  { key: "M", label: "Modified, oldest first", value: "modified" },
  { key: "c", label: "Storage class", value: "class" },
] as const;
