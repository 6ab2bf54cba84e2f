/**
 * The rules for a target name that is already taken. Every rule but `replace` looks first, which
 * saves sending bytes that are not wanted and covers services that ignore If-None-Match; the
 * condition on the write itself, or the exclusive rename, is what makes it safe.
 */
import { type AppError, conflictError, drifted, isAppError } from "../failures/errors.js";
import { type Ref, nameOf } from "../ref.js";
import type { SignedClient } from "../http/client.js";
import type { WriteCondition, WriteResult } from "../storage/storage.js";
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
 * The state that the target's name must still be in: nothing there, as a look at it has just shown
 * or as a listing had it a while ago, or the state (ETag) that was seen.
 */
export type Expected = "nothing" | "unlisted" | { readonly etag: string };

/** The condition of a write where nothing is. */
export const NOT_THERE: WriteCondition = { ifNoneMatch: "*" };

/** Whether a service heeds If-None-Match on one kind of write; undefined while that is not known. */
interface Heed {
  known?: boolean | undefined;
  /** Writes that were looked at before, for want of that knowledge. */
  looks: number;
}

const heeds = new WeakMap<SignedClient, Record<"copy" | "put", Heed>>();
/** After so many looks it is worth two requests to know. */
export const LOOKS = 16;

/** The facts about a service, kept for this process. A copy on the service differs from a PUT. */
export function heedOf(client: SignedClient, write: "copy" | "put"): Heed {
  const known = heeds.get(client) ?? { copy: { looks: 0 }, put: { looks: 0 } };
  heeds.set(client, known);
  return known[write];
}

/** A write to one name, over what is expected there. */
export interface Over<T> {
  readonly target: Ref;
  /** The ETag there now; undefined when there is nothing. */
  now(): Promise<string | undefined>;
  write(condition: WriteCondition | undefined): Promise<T>;
  /** The facts about the service. Without them, every name is looked at. */
  readonly heed?: Heed | undefined;
  /** The write is small and can be made twice, to find out whether the service heeds conditions. */
  readonly repeatable?: boolean | undefined;
}

/**
 * Writes only over the state that was seen, or where nothing was; throws Drifted when that has
 * changed. Not every service heeds conditions, so the name is looked at first. Those that a listing
 * lacks are looked at only until the service is known to heed If-None-Match: a small object that was
 * just written is written once more, which must be refused.
 */
export async function writeOver<T extends WriteResult>(
  expected: Expected,
  how: Over<T>,
): Promise<T> {
  const { heed = { looks: 0 } } = how;
  const wanted = typeof expected === "string" ? undefined : expected.etag;
  const holds = async () => (await how.now()) === wanted;
  // Those who may write and not read are not told; for them the condition has to do.
  const mayHold = () =>
    holds().catch((error: unknown) => {
      if (wanted === undefined && isAppError(error) && error.kind === "denied") return true;
      throw error;
    });
  const drift = () => drifted(nameOf(how.target));
  const looks = expected === "unlisted" ? heed.known !== true : wanted !== undefined;
  if (looks) {
    if (wanted === undefined) heed.looks += 1;
    if (!(await mayHold())) throw drift();
  }
  try {
    if (wanted !== undefined) return await how.write({ ifMatch: wanted });
    const written = await how.write(NOT_THERE);
    const asks = heed.known === undefined && heed.looks >= LOOKS && how.repeatable === true;
    return asks ? await writeAgain(how, heed, written) : written;
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code } = error;
    if (code === "NotImplemented" && (await holds())) return how.write(undefined);
    const refused = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];
    const unmet = code === "NotImplemented" || (refused.includes(code) && !(await mayHold()));
    throw unmet ? drift() : error;
  }
}

/** Finds out whether the service heeds If-None-Match; resolves with what was written last. */
async function writeAgain<T extends WriteResult>(how: Over<T>, heed: Heed, written: T): Promise<T> {
  // This is tried once; unless it tells otherwise, names are looked at.
  heed.known = false;
  try {
    if ((await how.now()) === written.etag) return await how.write(NOT_THERE);
  } catch (error) {
    // Whatever fails here, the object is there.
    heed.known = isAppError(error) && error.code === "PreconditionFailed";
  }
  return written;
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
