/** The commands of an object's page: tabs, versions, tags, metadata, sharing. */
import { formatSize } from "../../../text/format.js";
import { visible } from "../../../text/sanitize.js";
import { type FormSpec, field, openForm, pairLines } from "../../dialogs/form.js";
import type { Update } from "../../state/actions.js";
import { onPage, openDialog, openText, pageOf, putPage } from "../../state/stack.js";
import { versionUnder } from "../../state/subject.js";
import type { JobSpec, State } from "../../state/types.js";
import { formatSeconds } from "../../text/time.js";
import type { Command } from "../page.js";
import { type DetailsPage, EXPIRIES, TABS, detailRows } from "./state.js";

function showTab(state: State, page: DetailsPage, by: number): Update {
  const index = (TABS.indexOf(page.tab) + by + TABS.length) % TABS.length;
  return [putPage(state, { ...page, tab: TABS[index]!, cursor: 0, top: 0 }), []];
}

export const DETAILS: readonly Command[] = [
  {
    id: "show-value",
    title: "Show the whole value",
    disabled: (state) => {
      const page = pageOf(state, "details");
      return page && detailRows(page)[page.cursor] ? undefined : "nothing is selected";
    },
    run: onPage("details", (state, page) => {
      const row = detailRows(page)[page.cursor];
      if (row === undefined) return [state, []];
      return openText(state, row.label, [row.value]);
    }),
  },
  {
    id: "next-tab",
    title: "Next tab",
    short: "tabs",
    run: onPage("details", (state, page) => showTab(state, page, 1)),
  },
  {
    id: "previous-tab",
    title: "Previous tab",
    run: onPage("details", (state, page) => showTab(state, page, -1)),
  },
  {
    id: "edit",
    title: "Edit tags, or metadata",
    short: "edit",
    bar: "Edit",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "details");
      if (page?.tab !== "tags" && page?.tab !== "metadata") return "only in metadata and tags";
      const part = page.tab === "tags" ? page.tags : page.info;
      return part.load.type === "ready" ? undefined : "it has not been read";
    },
    run: onPage("details", (state, page) =>
      openForm(state, page.tab === "tags" ? tagsForm(page) : metadataForm(page)),
    ),
  },
  {
    id: "restore",
    title: "Restore the version",
    short: "restore",
    writes: true,
    disabled: (state) => {
      const page = pageOf(state, "details");
      const version = page && versionUnder(page);
      if (version === undefined) return "only in the versions tab";
      if (version.isDeleteMarker) return "a delete marker holds nothing; delete it instead";
      return version.isLatest ? "it is the latest already" : undefined;
    },
    run: onPage("details", (state, page) => {
      const version = versionUnder(page);
      if (version === undefined) return [state, []];
      const place = { alias: page.alias, bucket: page.bucket, prefix: "" };
      const { versionId, size } = version;
      const spec: JobSpec = {
        type: "copy",
        from: place,
        targets: [{ type: "object", key: page.key, versionId, size }],
        to: place,
        key: page.key,
        restores: true,
      };
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: `Restore ${visible(page.key)}?`,
        lines: [
          `The version of ${formatSeconds(version.lastModified)}, ${formatSize(size)},`,
          "becomes the latest. The one that is the latest now stays as a version.",
        ],
        typed: "",
        accept: "Restore",
        danger: false,
        focus: "accept",
        purpose: { type: "run", spec },
      }));
    }),
  },
  {
    id: "expiry",
    title: "Choose how long the link lives",
    short: "expiry",
    bar: "Share",
    run: onPage("details", (state, page) =>
      openDialog({ ...putPage(state, { ...page, tab: "share", cursor: 0, top: 0 }) }, (id) => ({
        type: "menu",
        id,
        title: "The link works for",
        purpose: "share",
        cursor: Math.max(
          0,
          EXPIRIES.findIndex(([, seconds]) => seconds === page.expiry),
        ),
        items: EXPIRIES.map(([label, seconds], index) => ({
          key: String(index + 1),
          label,
          value: String(seconds),
        })),
      })),
    ),
  },
];

function tagsForm({ tags }: DetailsPage): FormSpec {
  return {
    title: "Edit tags",
    intro: "One name=value a line.",
    purpose: { type: "tags" },
    fields: [field("pairs", "Tags", pairLines(tags.value ?? {}), { kind: "lines" })],
    buttons: ["Save"],
  };
}

function metadataForm({ info }: DetailsPage): FormSpec {
  const { contentType = "", metadata = {} } = info.value ?? {};
  return {
    title: "Edit metadata",
    intro: "One name=value a line. The object is copied onto itself.",
    purpose: { type: "metadata" },
    fields: [
      field("contentType", "Content type", contentType),
      field("pairs", "Metadata", pairLines(metadata), { kind: "lines" }),
    ],
    buttons: ["Save"],
  };
}
