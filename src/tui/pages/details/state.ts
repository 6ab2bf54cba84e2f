/** An object: its information, metadata, tags, versions, a link. */
import type { ObjectEntry, ObjectInfo } from "../../../core/storage/storage.js";
import { formatDuration, formatSize } from "../../../text/format.js";
import type { Update } from "../../state/actions.js";
import { LOADING, START, push } from "../../state/stack.js";
import type { Scroll, ShownFailure, Fetched, ObjectRef, State } from "../../state/types.js";
import { formatSeconds, formatTime } from "../../text/time.js";

declare module "../../state/types.js" {
  interface Pages {
    details: DetailsPage;
  }
  interface PageEffects {
    details: DetailsEffect;
  }
  interface PageActions {
    details: DetailsAction;
  }
}

export type DetailsTab = "info" | "metadata" | "tags" | "versions" | "share";

export interface DetailsPage extends Scroll {
  readonly type: "details";
  readonly id: number;
  readonly alias: string;
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
  readonly tab: DetailsTab;
  readonly info: Fetched<ObjectInfo>;
  readonly tags: Fetched<Readonly<Record<string, string>>>;
  readonly versions: Fetched<readonly ObjectEntry[]>;
  readonly url: Fetched<{ readonly url: string; readonly note?: string | undefined }>;
  /** Seconds a shared link lives. */
  readonly expiry: number;
}

export type DetailsEffect =
  | { readonly type: "load-info"; readonly page: number; readonly object: ObjectRef }
  | { readonly type: "load-tags"; readonly page: number; readonly object: ObjectRef }
  | { readonly type: "load-versions"; readonly page: number; readonly object: ObjectRef }
  | {
      readonly type: "presign";
      readonly page: number;
      readonly object: ObjectRef;
      readonly expiry: number;
    }
  | {
      readonly type: "save-tags";
      readonly dialog: number;
      readonly object: ObjectRef;
      readonly tags: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "save-metadata";
      readonly dialog: number;
      readonly object: ObjectRef;
      readonly contentType: string;
      readonly metadata: Readonly<Record<string, string>>;
    };

export type DetailsPart = "info" | "tags" | "versions" | "url";

export type DetailsAction =
  | { readonly type: "part"; readonly page: number; readonly part: Part }
  | {
      readonly type: "part-failed";
      readonly page: number;
      readonly name: DetailsPart;
      readonly failure: ShownFailure;
    }
  | { readonly type: "saved"; readonly dialog: number; readonly what: "tags" | "metadata" };

/** A part of the page that has come, by its name. */
export type Part = {
  readonly [T in DetailsPart]: {
    readonly name: T;
    readonly value: NonNullable<DetailsPage[T]["value"]>;
  };
}[DetailsPart];

/** Opens an object's details. */
export function openDetails(state: State, object: ObjectRef, tab: DetailsTab = "info"): Update {
  const page: DetailsPage = {
    type: "details",
    id: state.nextId,
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
  return push(state, page, ...loadDetails(page));
}

export interface DetailRow {
  readonly label: string;
  readonly value: string;
}

export const TABS: readonly DetailsTab[] = ["info", "metadata", "tags", "versions", "share"];

/** How long a shared link may live: seconds by label. */
export const EXPIRIES: readonly (readonly [label: string, seconds: number])[] = [
  ["15 minutes", 900],
  ["1 hour", 3600],
  ["12 hours", 43_200],
  ["1 day", 86_400],
  ["7 days", 604_800],
];

/** The object a details page is about. */
export function objectOf(page: DetailsPage): ObjectRef {
  const { alias, bucket, key, versionId } = page;
  return { alias, bucket, key, versionId };
}

/** The effects that read everything the page shows. */
export function loadDetails(page: DetailsPage): DetailsEffect[] {
  const { id, expiry } = page;
  const object = objectOf(page);
  return [
    { type: "load-info", page: id, object },
    { type: "load-tags", page: id, object },
    { type: "load-versions", page: id, object },
    { type: "presign", page: id, object, expiry },
  ];
}

/** The rows of the open tab, as far as its data has come. */
export function detailRows(page: DetailsPage): readonly DetailRow[] {
  return ROWS[page.tab](page);
}

const ROWS: Readonly<Record<DetailsTab, (page: DetailsPage) => readonly DetailRow[]>> = {
  info: infoRows,
  metadata: ({ info }) => pairs(info.value?.metadata ?? {}),
  tags: ({ tags }) => pairs(tags.value ?? {}),
  versions: ({ versions }) =>
    (versions.value ?? []).map((entry) => ({
      label: entry.versionId ?? "null",
      value: [
        entry.isDeleteMarker ? "delete marker" : formatSize(entry.size),
        formatSeconds(entry.lastModified),
        entry.isLatest ? "latest" : "",
      ].join("  "),
    })),
  share: ({ url, expiry }) =>
    url.value === undefined
      ? []
      : [
          { label: "Link", value: url.value.url },
          { label: "Works for", value: formatDuration(expiry) },
          ...(url.value.note === undefined ? [] : [{ label: "Note", value: url.value.note }]),
        ],
};

function infoRows({ alias, bucket, key, info: { value: info } }: DetailsPage): DetailRow[] {
  if (info === undefined) return [];
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Key", key],
    ["Address", `${alias}/${bucket}/${key}`],
    ["Size", `${formatSize(info.size)} (${String(info.size)} bytes)`],
    ["Modified", formatTime(info.lastModified)],
    ["Content type", info.contentType],
    ["ETag", info.etag],
    ["Class", info.storageClass],
    ["Version", info.versionId],
    ["Parts", info.partsCount?.toString()],
    ["Cache control", info.cacheControl],
    ["Disposition", info.contentDisposition],
    ["Encoding", info.contentEncoding],
    ["Language", info.contentLanguage],
    ["Expires", info.expires],
    ...Object.entries(info.checksums),
    ["Checksum type", info.checksumType],
  ];
  return rows.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

function pairs(record: Readonly<Record<string, string>>): DetailRow[] {
  return Object.entries(record).map(([label, value]) => ({ label, value }));
}
