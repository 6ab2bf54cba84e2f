/** The lines that `stat` prints about an object or a bucket. */
import type { ObjectEntry, ObjectInfo } from "../core/storage/storage.js";
import { createTimeFormat, formatSize } from "../text/format.js";
import { entryRecord } from "./list-lines.js";

export interface ObjectFacts {
  readonly info: ObjectInfo;
  /** Undefined when the service would not say. */
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly versions: readonly ObjectEntry[] | undefined;
}

export interface BucketFacts {
  readonly name: string;
  readonly versioning: string | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
}

const time = createTimeFormat();
const when = (ms: number | undefined) => (ms === undefined ? "" : time(ms).slice(1, -1));

/** Lines of `Name      : value`. */
export function objectFacts(name: string, { info, tags, versions }: ObjectFacts): string[] {
  const rows: [string, string | undefined][] = [
    ["Name", name],
    ["Size", `${formatSize(info.size)} (${info.size} bytes)`],
    ["Modified", when(info.lastModified)],
    ["ETag", info.etag],
    ["Version", info.versionId],
    ["Type", info.contentType],
    ["Class", info.storageClass],
    ["Encryption", info.encryption && [info.encryption, info.kmsKey].filter(Boolean).join(" ")],
    ["Restore", info.restore],
    ["Cache", info.cacheControl],
    ["Disposition", info.contentDisposition],
    ["Encoding", info.contentEncoding],
    ["Language", info.contentLanguage],
    ["Expires", info.expires],
    ["Parts", info.partsCount === undefined ? undefined : String(info.partsCount)],
    ...Object.entries(info.checksums).map(([algorithm, value]): [string, string] => [
      algorithm,
      info.checksumType === undefined
        ? value
        : `${value} (${info.checksumType.toLowerCase().replace("_", " ")})`,
    ]),
    ...pairs("Metadata", info.metadata),
    ...pairs("Tag", tags),
  ];
  return lines([...rows, ...versionRows(versions ?? [])]);
}

/** The same for an object of which only versions are left. */
export function versionFacts(name: string, versions: readonly ObjectEntry[]): string[] {
  return lines([["Name", name], ...versionRows(versions)]);
}

function versionRows(versions: readonly ObjectEntry[]): [string, string][] {
  return versions.map((entry) => {
    const what = entry.isDeleteMarker ? "delete marker" : formatSize(entry.size);
    const latest = entry.isLatest ? "  latest" : "";
    return [
      "Version",
      `${entry.versionId ?? "null"}  ${when(entry.lastModified)}  ${what}${latest}`,
    ];
  });
}

/** The same for a bucket. */
export function bucketFacts(name: string, { versioning, tags }: BucketFacts): string[] {
  return lines([
    ["Name", name],
    ["Versioning", versioning ?? "never enabled"],
    ...pairs("Tag", tags),
  ]);
}

/** An object of the bucket `label` for `--json`. */
export function objectRecord({ info, tags, versions }: ObjectFacts, label: string): object {
  return {
    ...entryRecord(info, label),
    ...(tags === undefined ? {} : { tags }),
    ...(versions === undefined
      ? {}
      : { versions: versions.map((entry) => entryRecord(entry, label)) }),
  };
}

/** A bucket of `alias` for `--json`. */
export function bucketRecord({ name, versioning, tags }: BucketFacts, alias: string): object {
  const location = `${alias}/${name}`;
  return { type: "bucket", location, name, versioning: versioning ?? null, ...(tags && { tags }) };
}

function pairs(
  label: string,
  record: Readonly<Record<string, string>> | undefined,
): [string, string][] {
  return Object.entries(record ?? {}).map(([name, value]) => [label, `${name}=${value}`]);
}

function lines(rows: readonly (readonly [string, string | undefined])[]): string[] {
  const shown = rows.filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${label.padEnd(width)} : ${value}`);
}
