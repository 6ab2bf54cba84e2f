/** The plan of a copy or move: one action for each thing found, in key order. Pure. */
import { statSync } from "node:fs";
import { basename, sep } from "node:path";

import type { TransferItem } from "../engine/events.js";
import { usageError } from "../failures/errors.js";
import { type Ref, nameOf } from "../ref.js";
import { type Scope, clashWith, requireOwnTargets, scopesIn } from "./apart.js";
import { besideName } from "./if-exists.js";
import { joinKey, keptPrefix, ownName } from "./names.js";
import { expandSource, expandSources, refOf, type Source } from "./sources.js";
import type { CopyRequest, Place } from "./types.js";

/** One thing to copy, and where it goes. */
export interface CopyAction {
  readonly do: TransferItem["action"];
  readonly source: Source;
  readonly target: Ref;
}

export interface CopyPlan {
  readonly actions: AsyncIterable<readonly CopyAction[]>;
  /** Whether the target takes each source under a name of its own, or is itself the name. */
  readonly container: boolean;
}

/**
 * Plans a copy, or with `moves` a move. Throws what is wrong with the request as a whole: names
 * that cannot be, two sources for one target, a target among the sources.
 */
export async function planCopy(
  request: CopyRequest,
  moves: boolean,
  signal: AbortSignal,
): Promise<CopyPlan> {
  const { target, sources } = request;
  const container = takesNames(request);
  const scopes = await scopesIn(request, { moves, container }, signal);
  const targetName = (name: string) => nameOf(targetRef(target, container, name));
  if (mayCollide(request, container)) {
    const lists = sources.map((place) => expandSource(place, request, signal));
    await requireOwnTargets(lists, targetName);
  }
  return { actions: actions(request, { moves, container, scopes }, signal), container };
}

async function* actions(
  request: CopyRequest,
  how: { readonly moves: boolean; readonly container: boolean; readonly scopes: readonly Scope[] },
  signal: AbortSignal,
): AsyncGenerator<readonly CopyAction[]> {
  for await (const page of expandSources(request, how.moves, signal)) {
    yield page.map((found): CopyAction => {
      const target = targetRef(request.target, how.container, found.name);
      const error =
        how.scopes.length > 0 && target.type === "object"
          ? clashWith(how.scopes, found, target.key, how.moves)
          : undefined;
      const { name, size, ref } = found;
      const source: Source =
        error === undefined ? found : { type: "broken", name, size, ref, error };
      return { do: actionOf(found, request.target), source, target };
    });
  }
}

/**
 * The thing that a source of this name becomes at the target; `number` picks the name beside it.
 */
export function targetRef(target: Place, container: boolean, name: string, number = 1): Ref {
  if (target.type === "stdio") return { type: "stream" };
  if (target.type === "path") {
    const path = container ? joinKey(target.path, name) : target.path;
    return { type: "file", path: besideName(path, number) };
  }
  const key = besideName(container ? joinKey(target.key, name) : target.key, number);
  return { type: "object", alias: target.alias, bucket: target.storage.bucket, key };
}

function actionOf(source: Source, target: Place): TransferItem["action"] {
  if (target.type !== "bucket") return "download";
  if (source.type !== "object") return "upload";
  return source.storage.client === target.storage.client ? "copy" : "relay";
}

function takesNames({ sources, target, recursive, exact }: CopyRequest): boolean {
  const several = sources.length > 1;
  if (target.type !== "bucket" && sources.some(({ type }) => type !== "bucket")) {
    throw usageError(
      "LocalCopy",
      "neither the source nor the target is in a bucket",
      "to copy between local files, use the system's own cp; a target in a bucket is alias/bucket",
    );
  }
  if (target.type === "stdio") {
    if (recursive === true) throw usageError("RecursiveToStdout", "-r cannot write to stdout");
    return false;
  }
  const fromStream = sources.some(({ type }) => type === "stdio");
  const named = exact === true && recursive !== true && !several;
  const container =
    !named && (several || isContainer(target) || expands(sources[0], recursive === true));
  if (container && fromStream) {
    const label = nameOf(refOf(target));
    throw usageError("NameMissing", `stdin has no name of its own: ${label} must be a key`);
  }
  return container;
}

/**
 * Whether two of the sources could become one target. Names that begin differently never meet, so
 * only a source without a name of its own, or two of the same name, make it worth listing twice.
 */
function mayCollide({ sources, recursive }: CopyRequest, container: boolean): boolean {
  if (!container || sources.length < 2) return false;
  const names = new Set<string>();
  for (const source of sources) names.add(ownNameOf(source, recursive === true));
  return names.has("") || names.size < sources.length;
}

/** The name a source has below the target; empty for one that puts its contents there. */
function ownNameOf(source: Place, recursive: boolean): string {
  if (source.type === "stdio") return "";
  if (source.type === "bucket") {
    if (recursive || source.pattern !== undefined) {
      return (source.keeps ?? keptPrefix(source.key)).slice(0, -1);
    }
    return ownName(source.key);
  }
  const path = source.path.replaceAll(sep, "/");
  return recursive && !isFile(source) ? keptPrefix(path).slice(0, -1) : basename(path);
}

function isContainer(target: Exclude<Place, { type: "stdio" }>): boolean {
  if (target.type === "bucket") return target.key === "" || target.key.endsWith("/");
  if (target.path === "" || target.path.endsWith("/") || target.path.endsWith(sep)) return true;
  return statSync(target.path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether a source may be more than the one thing it names. */
function expands(place: Place | undefined, recursive: boolean): boolean {
  return recursive ? !isFile(place) : place?.type === "bucket" && place.pattern !== undefined;
}

function isFile(place: Place | undefined): boolean {
  if (place?.type !== "path") return false;
  return statSync(place.path, { throwIfNoEntry: false })?.isDirectory() !== true;
}
