/** Copying, in every direction: what `cp`, the console and the MCP server call. */
import { statSync } from "node:fs";
import { basename, sep } from "node:path";

import { AppError } from "../failures/errors.js";
import { forEachItem, readAhead } from "../engine/stream.js";
import type { TransferItem } from "../engine/events.js";
import { joinKey, keptPrefix, ownName, recursiveScope } from "./names.js";
import { type Opened, openObject } from "../transfer/remote.js";
import { createRun, type Run } from "../engine/run.js";
import { requirePartSize } from "../transfer/sizes.js";
import { expandSources, refOf, type Source } from "./sources.js";
import { nameOf } from "../ref.js";
import { targetWork, type Work } from "./targets.js";
import type { TransferReport } from "../engine/report.js";
import type { CopyRequest, Place } from "./types.js";

/**
 * Copies the sources to the target (plan.ts says under which names). A failed item is counted and
 * the rest goes on; what stops the whole run is thrown: a source that is the only one and is not
 * there, a bucket that does not exist, refused credentials, an abort (kind `interrupted`).
 */
export async function copy(request: CopyRequest): Promise<TransferReport> {
  requirePartSize(request.partSize);
  const { target, sources, recursive } = request;
  const container = takesNames(request);
  if (container) requireNamesOfTheirOwn(request);
  if (recursive === true) for (const source of sources) requireOutside(source, target);
  const ordered = target.type === "stdio" || sources.some(({ type }) => type === "stdio");
  const run = createRun({ ...request, concurrency: ordered ? 1 : request.concurrency });
  const work = targetWork(run, request, container);
  try {
    await forEachItem(
      readAhead(planned(run, expandSources(request, run.signal))),
      run.objects,
      run.signal,
      (source) => settle(run, request, source, work),
    );
  } catch (error) {
    if (!run.signal.aborted) throw error;
  }
  return run.report();
}

const labelOf = (place: Place) => nameOf(refOf(place));

/** Whether the target takes each source under a name of its own, or is itself the name. */
function takesNames({ sources, target, recursive }: CopyRequest): boolean {
  const several = sources.length > 1;
  if (target.type !== "bucket" && sources.some(({ type }) => type !== "bucket")) {
    throw usage(
      "LocalCopy",
      "neither the source nor the target is in a bucket",
      "to copy between local files, use the system's own cp; a target in a bucket is alias/bucket",
    );
  }
  if (target.type === "stdio") {
    if (recursive === true) throw usage("RecursiveToStdout", "-r cannot write to stdout");
    return false;
  }
  const fromStream = sources.some(({ type }) => type === "stdio");
  const container = several || isContainer(target) || (recursive === true && !isFile(sources[0]));
  if (container && fromStream) {
    throw usage("NameMissing", `stdin has no name of its own: ${labelOf(target)} must be a key`);
  }
  return container;
}

/** Throws when two sources would have one name at the target: only one of them would be there. */
function requireNamesOfTheirOwn({ sources, target, recursive }: CopyRequest): void {
  const named = new Map<string, string>();
  for (const source of sources) {
    const name = ownNameOf(source, recursive === true);
    const label = labelOf(source);
    const other = named.get(name);
    if (name !== "" && other !== undefined && other !== label) {
      throw usage(
        "SameName",
        `${other} and ${label} would both become ${joinKey(labelOf(target), name)}`,
        "copy them one by one, each to a name of its own",
      );
    }
    named.set(name, label);
  }
}

/** The name a source has below the target; empty for one that puts its contents there. */
function ownNameOf(source: Place, recursive: boolean): string {
  if (source.type === "stdio") return "";
  if (source.type === "bucket") {
    return recursive ? keptPrefix(source.key).slice(0, -1) : ownName(source.key);
  }
  const path = source.path.replaceAll(sep, "/");
  return recursive && !isFile(source) ? keptPrefix(path).slice(0, -1) : basename(path);
}

/**
 * Throws when what is written would be found by the listing it comes from: a copy into itself
 * does not end.
 */
function requireOutside(source: Place, target: Place): void {
  if (source.type !== "bucket" || target.type !== "bucket") return;
  const { storage } = source;
  if (storage.client !== target.storage.client || storage.bucket !== target.storage.bucket) return;
  const { below } = recursiveScope(source.key);
  if (!joinKey(target.key, "").startsWith(below)) return;
  const message = `cannot copy ${labelOf(source)} into itself, ${labelOf(target)}`;
  throw usage("CopyIntoItself", message);
}

function usage(code: string, message: string, hint?: string): AppError {
  return new AppError({ kind: "usage", code, message, hint });
}

function isContainer(target: Exclude<Place, { type: "stdio" }>): boolean {
  if (target.type === "bucket") return target.key === "" || target.key.endsWith("/");
  if (target.path === "" || target.path.endsWith("/") || target.path.endsWith(sep)) return true;
  return statSync(target.path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(place: Place | undefined): boolean {
  if (place?.type !== "path") return false;
  return statSync(place.path, { throwIfNoEntry: false })?.isDirectory() !== true;
}

async function* planned(run: Run, pages: AsyncIterable<Source[]>): AsyncGenerator<Source[]> {
  for await (const page of pages) {
    let bytes = 0;
    for (const { size } of page) bytes += size ?? 0;
    run.emit({ type: "planned", items: page.length, bytes });
    yield page;
  }
  run.emit({ type: "counted" });
}

/** Runs one item from its start to its end; resolves with what the gate counts. */
async function settle(run: Run, request: CopyRequest, found: Source, work: Work): Promise<number> {
  let item = run.item({
    action: actionOf(found, request.target),
    source: found.ref,
    target: work.targetOf(found),
    size: found.size,
  });
  let opened: Opened | undefined;
  try {
    if (found.type === "broken") throw found.error;
    let source = found;
    if (source.type === "object" && source.size === undefined) {
      ({ source, opened } = await measure(run, request, item, source));
      item = { ...item, size: source.size };
    }
    if (request.dryRun === true) {
      run.emit({ type: "skipped", item, reason: "dry-run" });
      return 1;
    }
    run.emit({ type: "started", item });
    const result = await work.copy(item, source, opened);
    if (result === "exists") run.emit({ type: "skipped", item, reason: "exists" });
    else run.finished(item, result);
  } catch (error) {
    run.failed(item, error);
  }
  if (opened !== undefined) await opened.release();
  return 1;
}

/** Finds out the size of an object that no listing told about, and with it whether it is there. */
async function measure(
  run: Run,
  request: CopyRequest,
  item: TransferItem,
  source: Extract<Source, { type: "object" }>,
) {
  const { storage } = source;
  const { key, versionId } = source.ref;
  const opened =
    request.target.type === "bucket" || request.dryRun === true
      ? undefined
      : await openObject(run, item, source);
  const { size, etag } =
    opened?.info ??
    (await storage.stat(key, {
      signal: run.signal,
      ...(versionId !== undefined && { versionId }),
    }));
  run.emit({ type: "planned", items: 0, bytes: size });
  return { source: { ...source, size, ref: { ...source.ref, etag } }, opened };
}

function actionOf(source: Source, target: Place): TransferItem["action"] {
  if (target.type !== "bucket") return "download";
  if (source.type !== "object") return "upload";
  return source.storage.client === target.storage.client ? "copy" : "relay";
}
