/** How tools change what is stored: looked at first, asked about, written down, and then done. */
import { conflictError, isAppError } from "../core/failures/errors.js";
import { formatCount } from "../text/format.js";
import { keepObject, keepingCosts } from "../core/journal/keep.js";
import type { Pending } from "../core/journal/file.js";
import type { After, Before, Change, ChangeKind } from "../core/journal/types.js";
import { statOrUndefined } from "../core/operations/exists.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { ObjectInfo, WriteResult } from "../core/storage/storage.js";
import { isoDate, keyText, shortQuoted } from "./text.js";
import type { Call } from "./tool.js";

/** Kinds of failure that leave everything as it was. */
const UNDONE: ReadonlySet<string> = new Set(["denied", "conflict", "not-found", "usage"]);

/** One object that a call is about. */
export interface Target {
  readonly alias?: string | undefined;
  readonly bucket: string;
  readonly storage: BucketStorage;
  readonly key: string;
}

/** The wish of the caller about an object that may be there already. */
export interface Replacing {
  readonly if_exists?: "fail" | "replace" | undefined;
  /** The ETag that was seen; naming one means to replace it. */
  readonly if_match?: string | undefined;
}

/** A write's condition: nothing is there, or still what was seen. */
export type Condition =
  | { readonly ifNoneMatch: "*"; readonly ifMatch?: undefined }
  | {
      readonly ifMatch: string | undefined;
      readonly ifNoneMatch?: undefined;
      /** The object that was seen there. */
      readonly seen?: ObjectInfo;
    };

/** The result of a write, and whether it can be undone. */
export interface Changed {
  readonly etag?: string | undefined;
  readonly version_id?: string | undefined;
  readonly replaced?: true | undefined;
  /** The name to give undo_changes; or why there is none. */
  readonly undo: string;
}

/**
 * Writes one object where nothing is, or in the place of the very object whose ETag the caller has
 * named, once a person who can be asked has said yes; `expects` as for carryOut. Throws ObjectExists,
 * PreconditionFailed, and what consent throws.
 */
export async function writeObject(
  call: Call,
  target: Target,
  replacing: Replacing,
  work: Write,
  expects?: string,
): Promise<Changed> {
  const seen = await lookAt(call, target, replacing);
  askToReplace(call, target, seen);
  const { before, etag, versionId } = await carryOut(call, target, seen, work, expects);
  return {
    etag,
    version_id: versionId,
    ...(seen === undefined ? {} : { replaced: true }),
    undo: undoName(call, before),
  };
}

/**
 * The object at a place that the caller may mean to replace; nobody has been asked yet. Undefined
 * when there is none. Throws ObjectExists and PreconditionFailed.
 */
export async function lookAt(
  call: Call,
  target: Target,
  replacing: Replacing,
): Promise<ObjectInfo | undefined> {
  const { storage, key } = target;
  const seen = await statOrUndefined(storage, key, call.signal);
  requirePermitted(target, call, seen, replacing);
  return seen;
}

/** Asks a person who can be asked before what was seen at a place is replaced. */
export function askToReplace(call: Call, target: Target, seen: ObjectInfo | undefined): void {
  if (seen === undefined) return;
  const { alias, bucket, key } = target;
  call.consent.confirmNamed({
    question: `Replace ${describe(call, target, seen)}? ${undoNote(call, [seen])}`,
    facts: ["replace", call.label(bucket, alias), key, seen.etag, seen.versionId],
  });
}

/**
 * A function that writes. It is given its condition, and a function to tell what it wrote when more
 * is to follow.
 */
export type Write = (
  condition: Condition,
  onCopied: (written: WriteResult) => Promise<void>,
) => Promise<WriteResult>;

/**
 * Keeps what was seen at a place, writes over just that, and writes both down. Asks nobody. `expects`
 * is the ETag that the object will have, where that is known.
 */
export async function carryOut(
  call: Call,
  target: Target,
  seen: ObjectInfo | undefined,
  work: Write,
  expects?: string,
): Promise<WriteResult & { readonly before: Before }> {
  const before: Before =
    seen === undefined
      ? { type: "absent" }
      : await keepObject(call.journal, target.storage, seen, { signal: call.signal });
  let written: WriteResult = {};
  await recorded(call, { ...target, expects }, "write", before, async (done) => {
    written = await work(
      seen === undefined ? { ifNoneMatch: "*" } : { ifMatch: seen.etag, seen },
      ({ etag, versionId }) => done({ type: "object", etag, versionId }),
    );
    return { type: "object", etag: written.etag, versionId: written.versionId };
  });
  return { ...written, before };
}

/** Whether the caller may write over what was seen. Throws ObjectExists and PreconditionFailed. */
export function requirePermitted(
  { bucket, alias, key }: Omit<Target, "storage">,
  call: Call,
  seen: ObjectInfo | undefined,
  { if_exists: ifExists, if_match: ifMatch }: Replacing,
): void {
  const name = `${call.label(bucket, alias)}/${keyText(key)}`;
  if (seen === undefined) {
    if (ifMatch === undefined) return;
    throw conflictError(
      "PreconditionFailed",
      `${name} is not there, so it has no etag ${ifMatch}`,
      "leave if_match out to store it anew",
    );
  }
  if (ifMatch === undefined || ifExists === "fail") {
    throw conflictError(
      "ObjectExists",
      `${name} exists: ${seen.size} bytes, modified ${isoDate(seen.lastModified)}, etag ${seen.etag}`,
      `choose another key; or look at it, and to replace exactly that pass if_exists: replace, if_match: ${seen.etag}`,
    );
  }
  if (ifMatch.replaceAll('"', "") === seen.etag) return;
  throw conflictError(
    "PreconditionFailed",
    `${name} no longer has etag ${ifMatch}: it has ${seen.etag}`,
    "look at it again before replacing it",
  );
}

/** `"local/bucket/key" (3 bytes, modified …)`. */
export function describe(
  call: Call,
  { bucket, alias, key }: Pick<Target, "bucket" | "alias" | "key">,
  seen: Pick<ObjectInfo, "size" | "lastModified">,
): string {
  const name = shortQuoted(`${call.label(bucket, alias)}/${key}`);
  return `${name} (${formatCount(seen.size, "byte")}, modified ${isoDate(seen.lastModified)})`;
}

/** Whether what is going to be replaced or removed can be put back, for a question. */
export function undoNote(
  call: Call,
  objects: readonly Pick<ObjectInfo, "size" | "versionId">[],
): string {
  const bytes = objects.reduce((sum, info) => sum + keepingCosts(info), 0);
  return bytes <= call.journal.left ? "It can be undone." : "It CANNOT be undone.";
}

/**
 * Writes down a change, makes it, and writes down what it left; resolves with that. The work may say
 * so itself, with `done`, before it goes on to what can still fail.
 */
export async function recorded(
  call: Call,
  named: Named,
  kind: ChangeKind,
  before: Before,
  work: (done: (after: After) => Promise<void>) => Promise<After>,
): Promise<After> {
  const pending = await begin(call, named, kind, before);
  let told = false;
  const done = async (after: After) => {
    told = true;
    await pending.done(after);
  };
  try {
    const after = await work(done);
    if (!told) await done(after);
    return after;
  } catch (error) {
    if (!told && hasDoneNothing(error)) await pending.void();
    throw error;
  }
}

/** The thing that a change is about. */
export type Named = Omit<Target, "storage"> & Pick<Change, "versionId" | "expects">;

/** Writes down that a change begins. */
export function begin(
  call: Call,
  { alias = call.alias, bucket, key, versionId, expects }: Named,
  kind: ChangeKind,
  before: Before,
): Promise<Pending> {
  return call.journal.begin({
    call: call.group(),
    tool: call.tool,
    kind,
    alias,
    bucket,
    key,
    before,
    endpoint: call.endpoint(alias),
    versionId,
    expects,
  });
}

/**
 * A refusal by the service means that nothing was done, and so does a drifted object; after any
 * other error it is not known.
 */
export function hasDoneNothing(error: unknown): boolean {
  return isAppError(error) && (UNDONE.has(error.kind) || error.code === "Drifted");
}

/** The words of a result about undoing it. */
export function undoName(call: Call, ...before: readonly Before[]): string {
  const lost = before.find(({ type }) => type === "lost");
  return lost?.type === "lost" ? `not possible: ${lost.reason}` : call.group();
}
