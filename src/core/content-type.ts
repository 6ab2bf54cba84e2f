import { lookup } from "mime-types";

/**
 * The media type that a key or file name suggests by its extension; `application/octet-stream`
 * when it suggests none. No charset is claimed: nobody has looked at the bytes.
 */
export function contentTypeOf(name: string): string {
  return lookup(name.slice(name.lastIndexOf("/") + 1)) || "application/octet-stream";
}
