/** The page of a bucket itself. */
import { visible } from "../../../text/sanitize.js";
import { closed } from "../../dialogs/change.js";
import {
  field,
  openForm,
  pairLines,
  parsePairLines,
  refuse,
  valuesOf,
  wait,
} from "../../dialogs/form.js";
import { changePage, keepVisible, onPage, openDialog, pageOf, say } from "../../state/stack.js";
import type { Load, State } from "../../state/types.js";
import { safe } from "../../text/cells.js";
import { formatTime } from "../../text/time.js";
import { List } from "../../view/list.js";
import { span } from "../../view/rows.js";
import { type Command, definePage } from "../page.js";
import type { BucketPage, BucketPart, BucketRow } from "./state.js";

const KEYS: readonly Command[] = [
  {
    id: "toggle-versioning",
    title: "Keep versions from now on, or not",
    short: "versioning",
    bar: "Versioning",
    writes: true,
    disabled: (state) =>
      pageOf(state, "bucket")?.versioning.value === undefined ? "it has not been read" : undefined,
    run: onPage("bucket", (state, { bucket, versioning }) => {
      const on = versioning.value !== "Enabled";
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: on ? `Keep versions in ${visible(bucket)}?` : `Keep no more versions?`,
        lines: on
          ? ["What is deleted or replaced from now on can be brought back; it takes room."]
          : ["Versions that are there stay. From now on a replaced object is gone."],
        typed: "",
        accept: on ? "Keep versions" : "Suspend",
        danger: !on,
        focus: "cancel",
        purpose: { type: "versioning", on },
      }));
    }),
  },
  {
    id: "edit",
    title: "Edit the bucket's tags",
    short: "tags",
    bar: "Tags",
    writes: true,
    disabled: (state) =>
      pageOf(state, "bucket")?.tags.value === undefined ? "they have not been read" : undefined,
    run: onPage("bucket", (state, { tags }) =>
      openForm(state, {
        title: "Edit tags",
        intro: "One name=value a line.",
        purpose: { type: "bucket-tags" },
        fields: [field("pairs", "Tags", pairLines(tags.value ?? {}), { kind: "lines" })],
        buttons: ["Save"],
      }),
    ),
  },
  {
    id: "abort-upload",
    title: "Abort the unfinished upload",
    short: "abort upload",
    bar: "Abort upload",
    writes: true,
    disabled: (state) => (rowHere(state)?.upload === undefined ? "it is no upload" : undefined),
    run: (state) => {
      const upload = rowHere(state)?.upload;
      if (upload === undefined) return [state, []];
      const { key, uploadId } = upload;
      return openDialog(state, (id) => ({
        type: "confirm",
        id,
        title: "Abort the upload?",
        lines: [visible(key), `Begun ${formatTime(upload.initiated)}; its parts are thrown away.`],
        typed: "",
        accept: "Abort it",
        danger: true,
        focus: "cancel",
        purpose: { type: "abort-upload", key, uploadId },
      }));
    },
  },
];

export const bucket = definePage<BucketPage>({
  type: "bucket",
  crumbs: ({ alias, bucket }) => [alias, bucket, "Bucket"],
  commands: KEYS,
  bar: ["toggle-versioning", "edit", "abort-upload", "refresh", "back"],
  footer: ["toggle-versioning", "edit", "abort-upload", "refresh", "back"],
  count: (_state, page) => rows(page).length,
  refresh: (state, page) => [state, [{ ...at(page), type: "load-bucket" }]],
  forms: {
    "bucket-tags": (state, form) => {
      const page = pageOf(state, "bucket");
      if (page === undefined) return [state, []];
      const { pairs, problem } = parsePairLines(valuesOf(form)["pairs"] ?? "");
      if (problem !== undefined) return refuse(state, form, problem);
      const effect = {
        ...at(page),
        type: "save-bucket-tags",
        dialog: form.id,
        tags: pairs,
      } as const;
      return wait(state, form, effect);
    },
  },
  confirms: {
    versioning: (state, { on }) => {
      const page = pageOf(state, "bucket");
      return [state, page === undefined ? [] : [{ ...at(page), type: "set-versioning", on }]];
    },
    "abort-upload": (state, { key, uploadId }) => {
      const page = pageOf(state, "bucket");
      if (page === undefined) return [state, []];
      return [state, [{ ...at(page), type: "abort-upload", key, uploadId }]];
    },
  },
  answers: {
    "bucket-part": (state, { page: id, part }) => [
      keepVisible(changePage(state, id, "bucket", (page) => ({ ...page, ...part }))),
      [],
    ],
    "bucket-tags-saved": (state, { dialog }) => [
      say(closed(state, dialog), "success", "Saved the tags"),
      [],
    ],
  },
  body: ({ state, page }) => {
    const lines = rows(page);
    return (
      <List
        state={state}
        at={page}
        columns={(room) => [
          { title: "", cells: 20 },
          { title: "", cells: room - 22 },
        ]}
        count={lines.length}
        cells={(index) => {
          const { label, value, part } = lines[index]!;
          const failed = page[part].load.type === "failed";
          return [span(label, "dim"), span(safe(value), failed ? "error" : "plain")];
        }}
        load={{ type: "ready" }}
        empty={[]}
      />
    );
  },
  status: () => ({ left: [], right: [] }),
});

function at({ id, alias, bucket }: BucketPage) {
  return { page: id, alias, bucket };
}

const KEEPS = {
  Enabled: "kept: what is deleted or replaced can be brought back",
  Suspended: "suspended: older ones are kept, no new ones are made",
  never: "not kept: what is deleted or replaced is gone",
} as const;

const SETTINGS = [
  ["Lifecycle", "ilm"],
  ["CORS", "cors"],
  ["Policy", "policy"],
] as const;

function rows(page: BucketPage): BucketRow[] {
  const { versioning, tags, uploads } = page;
  const state = versioning.value;
  const pairs = Object.entries(tags.value ?? {}).map(([name, value]) => `${name}=${value}`);
  const unfinished = uploads.value ?? [];
  const begun = unfinished.map(({ initiated, key }) => `${formatTime(initiated)}  ${key}`);
  return [
    line("Versions", "versioning", versioning.load, state && KEEPS[state]),
    ...lines("Tags", "tags", tags.load, pairs),
    ...SETTINGS.flatMap(([label, part]) => lines(label, part, page[part].load, page[part].value)),
    ...lines("Unfinished uploads", "uploads", uploads.load, begun).map((row, index) => {
      return { ...row, upload: unfinished[index] };
    }),
  ];
}

/** The label stands at the first of several lines. */
function lines(
  label: string,
  part: BucketPart,
  load: Load,
  values: readonly string[] = [],
): BucketRow[] {
  if (values.length === 0) return [line(label, part, load, "none")];
  return values.map((value, index) => line(index === 0 ? label : "", part, load, value));
}

function line(label: string, part: BucketPart, load: Load, value: string | undefined): BucketRow {
  if (load.type === "loading") return { label, part, value: "…" };
  if (load.type !== "failed") return { label, part, value: value ?? "" };
  return { label, part, value: `${load.failure.code}: ${load.failure.message}` };
}

function rowHere(state: State): BucketRow | undefined {
  const page = pageOf(state, "bucket");
  return page && rows(page)[page.cursor];
}
