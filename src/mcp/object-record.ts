/** An object as the tools that list objects show it: a record, and a row of these columns. */
import type { ObjectEntry } from "../core/storage/storage.js";
import { defined, isoDate } from "./text.js";

export const OBJECT_COLUMNS = ["key", "size", "modified", "etag", "class"] as const;

/** The record of an object; its property names are the columns. The last two come with `details`. */
export function objectRecord(
  { key, size, lastModified, etag, storageClass }: ObjectEntry,
  details = false,
) {
  return defined({
    key,
    size,
    modified: isoDate(lastModified),
    etag: details ? etag : undefined,
    class: details ? (storageClass ?? "STANDARD") : undefined,
  }) as Partial<Record<(typeof OBJECT_COLUMNS)[number], string | number>>;
}
