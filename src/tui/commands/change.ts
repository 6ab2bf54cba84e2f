/** What can be done to the chosen objects, on a bucket page or on an object's own. */
import { visible } from "../../text/sanitize.js";
import { confirmJob } from "../state/confirm.js";
import { field, openForm } from "../state/form.js";
import { addressOf, openDetails, openDialog, openPreview } from "../state/pages.js";
import {
  type Subject,
  describe,
  needsObject,
  needsSubject,
  objectUnder,
  subjectOf,
} from "../state/subject.js";
import type { ObjectRef, Update } from "../state/actions.js";
import type { State } from "../state/types.js";
import type { Command } from "./types.js";

const BOTH = ["objects", "details"] as const;

const COPY_OR_MOVE = [
  ["copy", "Copy"],
  ["move", "Move"],
] as const;

function withSubject(run: (state: State, subject: Subject) => Update) {
  return (state: State): Update => {
    const subject = subjectOf(state);
    return subject === undefined ? [state, []] : run(state, subject);
  };
}

function withObject(run: (state: State, object: ObjectRef) => Update) {
  return (state: State): Update => {
    const object = objectUnder(state);
    return object === undefined ? [state, []] : run(state, object);
  };
}

export const CHANGE: readonly Command[] = [
  {
    id: "details",
    title: "Details of the object",
    short: "details",
    scopes: ["objects"],
    disabled: needsObject,
    run: withObject((state, object) => openDetails(state, object)),
  },
  {
    id: "download",
    title: "Download",
    short: "download",
    bar: "Download",
    scopes: BOTH,
    barScopes: ["details"],
    disabled: needsSubject,
    run: withSubject((state, subject) =>
      openForm(state, {
        title: `Download ${describe(subject)}`,
        purpose: { type: "download", ...subject },
        fields: [field("directory", "Into", state.local.directory)],
        buttons: ["Download"],
      }),
    ),
  },
  {
    id: "preview",
    title: "Preview the object",
    short: "preview",
    bar: "Preview",
    scopes: BOTH,
    barScopes: ["details"],
    disabled: needsObject,
    run: withObject((state, object) => openPreview(state, object)),
  },
  {
    id: "remove",
    title: "Delete",
    short: "delete",
    bar: "Delete",
    scopes: BOTH,
    barScopes: ["details"],
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
    scopes: ["objects"],
    writes: true,
    disabled: (state) =>
      (subjectOf(state)?.targets.length ?? 0) > 1 ? "only one can be renamed" : needsSubject(state),
    run: withSubject((state, { place, targets }) => {
      const target = targets[0]!;
      const name = target.key.slice(place.prefix.length);
      const stem = /^(.+)\.[^.]+$/.exec(name)?.[1] ?? name.replace(/\/$/, "");
      return openForm(state, {
        title: `Rename ${visible(name)}`,
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
    scopes: BOTH,
    writes: true,
    disabled: needsSubject,
    run: withSubject((state, subject) =>
      openForm(state, {
        title: `${verb} ${describe(subject)}`,
        intro: "alias/bucket/prefix/ keeps the name; alias/bucket/key gives a new one.",
        purpose: { type, ...subject },
        fields: [field("target", "To", addressOf(subject.place))],
        buttons: [verb],
      }),
    ),
  })),
  {
    id: "copy-menu",
    title: "Copy key, address or link to the clipboard",
    short: "yank",
    scopes: BOTH,
    disabled: needsSubject,
    run: (state) =>
      openDialog(state, (id) => ({
        type: "menu",
        id,
        title: "Copy to the clipboard",
        purpose: "copy",
        cursor: 0,
        items: COPIES,
      })),
  },
  {
    id: "versions",
    title: "Versions of the object",
    scopes: ["objects"],
    disabled: needsObject,
    run: withObject((state, object) => openDetails(state, object, "versions")),
  },
  {
    id: "tags",
    title: "Tags of the object",
    scopes: ["objects"],
    disabled: needsObject,
    run: withObject((state, object) => openDetails(state, object, "tags")),
  },
];

const COPIES = [
  { key: "k", label: "Key", value: "key" },
  { key: "a", label: "Address as pail takes it", value: "address" },
  { key: "u", label: "s3:// URI", value: "uri" },
  { key: "l", label: "Link that works for an hour", value: "link" },
] as const;
