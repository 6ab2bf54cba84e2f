/** What the tabs of an object's page show, as rows of a name and a value. */
import { formatDuration, formatSize } from "../../text/format.js";
import { formatTime } from "../text/time.js";
import type { Effect, ObjectRef } from "./actions.js";
import type { DetailsPage, DetailsTab } from "./types.js";

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

/** What reads everything the page shows. */
export function loadDetails(page: DetailsPage): Effect[] {
  const { id, expiry } = page;
  const object = objectOf(page);
  return [
    { type: "load-info", page: id, object },
    { type: "load-tags", page: id, object },
    { type: "load-versions", page: id, object },
    { type: "presign", page: id, object, expiry },
  ];
}

/** The rows of the open tab; nothing that has not come. */
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
        formatTime(entry.lastModified),
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
