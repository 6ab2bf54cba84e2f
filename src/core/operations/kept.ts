/** The parts of a moved object that come along besides its bytes, and those that do not. */
import { isAppError } from "../failures/errors.js";
import type { Ref } from "../ref.js";
import { KEPT_NAMES } from "../storage/object-headers.js";
import type { ObjectInfo } from "../storage/storage.js";
import type { Kept } from "../transfer/remote.js";
import { MTIME } from "../local/times.js";
import type { CopyRequest } from "./types.js";

/** Names what the target lacks of the source, unless the request asked for something else there. */
export async function lostOnTheWay(
  request: CopyRequest,
  { info, tags }: Kept,
  written: ObjectInfo | undefined,
  ref: Ref,
): Promise<string[]> {
  const { target } = request;
  const lost: string[] = [];
  const named = Object.entries(info.metadata ?? {});
  const own = named.filter(([name]) => name !== MTIME);
  if (written === undefined || target.type !== "bucket" || ref.type !== "object") {
    // A file has its own time, and no place for the rest.
    return own.length > 0 ? ["metadata"] : [];
  }
  const has = (name: string, value: string) => written.metadata?.[name] === value;
  const without = KEPT_NAMES.filter(
    (name) =>
      request[name] === undefined && info[name] !== undefined && info[name] !== written[name],
  );
  if (without.length > 0) lost.push("headers");
  if (request.metadata === undefined && !named.every(([name, value]) => has(name, value))) {
    lost.push("metadata");
  }
  const storageClass = info.storageClass ?? "STANDARD";
  if (
    request.storageClass === undefined &&
    storageClass !== "STANDARD" &&
    written.storageClass !== storageClass
  ) {
    lost.push(`storage class ${storageClass}`);
  }
  if (await lacksTags(request, tags, ref.key)) lost.push("tags");
  return lost;
}

async function lacksTags(
  { sources, target }: CopyRequest,
  tags: Kept["tags"],
  key: string,
): Promise<boolean> {
  if (target.type !== "bucket") return false;
  // Copied by the service itself, which keeps them.
  const relayed = sources.some(
    (place) => place.type === "bucket" && place.storage.client !== target.storage.client,
  );
  if (!relayed) return false;
  if (tags === undefined) return true;
  const wanted = Object.entries(tags);
  if (wanted.length === 0) return false;
  try {
    const there = await target.storage.getTags(key);
    return !wanted.every(([name, value]) => there[name] === value);
  } catch (error) {
    if (isAppError(error) && error.kind !== "interrupted") return true;
    throw error;
  }
}
