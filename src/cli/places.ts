/** Locations as the transfer engine takes them. */
import { createReadStream, createWriteStream, fstatSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

import type { Context } from "../context.js";
import { usageError } from "../core/failures/errors.js";
import { localError } from "../core/failures/local.js";
import type { Place } from "../core/operations/types.js";
import type { Location } from "../core/location.js";
import { openRemote, type PlaceOptions } from "./address.js";
import { anywhere } from "./locations.js";

/**
 * The places that a source of a copy names: one or, with `recursive`, every bucket of an alias. A
 * whole bucket keeps its name unless it is written with a `/` at its end, as a directory does.
 * Throws as `place`.
 */
export async function sourcePlaces(
  context: Context,
  text: string,
  options: PlaceOptions & {
    readonly recursive: boolean;
    readonly versionId?: string | undefined;
  },
): Promise<Place[]> {
  const { recursive, versionId } = options;
  const location = await anywhere(context, text);
  if (location.type !== "remote" || (location.bucket === "" && !recursive)) {
    return [await place(context, text, "source", versionId)];
  }
  const { alias, bucket, key } = location;
  if (bucket === "") {
    const buckets = await (await context.buckets(alias)).list({ signal: options.signal });
    return await Promise.all(
      buckets.map(async ({ name }): Promise<Place> => {
        const storage = await context.bucket(alias, name);
        return { type: "bucket", alias, storage, key: "", keeps: `${name}/` };
      }),
    );
  }
  const { storage, key: base, pattern } = await openRemote(context, location, options);
  const keeps = recursive && key === "" && !text.endsWith("/") ? `${bucket}/` : undefined;
  return [{ type: "bucket", alias, storage, key: base, versionId, pattern, keeps }];
}

/**
 * A source or target of a copy. Throws for an alias alone, for an unknown alias or place, and for a
 * version of a place that has none.
 */
export async function place(
  context: Context,
  text: string,
  role: "source" | "target",
  versionId?: string,
): Promise<Place> {
  const location = await anywhere(context, text);
  if (versionId !== undefined && location.type !== "remote") {
    throw usageError(
      "InvalidLocation",
      `${text} is not in a bucket, and has no version ${versionId}`,
      "leave out --version-id",
    );
  }
  switch (location.type) {
    case "stdio":
      return { type: "stdio", stream: streamOf(location, role) };
    case "local":
      return { type: "path", path: location.path };
    case "remote": {
      const { alias, bucket, key } = location;
      if (bucket === "") {
        throw usageError(
          "InvalidLocation",
          `"${text}" names no bucket`,
          `write it as ${alias}/bucket; ./${text} is always a local path`,
        );
      }
      const storage = await context.bucket(alias, bucket);
      return { type: "bucket", alias, storage, key, versionId };
    }
  }
}

function streamOf(
  { fd, text }: Extract<Location, { type: "stdio" }>,
  role: "source" | "target",
): Readable | Writable {
  if (role === "target") {
    const to = fd ?? 1;
    if (to <= 2 && to > 0) return to === 1 ? process.stdout : process.stderr;
    statOf(to, text, "write");
    return createWriteStream("", { fd: to, autoClose: false });
  }
  const from = fd ?? 0;
  // Node reads a directory as if it were empty.
  if (statOf(from, text, "read").isDirectory()) {
    throw usageError(
      "IsDirectory",
      `${from === 0 ? "stdin" : text} is a directory`,
      "name it instead: pail cp -r DIRECTORY TARGET",
    );
  }
  return from === 0 ? process.stdin : createReadStream("", { fd: from, autoClose: false });
}

/** Throws EBADF as what it is: a stream that nobody opened. */
function statOf(fd: number, text: string, doing: string) {
  try {
    return fstatSync(fd);
  } catch (error) {
    throw localError(error, doing, text);
  }
}
