/**
 * The rules for a target name that is already taken. Every rule but `replace` looks first, which
 * saves sending bytes that are not wanted and covers services that ignore If-None-Match; the
 * condition on the write itself, or the exclusive rename, is what makes it safe.
 */
import { type AppError, conflictError, drifted, isAppError } from "../failures/errors.js";
import { type Ref, nameOf } from "../ref.js";
import type { WriteCondition } from "../storage/storage.js";
import { sameTime } from "../local/times.js";
import type { Facts, IfExists } from "./types.js";

/** One name at the target. */
export interface Spot<T> {
  readonly target: Ref;
  /** The facts of the thing that has the name; undefined when nothing has it. */
  look(): Promise<(Facts & { readonly modified?: number | undefined }) | undefined>;
  /** Writes there; with `exclusive` resolves with `exists`, having written nothing, when it is taken. */
  send(exclusive: boolean): T | "exists" | Promise<T | "exists">;
}

export interface Placing<T> {
  readonly ifExists: IfExists;
  readonly source: Ref;
  readonly sourceInfo: Facts;
  /** When its content was last changed, in milliseconds; asked for with `update` alone. */
  sourceTime(): Promise<number | undefined>;
  /** The source can be read only once: it is not sent again under another name. */
  readonly once: boolean;
  /** The name asked for (1), and those beside it (2, 3, …). */
  spot(number: number): Spot<T>;
}

/** The outcomes that a write may report for the name. */
export interface Placed {
  /** The name it was written under, where that may not be the one asked for. */
  readonly target?: Ref;
  /** Nothing was there before, as far as that was found out. */
  readonly wasNew?: boolean | undefined;
}

/** Writes under the first name the rule allows; `exists` when the rule was to skip. */
export function place<T extends Placed>(placing: Placing<T>): T | "exists" | Promise<T | "exists"> {
  // This way has no object and no promise of its own, for a run may replace a million objects.
  return placing.ifExists === "replace" ? placing.spot(1).send(false) : placeByRule(placing);
}

async function placeByRule<T extends Placed>(placing: Placing<T>): Promise<T | "exists"> {
  const { ifExists, source, sourceInfo, once } = placing;
  let rule = typeof ifExists === "string" ? ifExists : undefined;
  let number = 1;
  for (;;) {
    const spot = placing.spot(number);
    const { target } = spot;
    if (rule === "replace") {
      const result = await spot.send(false);
      return result === "exists" ? result : { ...result, target };
    }
    const there = await spot.look();
    if (there === undefined) {
      const result = await spot.send(true);
      if (result !== "exists") return { ...result, target, wasNew: true };
      if (once && rule !== "skip") throw taken(target);
    }
    const targetInfo = there ?? {};
    // A target that is not known to be older stays.
    if (rule === "update") {
      rule = isOlder(there?.modified, await placing.sourceTime()) ? "replace" : "skip";
    }
    rule ??= await (ifExists as Exclude<IfExists, string>)({
      source,
      target,
      sourceInfo,
      targetInfo,
    });
    if (rule === "skip") return "exists";
    if (rule === "fail") throw taken(target);
    if (rule === "keep-both") number += 1;
  }
}

function isOlder(target: number | undefined, source: number | undefined): boolean {
  return (
    target !== undefined && source !== undefined && target < source && !sameTime(target, source)
  );
}

function taken(target: Ref): AppError {
  return conflictError(
    "TargetExists",
    `${nameOf(target)} exists already`,
    "--if-exists replace, skip or keep-both says what to do then",
  );
}

/**
 * The state that the target's name must still be in: nothing there, or the state (ETag) that was
 * seen.
 */
export type Expected = "nothing" | { readonly etag: string };

/** The condition of a write where nothing is. */
export const NOT_THERE: WriteCondition = { ifNoneMatch: "*" };

/**
 * Writes only over the state that was seen, or where nothing was; throws Drifted when that has
 * changed.
 */
export async function writeOver<T>(
  expected: Expected,
  how: {
    readonly target: Ref;
    /** The ETag there now; undefined when there is nothing. */
    now(): Promise<string | undefined>;
    write(condition: WriteCondition | undefined): Promise<T>;
  },
): Promise<T> {
  const wanted = expected === "nothing" ? undefined : expected.etag;
  const holds = async () => (await how.now()) === wanted;
  const drift = () => drifted(nameOf(how.target));
  // Not every service heeds If-Match, so what is to be replaced is looked at first.
  if (wanted !== undefined && !(await holds())) throw drift();
  try {
    return await how.write(wanted === undefined ? NOT_THERE : { ifMatch: wanted });
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code } = error;
    if (code === "NotImplemented" && (await holds())) return how.write(undefined);
    const refused = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];
    throw refused.includes(code) && !(await holds()) ? drift() : error;
  }
}

/** `name (2).ext`: the name beside a taken one. `number` 1 is the name itself. */
export function besideName(name: string, number: number): string {
  if (number === 1) return name;
  const slash = name.endsWith("/") ? "/" : "";
  const body = slash === "" ? name : name.slice(0, -1);
  const start = body.lastIndexOf("/") + 1;
  const dot = body.lastIndexOf(".");
  // A dot that begins the name begins no extension.
  const end = dot > start && slash === "" ? dot : body.length;
  return `${body.slice(0, end)} (${number})${body.slice(end)}${slash}`;
}
