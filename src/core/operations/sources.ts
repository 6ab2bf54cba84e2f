/** Sources as a person gives them, expanded into what there is to copy. */
import { statSync } from "node:fs";
import { basename, join, sep } from "node:path";

import { AppError } from "../failures/errors.js";
import { matches, prunes } from "../filter.js";
import { listKey } from "../listing.js";
import type { DiskProblem } from "../local/list.js";
import { openDirectory } from "../storage/disk.js";
import { requireRegularFile } from "../local/regular-file.js";
import { localError } from "../failures/local.js";
import { joinKey, keptPrefix, ownName } from "./names.js";
import type { RemoteObject } from "../transfer/remote.js";
import type { CopyRequest, Place } from "./types.js";

/** One thing to copy. */
export type Source = {
  /** Its name below the target, when the target takes names. */
  readonly name: string;
  /** As a person would type it. */
  readonly label: string;
  /** Bytes; undefined while unknown. */
  readonly size: number | undefined;
} & (
  | { readonly type: "object"; readonly object: RemoteObject; readonly etag?: string | undefined }
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "stream"; readonly stream: AsyncIterable<Uint8Array> }
  /** What could not be looked at. */
  | { readonly type: "broken"; readonly error: AppError }
);

/** Everything the sources of a request name, page by page, in the order given. */
export async function* expandSources(
  request: CopyRequest,
  signal: AbortSignal,
): AsyncGenerator<Source[]> {
  for (const place of request.sources) {
    let found = false;
    try {
      for await (const page of expand(place, request, signal)) {
        found = true;
        yield page;
      }
      if (!found) requireSomething(place);
    } catch (error) {
      // One of several sources that is not there does not keep the others from being copied.
      if (request.sources.length === 1 || !(error instanceof AppError)) throw error;
      if (error.kind === "interrupted") throw error;
      yield [{ type: "broken", name: "", label: labelOf(place), size: undefined, error }];
    }
  }
}

function expand(
  place: Place,
  request: CopyRequest,
  signal: AbortSignal,
): AsyncIterable<Source[]> | Iterable<Source[]> {
  switch (place.type) {
    case "stdio":
      return [[streamSource(place.stream)]];
    case "path":
      return expandPath(place.path, request, signal);
    case "bucket":
      if (request.recursive === true && place.versionId === undefined) {
        return expandPrefix(place, request, signal);
      }
      return [[objectSource(place)]];
  }
}

function streamSource(stream: Extract<Place, { type: "stdio" }>["stream"]): Source {
  if (!(Symbol.asyncIterator in stream)) {
    throw new AppError({ kind: "bug", code: "NotReadable", message: "the source cannot be read" });
  }
  return { type: "stream", name: "", label: "-", size: undefined, stream };
}

function objectSource(place: Extract<Place, { type: "bucket" }>): Source {
  const { storage, key, versionId } = place;
  const label = labelOf(place);
  if (key === "") {
    throw new AppError({
      kind: "usage",
      code: "IsBucket",
      message: `${label} is a bucket`,
      hint: "add -r to copy everything in it",
    });
  }
  const object = { storage, key, versionId, name: label };
  return { type: "object", name: ownName(key), label, size: undefined, object };
}

/** Small, so that copying begins while the directory is still being read. */
const LOCAL_PAGE = 256;

async function* expandPath(
  path: string,
  request: CopyRequest,
  signal: AbortSignal,
): AsyncGenerator<Source[]> {
  let directory: boolean;
  let size: number;
  try {
    const stats = statSync(path);
    directory = stats.isDirectory();
    size = stats.size;
    if (!directory || request.recursive !== true) requireRegularFile(stats, path);
  } catch (error) {
    throw localError(error, "read", path);
  }
  if (!directory) {
    yield [{ type: "file", name: basename(path), label: path, size, path }];
    return;
  }
  const prefix = keptPrefix(path.replaceAll(sep, "/"));
  const name = (key: string) => ({ name: prefix + key, label: join(path, key) });
  const problems: DiskProblem[] = [];
  const broken = () =>
    problems
      .splice(0)
      .filter(({ key }) => matches(request.filter, key))
      .map(({ key, error }): Source => ({
        type: "broken",
        ...name(key),
        size: undefined,
        error,
      }));
  const storage = openDirectory(path, {
    onProblem: (problem) => problems.push(problem),
    skips: (directory) => prunes(request.filter, directory),
  });
  for await (const entries of storage.list({ pageSize: LOCAL_PAGE, signal })) {
    const files = entries
      .filter((entry) => entry.type === "object")
      .filter(({ key }) => matches(request.filter, key))
      .map(({ key, size }): Source => {
        const named = name(key);
        return { type: "file", ...named, size, path: named.label };
      });
    yield [...broken(), ...files];
  }
  if (problems.length > 0) yield broken();
}

async function* expandPrefix(
  place: Extract<Place, { type: "bucket" }>,
  request: CopyRequest,
  signal: AbortSignal,
): AsyncGenerator<Source[]> {
  const { storage, key, label } = place;
  const base = key.slice(0, key.lastIndexOf("/") + 1);
  const inner = key === base ? base : `${key}/`;
  const skips = (directory: string) =>
    directory.length > inner.length && prunes(request.filter, directory.slice(inner.length));
  for await (const { entries } of listKey(storage, key, { recursive: true, skips, signal })) {
    if (entries.length === 0) continue;
    yield entries
      .filter((entry) => entry.type === "object")
      .filter((entry) => matches(request.filter, relative(entry.key, inner, base)))
      .map((entry): Source => {
        const name = joinKey(label, entry.key);
        return {
          type: "object",
          name: entry.key.slice(base.length),
          label: name,
          size: entry.size,
          etag: entry.etag,
          object: { storage, key: entry.key, name },
        };
      });
  }
}

/** What filters see: the key relative to what was named. */
function relative(key: string, inner: string, base: string): string {
  return key.startsWith(inner) ? key.slice(inner.length) : key.slice(base.length);
}

/** A prefix that has nothing is a name that is not there; an empty bucket or directory is just empty. */
function requireSomething(place: Place): void {
  if (place.type !== "bucket" || place.key === "") return;
  const label = labelOf(place);
  throw new AppError({
    kind: "not-found",
    code: "NoSuchKey",
    message: `there is nothing at or below ${label}`,
  });
}

/** A place as a person would type it. */
export function labelOf(place: Place): string {
  if (place.type === "path") return place.path;
  if (place.type === "stdio") return "-";
  return place.key === "" ? place.label : joinKey(place.label, place.key);
}
