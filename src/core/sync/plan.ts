/**
 * Plans: what a sync is going to do, as a file of JSON lines that can be read, kept and applied: a
 * header, a line for each thing to do in key order, and an end that counts them.
 */
import { type AppError, usageError } from "../failures/errors.js";
import { createLineFile, readLineFile } from "../local/line-file.js";
import type { Reason } from "../engine/events.js";
import type { Listed } from "./pairs.js";

/** One thing to do, with what was seen on both sides: it is done only while they are still that. */
export interface PlanItem {
  readonly do: "copy" | "remove";
  readonly name: string;
  readonly reason: Reason;
  /** The state of the source; not given for a removal. */
  readonly source?: Seen | undefined;
  /** The state of the target; not given where it has nothing. */
  readonly target?: Seen | undefined;
}

/** A state of an object or a file. */
export type Seen = Omit<Listed, "name">;

/** The subject of a plan; places are written as a person types them. */
export interface PlanHeader {
  readonly pail: "plan";
  readonly version: 1;
  readonly source: string;
  readonly target: string;
  /** The place to which a replaced or removed thing is moved first. */
  readonly backup?: string | undefined;
  /** ISO time. */
  readonly made: string;
}

interface PlanEnd {
  readonly end: true;
  readonly copy: number;
  readonly remove: number;
}

/** Starts a plan's file; one that is there is not replaced. */
export function writePlan(path: string, header: PlanHeader) {
  const file = createLineFile(path);
  const counts = { copy: 0, remove: 0 };
  file.add(header);
  return {
    add: (item: PlanItem) => {
      counts[item.do] += 1;
      file.add(item);
    },
    /** Without this, the plan is not whole and nobody applies it. */
    end: () => {
      const end: PlanEnd = { end: true, ...counts };
      file.add(end);
      file.close({ sync: true });
    },
    discard: () => file.discard(),
  };
}

/**
 * Reads a plan. The whole file is checked first: throws NotAPlan for a file that is not a plan, is
 * of another version, or was cut off, before anything is done by it.
 */
export function readPlan(path: string): { header: PlanHeader; items: () => Generator<PlanItem> } {
  let header: PlanHeader | undefined;
  let end: PlanEnd | undefined;
  const counts = { copy: 0, remove: 0 };
  for (const line of readLineFile(path)) {
    if (end !== undefined) throw notAPlan(path, "something follows its end");
    if (header === undefined) header = asHeader(line, path);
    else if (isRecord(line) && line["end"] === true) end = line as unknown as PlanEnd;
    else counts[asItem(line, path).do] += 1;
  }
  if (header === undefined) throw notAPlan(path, "it is empty");
  if (end === undefined || end.copy !== counts.copy || end.remove !== counts.remove) {
    throw notAPlan(path, "it was cut off");
  }
  return {
    header,
    items: function* () {
      for (const line of readLineFile(path)) {
        if (isRecord(line) && "do" in line) yield asItem(line, path);
      }
    },
  };
}

function asHeader(line: unknown, path: string): PlanHeader {
  const header = isRecord(line) ? line : {};
  if (header["pail"] !== "plan") throw notAPlan(path, "it does not begin as one");
  if (header["version"] !== 1) throw notAPlan(path, "another version of pail made it");
  const { source, target, backup } = header;
  const places = [source, target, backup ?? ""];
  if (!places.every((place) => typeof place === "string")) {
    throw notAPlan(path, "it does not say where from and where to");
  }
  return header as unknown as PlanHeader;
}

function asItem(line: unknown, path: string): PlanItem {
  const item = isRecord(line) ? line : {};
  const { name, source, target } = item;
  const copies =
    item["do"] === "copy" && isSeen(source) && (target === undefined || isSeen(target));
  const removes = item["do"] === "remove" && isSeen(target) && typeof target.etag === "string";
  if (typeof name !== "string" || !(copies || removes)) throw notAPlan(path, "a line is damaged");
  return item as unknown as PlanItem;
}

function isSeen(value: unknown): value is Seen {
  return isRecord(value) && typeof value["size"] === "number";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notAPlan(path: string, why: string): AppError {
  return usageError(
    "NotAPlan",
    `${path} is no plan that can be applied: ${why}`,
    "make one: pail sync SOURCE TARGET --plan FILE",
  );
}
