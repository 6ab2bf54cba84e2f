/**
 * Reports: what was done, to what, and what was there before, as a file of JSON lines that `undo`
 * reads. A line is in the file as soon as the thing is done, so that a killed run can be undone too;
 * the last line says how it ended. Those of all shards of a split are merged (split/merge.ts).
 */
import { resolve } from "node:path";

import type { TransferListener } from "./engine/events.js";
import { usageError } from "./failures/errors.js";
import { toAppError } from "./failures/map.js";
import type { Shard } from "./key-range.js";
import { stateOf } from "./local/attributes.js";
import { createLineFile, readLineFile } from "./local/line-file.js";
import { type FileRef, nameOf, type ObjectRef, type Ref } from "./ref.js";

export interface ReportHeader {
  readonly pail: "report";
  readonly version: 1;
  /** `sync`, `cp`, `mv`, `rm`. */
  readonly command: string;
  /** ISO time. */
  readonly made: string;
  /** The root of what was written to, and where a sync kept what it replaced or removed. */
  readonly target?: ObjectRef | FileRef | undefined;
  readonly kept?: ObjectRef | FileRef | undefined;
  /** The part of a split that the command worked on, and the command's words. */
  readonly shard?: Shard | undefined;
  readonly words?: readonly string[] | undefined;
}

/** The last line of a report; a run that was killed has none. */
export interface ReportEnd {
  readonly end: true;
  /** The sums of what was done, or found. */
  readonly items: number;
  readonly bytes: number;
  readonly failed: number;
  /** The error that the command ended with. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** A thing that could not be done. */
export interface ReportFailure {
  readonly do: "failed";
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** One thing that was done. */
export interface ReportItem {
  readonly do: "write" | "remove";
  readonly target: ObjectRef | FileRef;
  /** The state it is in now: the object's ETag, or the state of the file. */
  readonly etag?: string | undefined;
  /** The version that was made, or the version that was removed for good. */
  readonly versionId?: string | undefined;
  /** Nothing was there before. */
  readonly wasNew?: true | undefined;
  /** Where it was moved from, and is no longer. */
  readonly from?: ObjectRef | FileRef | undefined;
}

/** Whether a report says enough by itself to put a thing back in a bucket without versions. */
export function canPutBack(item: ReportItem, header: ReportHeader): boolean {
  if (item.target.type === "object" && item.versionId !== undefined) return item.do === "write";
  return item.wasNew === true || header.kept !== undefined;
}

/** Starts a report; one that is there is not replaced. */
export function writeReport(path: string, header: ReportHeader) {
  const file = createLineFile(path);
  file.add({ ...header, target: anywhere(header.target), kept: anywhere(header.kept) });
  file.flush();
  const sum = { items: 0, bytes: 0, failed: 0 };
  const undoable = { items: 0, onlyVersions: 0 };
  const onEvent: TransferListener = (event) => {
    if (event.type === "failed") {
      const { code, message } = event.error;
      const { source, target } = event.item;
      const name = nameOf(source ?? target);
      sum.failed += 1;
      file.add({ do: "failed", name, code, message } satisfies ReportFailure);
      return file.flush();
    }
    if (event.type !== "finished") return;
    sum.items += 1;
    sum.bytes += event.item.size ?? 0;
    const { item, etag, versionId, wasNew } = event;
    const { target, source } = item;
    if (!isStored(target)) return;
    const action = item.action === "remove" ? "remove" : "write";
    const entry: ReportItem = {
      do: action,
      target: anywhere(target),
      etag: target.type === "file" && action === "write" ? stateOf(target.path) : etag,
      versionId: versionId ?? (target.type === "object" ? target.versionId : undefined),
      wasNew: wasNew === true && action === "write" ? true : undefined,
      from: item.moves === true && isStored(source) ? anywhere(source) : undefined,
    };
    undoable.items += 1;
    if (!canPutBack(entry, header)) undoable.onlyVersions += 1;
    file.add(entry);
    file.flush();
  };
  return {
    onEvent,
    /** How many things were done so far, and of how many of them only a bucket's versions are left. */
    undoable,
    /** Adds what was found, by a command that does nothing else. */
    found: (items: number, bytes: number) => {
      sum.items += items;
      sum.bytes += bytes;
    },
    end: (error?: unknown) => {
      const { code, message } = toAppError(error);
      const end: ReportEnd = {
        end: true,
        ...sum,
        ...(error !== undefined && { error: { code, message } }),
      };
      file.add(end);
      file.close({ sync: true });
    },
  };
}

/** Reads a report; a last line that was cut off is left out. Throws NotAReport for anything else. */
export function readReport(path: string): {
  readonly header: ReportHeader;
  readonly items: () => Generator<ReportItem>;
  /** The failures that were written down, and how it ended; no end where it was killed. */
  readonly outcome: () => {
    readonly failures: ReportFailure[];
    readonly end: ReportEnd | undefined;
  };
} {
  const lines = readLineFile(path);
  const first = lines.next();
  lines.return(undefined);
  const header = (first.done === true ? undefined : first.value) as ReportHeader | undefined;
  if (header?.pail !== "report" || header.version !== 1) {
    throw usageError(
      "NotAReport",
      `${path} is no report of a run`,
      "sync, cp, mv and rm write one with --report FILE",
    );
  }
  return {
    header,
    items: function* () {
      for (const line of readLineFile(path)) if (isItem(line)) yield line;
    },
    outcome: () => {
      const failures: ReportFailure[] = [];
      let end: ReportEnd | undefined;
      for (const line of readLineFile(path)) {
        const { do: action, end: ends } = (line ?? {}) as { do?: unknown; end?: unknown };
        if (action === "failed" && failures.length < KEPT) failures.push(line as ReportFailure);
        end = ends === true ? (line as ReportEnd) : undefined;
      }
      return { failures, end };
    },
  };
}

/** The same thing from any working directory. */
function anywhere<T extends ObjectRef | FileRef | undefined>(ref: T): T {
  return ref?.type === "file" ? { ...ref, path: resolve(ref.path) } : ref;
}

/** Failures that are named of one report. */
const KEPT = 1_000;

function isItem(line: unknown): line is ReportItem {
  if (typeof line !== "object" || line === null) return false;
  const { do: action, target, from } = line as Partial<ReportItem>;
  if (action !== "write" && action !== "remove") return false;
  return isStored(target) && (from === undefined || isStored(from));
}

/** Whether it is the reference to an object or a file, as a whole. */
function isStored(ref: Ref | undefined): ref is ObjectRef | FileRef {
  if (ref?.type === "file") return typeof ref.path === "string";
  return (
    ref?.type === "object" &&
    [ref.alias, ref.bucket, ref.key].every((part) => typeof part === "string")
  );
}
