/** The commands for the chosen objects, on a bucket page or on an object's own. */
import { isPath, splitRemote } from "../../core/location.js";
import { formatDuration, formatNumber } from "../../text/format.js";
import { visible } from "../../text/sanitize.js";
import { confirmJob } from "../dialogs/confirm.js";
import { field, openForm, refuse, valuesOf } from "../dialogs/form.js";
import { type Update, also } from "../state/actions.js";
import { startJob } from "../state/jobs.js";
import { NO_MARKS } from "../list/marks.js";
import { placeBeside } from "../state/panes.js";
import {
  addressOf,
  atHome,
  closeDialog,
  openDialog,
  placeOf,
  putPage,
  say,
} from "../state/stack.js";
import {
  type Subject,
  describe,
  needsObject,
  needsSubject,
  subjectOf,
  subjectSize,
} from "../state/subject.js";
import { firstOf } from "../state/targets.js";
import type {
  FormDialog,
  FormPurpose,
  JobSpec,
  PrefixRef,
  State,
  Targets,
} from "../state/types.js";
import { openDetails } from "./details/state.js";
import { OUTSIDE, withObject } from "./outside.js";
import { type Command, type Replies, currentPage } from "./page.js";
import { openPreview } from "./preview/state.js";

export const COPY_OR_MOVE = [
  ["copy", "Copy"],
  ["move", "Move"],
] as const;

function withSubject(run: (state: State, subject: Subject) => Update) {
  return (state: State): Update => {
    const subject = subjectOf(state);
    return subject === undefined ? [state, []] : run(state, subject);
  };
}

/** Puts what was taken where one is: in a bucket, or in a directory. */
export const PASTE: Command = {
  id: "paste",
  title: "Paste what was taken here",
  short: "paste",
  writes: true,
  disabled: (state) => (state.clip === undefined ? "nothing was taken: Y or X takes" : undefined),
  run: (state) => {
    const { clip } = state;
    const page = currentPage(state);
    if (clip === undefined) return [state, []];
    const { verb, place: from, targets } = clip;
    // Moved objects are not there to be moved again; copied ones may be copied to more places.
    const left = verb === "move" ? { ...state, clip: undefined } : state;
    if (page.type === "objects") {
      return startJob(left, { type: verb, from, targets, to: placeOf(page) });
    }
    if (page.type !== "picker") return [state, []];
    return startJob(left, download({ place: from, targets }, page.directory, verb));
  },
};

function download({ place, targets }: Subject, directory: string, verb: "copy" | "move"): JobSpec {
  return { type: "download", from: place, targets, directory, moves: verb === "move" };
}

export const CHANGE: readonly Command[] = [
  {
    id: "details",
    title: "Details of the object",
    short: "details",
    disabled: needsObject,
    run: withObject((state, object) => openDetails(state, object)),
  },
  {
    id: "download",
    title: "Download",
    short: "download",
    bar: "Download",
    disabled: needsSubject,
    run: withSubject((state, subject) =>
      openForm(state, {
        title: `Download ${describe(subject)}`,
        purpose: { type: "download", ...subject },
        fields: [field("directory", "Into", directoryBeside(state))],
        buttons: ["Download"],
      }),
    ),
  },
  {
    id: "preview",
    title: "Preview the object",
    short: "preview",
    bar: "Preview",
    disabled: needsObject,
    run: withObject((state, object) => openPreview(state, object)),
  },
  ...OUTSIDE,
  {
    id: "remove",
    title: "Delete",
    short: "delete",
    bar: "Delete",
    writes: true,
    disabled: needsSubject,
    run: withSubject((state, { place, targets }) =>
      confirmJob(state, { type: "remove", from: place, targets }),
    ),
  },
  {
    id: "rename",
    title: "Rename",
    short: "rename",
    writes: true,
    disabled: (state) => (subjectSize(state) > 1 ? "only one can be renamed" : needsSubject(state)),
    run: withSubject((state, { place, targets }) => {
      const target = firstOf(targets, 1)[0]!;
      const whole = target.key.slice(place.prefix.length);
      // The slash of a directory comes back with its new name.
      const name = target.type === "prefix" ? whole.replace(/\/$/, "") : whole;
      const stem = /^(.+)\.[^.]+$/.exec(name)?.[1] ?? name.replace(/\/$/, "");
      return openForm(state, {
        title: `Rename ${visible(whole)}`,
        purpose: { type: "rename", place, target },
        fields: [{ ...field("name", "New name", name), caret: stem.length }],
        buttons: ["Rename"],
      });
    }),
  },
  ...COPY_OR_MOVE.map(([type, verb]): Command => ({
    id: type,
    title: `${verb} to another place`,
    short: type,
    writes: true,
    disabled: needsSubject,
    run: withSubject((state, subject) =>
      openForm(state, {
        title: `${verb} ${describe(subject)}`,
        intro: "A prefix/ or a directory keeps the name; a key gives a new one.",
        purpose: { type, ...subject },
        fields: [field("target", "To", placeBeside(state) ?? addressOf(subject.place))],
        buttons: [verb],
      }),
    ),
  })),
  {
    id: "take-copy",
    title: "Take for a copy elsewhere",
    short: "take",
    disabled: needsSubject,
    run: withSubject((state, subject) => take(state, "copy", subject)),
  },
  {
    id: "take-move",
    title: "Take for a move elsewhere",
    short: "cut",
    writes: true,
    disabled: needsSubject,
    run: withSubject((state, subject) => take(state, "move", subject)),
  },
  PASTE,
  {
    id: "copy-menu",
    title: "Copy key, address or link to the clipboard",
    short: "yank",
    disabled: needsSubject,
    run: (state) => {
      const page = currentPage(state);
      const shown = page.type === "details" && page.tab === "share" ? page.url.value : undefined;
      // The link on the screen is the one that is copied, not another like it.
      if (shown !== undefined)
        return [state, [{ type: "clipboard", text: shown.url, what: "link" }]];
      return openDialog(state, (id) => ({
        type: "menu",
        id,
        title: "Copy to the clipboard",
        purpose: "copy",
        cursor: 0,
        items: [
          ...COPIES,
          {
            key: "l",
            label: `Link that works for ${formatDuration(expiryOf(state))}`,
            value: "link",
          },
        ],
      }));
    },
  },
  {
    id: "versions",
    title: "Versions of the object",
    disabled: needsObject,
    run: withObject((state, object) => openDetails(state, object, "versions")),
  },
  {
    id: "tags",
    title: "Tags of the object",
    disabled: needsObject,
    run: withObject((state, object) => openDetails(state, object, "tags")),
  },
];

const COPIES = [
  { key: "k", label: "Key", value: "key" },
  { key: "a", label: "Address as pail takes it", value: "address" },
  { key: "u", label: "s3:// URI", value: "uri" },
] as const;

function take(state: State, verb: "copy" | "move", { place, targets }: Subject): Update {
  const clip = { verb, place, targets };
  const page = currentPage(state);
  const clear =
    page.type === "objects"
      ? putPage(state, { ...page, marks: NO_MARKS, anchor: undefined })
      : state;
  const what = describe({ place, targets });
  const text = `${what} to ${verb}: P pastes it where you go`;
  return [say({ ...clear, clip }, "info", text), []];
}

/** The directory of the other pane, else the one that one works in. */
function directoryBeside(state: State): string {
  const beside = placeBeside(state);
  return beside !== undefined && isPath(beside) ? beside : state.local.directory;
}

/** Starts a job in the place of the dialog. */
function run(state: State, spec: JobSpec): Update {
  return startJob(closeDialog(state)[0], spec);
}

export const CHANGE_REPLIES: Replies = {
  forms: {
    rename: (state, form, { place, target }) => {
      const { name = "" } = valuesOf(form);
      if (name === "") return refuse(state, form, "a name is needed");
      const slash = target.type === "prefix" && !name.endsWith("/") ? "/" : "";
      const key = `${place.prefix}${name}${slash}`;
      if (key === target.key) return closeDialog(state);
      return run(state, { type: "move", from: place, targets: [target], to: place, key });
    },
    copy: copyOrMove,
    move: copyOrMove,
    download: (state, form, { place, targets }) => {
      const directory = atHome(state, valuesOf(form)["directory"] ?? "");
      if (directory === "") return refuse(state, form, "a directory is needed");
      return also(run(state, download({ place, targets }, directory, "copy")), (next) => [
        say(next, "info", "Downloading in the background"),
        [],
      ]);
    },
  },
  menus: { copy: copyText },
};

function copyOrMove(
  state: State,
  form: FormDialog,
  purpose: Extract<FormPurpose, { type: "copy" | "move" }>,
): Update {
  const { type } = purpose;
  const address = valuesOf(form)["target"] ?? "";
  if ("paths" in purpose) {
    if (isPath(address)) return refuse(state, form, "files are copied to alias/bucket/prefix/");
    const [alias, bucket, prefix] = splitRemote(address);
    if (alias === "" || bucket === "")
      return refuse(state, form, "write it as alias/bucket/prefix/");
    if (prefix !== "" && !prefix.endsWith("/")) return refuse(state, form, "end it with /");
    const page = currentPage(state);
    const calm = page.type === "picker" ? putPage(state, { ...page, marks: new Map() }) : state;
    const target = { alias, bucket, prefix };
    return run(calm, { type: "upload", paths: purpose.paths, target, moves: type === "move" });
  }
  const { place, targets } = purpose;
  if (isPath(address))
    return run(state, download({ place, targets }, atHome(state, address), type));
  const to = destination(address, targets);
  if (typeof to === "string") return refuse(state, form, to);
  return run(state, { type, from: place, targets, ...to });
}

/** The target of copies: a prefix, or an exact key for one object; or what is wrong with it. */
function destination(
  address: string,
  targets: Targets,
): { to: PrefixRef; key?: string | undefined } | string {
  const [alias, bucket, key] = splitRemote(address);
  if (alias === "" || bucket === "") return "write it as alias/bucket/prefix/";
  const to = { alias, bucket, prefix: key };
  if (key === "" || key.endsWith("/")) return { to };
  if (targets.length > 1) return "several objects go into a prefix: end it with /";
  if (firstOf(targets, 1)[0]?.type === "prefix")
    return "a prefix goes into a prefix: end it with /";
  return { to: { ...to, prefix: key.slice(0, key.lastIndexOf("/") + 1) }, key };
}

/** Lines that a clipboard is sent at once: most terminals take far fewer. */
const COPIED = 10_000;

/** Copies something about every chosen object, one a line. */
function copyText(state: State, value: string): Update {
  const subject = subjectOf(state);
  if (subject === undefined) return [state, []];
  const { place, targets } = subject;
  if (targets.length > COPIED) {
    const most = `at most ${formatNumber(COPIED)} are copied at once; pail ls writes any number`;
    return [say(state, "warning", most), []];
  }
  if (value === "link") {
    const objects = [...targets].filter(({ type }) => type === "object");
    if (objects.length === 0) return [say(state, "warning", "a prefix has no link"), []];
    return [
      state,
      [
        {
          type: "copy-links",
          objects: objects.map(({ key, versionId }) => ({ ...place, key, versionId })),
          expiry: expiryOf(state),
        },
      ],
    ];
  }
  const text = Array.from(targets, ({ key }) =>
    value === "key"
      ? key
      : value === "uri"
        ? `s3://${place.bucket}/${key}`
        : addressOf({ ...place, prefix: key }),
  );
  const what = value === "uri" ? "URI" : value;
  return [state, [{ type: "clipboard", text: text.join("\n"), what }]];
}

/** Seconds that a new link lives: the number that the page shows, else an hour. */
function expiryOf(state: State): number {
  const page = currentPage(state);
  return page.type === "details" ? page.expiry : 3600;
}
