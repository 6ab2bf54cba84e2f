/** Sources as a person gives them, expanded into what there is to copy. */
import { statSync } from "node:fs";
import { basename, join, sep } from "node:path";

import { AppError, notFoundError, usageError } from "../failures/errors.js";
import { isEmpty, type ListingProblem, listKey } from "../listing.js";
import { type DiskProblem, listTree } from "../local/list.js";
import { requireRegularFile } from "../local/regular-file.js";
import { localError } from "../failures/local.js";
import { onlyPrefixes } from "./address.js";
import { keptPrefix, ownName } from "./names.js";
import type { RemoteObject } from "../transfer/remote.js";
import { type FileRef, type ObjectRef, type Ref, type StreamRef, nameOf } from "../ref.js";
import type { BucketPlace, CopyRequest, Place } from "./types.js";

/** One thing to copy. */
export type Source = {
  /** Its name below the target, when the target takes names. */
  readonly name: string;
  /** Bytes; undefined while unknown. */
  readonly size: number | undefined;
} & (
  | ({ readonly type: "object" } & RemoteObject)
  | { readonly type: "file"; readonly ref: FileRef }
  | { readonly type: "stream"; readonly ref: StreamRef; readonly stream: AsyncIterable<Uint8Array> }
  /** A thing that could not be looked at. */
  | { readonly type: "broken"; readonly ref: Ref; readonly error: AppError }
);

/** Everything the sources of a request name, page by page, in the order given. */
export async function* expandSources(
  request: CopyRequest,
  moves: boolean,
  signal: AbortSignal,
): AsyncGenerator<Source[]> {
  for (const place of request.sources) {
    let found = false;
    try {
      for await (const page of expandSource(place, request, signal, moves)) {
        found = true;
        yield page;
      }
      if (!found) await requireSomething(place, request, moves, signal);
    } catch (error) {
      // One of several sources that is not there does not keep the others from being copied.
      if (request.sources.length === 1 || !(error instanceof AppError)) throw error;
      if (error.kind === "interrupted") throw error;
      yield [{ type: "broken", name: "", ref: refOf(place), size: undefined, error }];
    }
  }
}

/**
 * The things that one source names, in key order. A move does not follow links to directories: what
 * is behind them is not below the source.
 */
export async function* expandSource(
  place: Place,
  request: CopyRequest,
  signal: AbortSignal,
  moves = false,
): AsyncGenerator<Source[]> {
  if (place.type === "stdio") yield [streamSource(place.stream)];
  else if (place.type === "path") yield* expandPath(place.path, request, moves, signal);
  else if (listed(place, request) && place.versionId === undefined) {
    yield* expandPrefix(place, request, signal);
  } else yield [objectSource(place)];
}

/** Whether a place is expanded by a listing, not copied as the one object it names. */
function listed({ pattern }: BucketPlace, { recursive }: CopyRequest): boolean {
  return recursive === true || pattern !== undefined;
}

function streamSource(stream: Extract<Place, { type: "stdio" }>["stream"]): Source {
  if (!(Symbol.asyncIterator in stream)) {
    throw new AppError({ kind: "bug", code: "NotReadable", message: "the source cannot be read" });
  }
  return { type: "stream", name: "", ref: { type: "stream" }, size: undefined, stream };
}

function objectSource(place: BucketPlace): Source {
  const { storage, key } = place;
  const ref = refOf(place);
  if (key === "") {
    throw usageError("IsBucket", `${nameOf(ref)} is a bucket`, "add -r to copy everything in it");
  }
  return { type: "object", name: ownName(key), size: undefined, storage, ref };
}

/** Small, so that copying begins while the directory is still being read. */
const LOCAL_PAGE = 256;

async function* expandPath(
  path: string,
  request: CopyRequest,
  moves: boolean,
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
    yield [{ type: "file", name: basename(path), size, ref: { type: "file", path } }];
    return;
  }
  const prefix = keptPrefix(path.replaceAll(sep, "/"));
  const problems: DiskProblem[] = [];
  const broken = () =>
    problems.splice(0).map(({ key, error }): Source => {
      const ref: FileRef = { type: "file", path: join(path, key) };
      return { type: "broken", name: prefix + key, size: undefined, ref, error };
    });
  const { filter, skipped } = request;
  const options = { pageSize: LOCAL_PAGE, followsDirectories: !moves, filter, skipped, signal };
  const found = listTree(path, options, (problem) => {
    problems.push(problem);
  });
  for await (const entries of found) {
    const files = entries.map(({ key, path, stats: { size } }): Source => {
      return { type: "file", name: prefix + key, size, ref: { type: "file", path } };
    });
    yield [...broken(), ...files];
  }
  if (problems.length > 0) yield broken();
}

async function* expandPrefix(
  place: BucketPlace,
  { filter, recursive = false }: CopyRequest,
  signal: AbortSignal,
): AsyncGenerator<Source[]> {
  const { alias, storage, key, keeps = "" } = place;
  const { bucket } = storage;
  const base = key.slice(0, key.lastIndexOf("/") + 1);
  const broken: Source[] = [];
  const onProblem = ({ key, error }: ListingProblem) => {
    const ref: ObjectRef = { type: "object", alias, bucket, key };
    broken.push({ type: "broken", name: key.slice(base.length), size: undefined, ref, error });
  };
  let objects = false;
  const pages = listKey(storage, key, { recursive, filter, onProblem, signal });
  for await (const { entries } of pages) {
    objects ||= entries.some(({ type }) => type === "object");
    const found = entries
      .filter((entry) => entry.type === "object")
      .map(({ key, size, etag, versionId }): Source => {
        const ref: ObjectRef = { type: "object", alias, bucket, key, etag, versionId };
        const name = keeps + key.slice(base.length);
        return { type: "object", name, size, storage, ref, listed: true };
      });
    if (entries.length + broken.length > 0) yield [...broken.splice(0), ...found];
  }
  if (!recursive && !objects) throw onlyPrefixes();
}

/** A prefix that has nothing is a name that is not there; an empty bucket or directory is just empty. */
async function requireSomething(
  place: Place,
  { filter }: CopyRequest,
  moves: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (place.type !== "bucket" || place.key === "") return;
  // The names of a shard may all be elsewhere, or moved already by the runs of this shard and others.
  const isPart = filter?.shard !== undefined;
  if (isPart && (moves || !(await isEmpty(place.storage, place.key, { signal })))) return;
  throw notFoundError("NoSuchKey", `there is nothing at or below ${nameOf(refOf(place))}`);
}

/** The reference to the thing that a place names. */
export function refOf(place: BucketPlace): ObjectRef;
export function refOf(place: Place): Ref;
export function refOf(place: Place): Ref {
  if (place.type === "path") return { type: "file", path: place.path };
  if (place.type === "stdio") return { type: "stream" };
  const { alias, storage, key, versionId, etag } = place;
  return { type: "object", alias, bucket: storage.bucket, key, versionId, etag };
}
