/** An object as the tools that list objects show it: a record, and a row of these columns. */
import type { ObjectEntry } from "../core/storage/storage.js";
import { isoDate } from "./text.js";

export const OBJECT_COLUMNS = ["key", "size", "modified"] as const;

/** The record of an object; its property names are the columns. */
export function objectRecord({ key, size, lastModified }: ObjectEntry) {
  return { key, size, modified: isoDate(lastModified) };
}
