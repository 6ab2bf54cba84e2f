/** How tools change what is stored: looked at first, asked about, written down, and then done. */
import { AppError, isAppError } from "../core/failures/errors.js";
import { formatCount } from "../text/format.js";
import { keepObject, keepingCosts } from "../core/journal/keep.js";
import type { After, Before, ChangeKind } from "../core/journal/types.js";
import { statOrUndefined } from "../core/journal/undo.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { ObjectInfo, WriteResult } from "../core/storage/storage.js";
import { isoDate, keyText, shortQuoted } from "./text.js";
import type { Call } from "./tool.js";

/** One object that a call is about. */
export interface Target {
  readonly alias?: string | undefined;
  readonly bucket: string;
  readonly storage: BucketStorage;
  readonly key: string;
}

/** What the caller said about an object that may be there already. */
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
      /** What was seen there. */
      readonly seen?: ObjectInfo;
    };

/** What a write left, and whether it can be undone. */
export interface Changed {
  readonly etag?: string | undefined;
  readonly version_id?: string | undefined;
  readonly replaced?: true | undefined;
  /** The name to give undo_changes; or why there is none. */
  readonly undo: string;
}

/**
 * Writes one object where nothing is, or in the place of the very object whose ETag the caller has
 * named, once a person who can be asked has said yes. Throws ObjectExists, PreconditionFailed, and
 * what consent throws.
 */
export async function writeObject(
  call: Call,
  target: Target,
  replacing: Replacing,
  work: (condition: Condition) => Promise<WriteResult>,
): Promise<Changed> {
  const { storage, key } = target;
  const seen = await statOrUndefined(storage, key, call.signal);
  requirePermitted(target, call, seen, replacing);
  if (seen !== undefined) {
    call.consent.confirmNamed({
      question: `Replace ${describe(call, target, seen)}? ${undoNote(call, [seen])}`,
      facts: ["replace", call.label(target.bucket, target.alias), key, seen.etag, seen.versionId],
    });
  }
  const before: Before =
    seen === undefined
      ? { type: "absent" }
      : await keepObject(call.journal, storage, seen, { signal: call.signal });
  const written = await recorded(call, target, "write", before, async () => {
    const { etag, versionId } = await work(
      seen === undefined ? { ifNoneMatch: "*" } : { ifMatch: seen.etag, seen },
    );
    return { type: "object", etag, versionId };
  });
  const { etag, versionId } = written as Extract<After, { type: "object" }>;
  return {
    etag,
    version_id: versionId,
    ...(seen === undefined ? {} : { replaced: true }),
    undo: undoName(call, before),
  };
}

function requirePermitted(
  { bucket, alias, key }: Target,
  call: Call,
  seen: ObjectInfo | undefined,
  { if_exists: ifExists, if_match: ifMatch }: Replacing,
): void {
  const name = `${call.label(bucket, alias)}/${keyText(key)}`;
  if (seen === undefined) {
    if (ifMatch === undefined) return;
    throw new AppError({
      kind: "conflict",
      code: "PreconditionFailed",
      message: `${name} is not there, so it has no etag ${ifMatch}`,
      hint: "leave if_match out to store it anew",
    });
  }
  if (ifMatch === undefined || ifExists === "fail") {
    throw new AppError({
      kind: "conflict",
      code: "ObjectExists",
      message: `${name} exists: ${seen.size} bytes, modified ${isoDate(seen.lastModified)}, etag ${seen.etag}`,
      hint: `choose another key; or look at it, and to replace exactly that pass if_exists: replace, if_match: ${seen.etag}`,
    });
  }
  if (ifMatch.replaceAll('"', "") === seen.etag) return;
  throw new AppError({
    kind: "conflict",
    code: "PreconditionFailed",
    message: `${name} no longer has etag ${ifMatch}: it has ${seen.etag}`,
    hint: "look at it again before replacing it",
  });
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

/** Writes down a change, makes it, and writes down what it left; resolves with that. */
export async function recorded(
  call: Call,
  { alias = call.alias, bucket, key, versionId }: Omit<Target, "storage"> & { versionId?: string },
  kind: ChangeKind,
  before: Before,
  work: () => Promise<After>,
): Promise<After> {
  const pending = await call.journal.begin({
    call: call.group(),
    tool: call.tool,
    kind,
    alias,
    bucket,
    key,
    before,
    endpoint: call.endpoint(alias),
    ...(versionId === undefined ? {} : { versionId }),
  });
  try {
    const after = await work();
    await pending.done(after);
    return after;
  } catch (error) {
    // A service that says no has done nothing; after anything else that is not known.
    const refused = isAppError(error) && error.code !== "Drifted";
    if (refused && ["denied", "conflict", "not-found", "usage"].includes(error.kind)) {
      await pending.void();
    }
    throw error;
  }
}

/** What a result says about undoing it. */
export function undoName(call: Call, ...before: readonly Before[]): string {
  const lost = before.find(({ type }) => type === "lost");
  return lost?.type === "lost" ? `not possible: ${lost.reason}` : call.group();
}
