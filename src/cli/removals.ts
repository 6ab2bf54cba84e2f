/** What `rm` was asked to remove, bucket by bucket. */
import type { Context } from "../context.js";
import { AppError } from "../core/failures/errors.js";
import { versionsOf } from "../core/listing.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { RemoveTarget } from "../core/storage/storage.js";
import type { RemoveRequest } from "../core/operations/types.js";
import { type Remote, remote } from "./locations.js";
import { canAsk, confirm } from "./prompt.js";

export interface RemovalFlags {
  readonly recursive: boolean;
  readonly versions: boolean;
  readonly force: boolean;
  readonly "version-id"?: string | undefined;
}

type Removal = Pick<RemoveRequest, "alias" | "storage" | "targets" | "versions">;

/**
 * One removal for each run of targets in the same bucket. Targets are read as they are needed, so
 * their number does not matter; each removal must be finished before the next is asked for.
 */
export async function* removals(
  context: Context,
  texts: Iterable<string> | AsyncIterable<string>,
  flags: RemovalFlags,
): AsyncGenerator<Removal> {
  const locations = locate(context, texts, flags);
  let next = await locations.next();
  while (next.done !== true) {
    const { alias, bucket, key } = next.value;
    const storage = await context.bucket(alias, bucket);
    if (flags.recursive) {
      yield { alias, storage, targets: { prefix: key }, versions: flags.versions };
      next = await locations.next();
      continue;
    }
    const keys = async function* (): AsyncGenerator<RemoveTarget> {
      while (next.done !== true && next.value.alias === alias && next.value.bucket === bucket) {
        yield* targetsOf(storage, next.value.key, flags);
        next = await locations.next();
      }
    };
    yield { alias, storage, targets: keys() };
  }
}

async function* locate(
  context: Context,
  texts: Iterable<string> | AsyncIterable<string>,
  { recursive }: RemovalFlags,
): AsyncGenerator<Remote, undefined> {
  for await (const text of texts) {
    const location = await remote(context, text, "bucket");
    if (location.key === "" && !recursive) {
      throw new AppError({
        kind: "usage",
        code: "InvalidLocation",
        message: `"${text}" names a bucket, not an object`,
        hint: `pail rm -r ${text} removes its objects; pail rb ${text} the bucket`,
      });
    }
    yield location;
  }
  return undefined;
}

async function* targetsOf(
  storage: BucketStorage,
  key: string,
  flags: RemovalFlags,
): AsyncGenerator<RemoveTarget> {
  if (!flags.versions) {
    yield { key, versionId: flags["version-id"] };
    return;
  }
  for await (const page of versionsOf(storage, key)) {
    for (const { versionId } of page) yield { key, versionId };
  }
}

/** Asks before a recursive removal; where nobody can be asked, `--force` must have been given. */
export async function confirmRecursion(
  targets: readonly string[],
  { force, versions }: Pick<RemovalFlags, "force" | "versions">,
  signal: AbortSignal,
): Promise<void> {
  if (force) return;
  const what = versions ? "every version of everything" : "everything";
  if (!canAsk()) {
    throw new AppError({
      kind: "usage",
      code: "NotConfirmed",
      message: `this would remove ${what} below ${targets.join(", ") || "the targets"}`,
      hint: "add --force to do it, --dry-run to see what it is",
    });
  }
  if (!(await confirm(`Remove ${what} below ${targets.join(", ")}?`, signal))) {
    throw new AppError({ kind: "usage", code: "NotConfirmed", message: "nothing was removed" });
  }
}

/** The arguments, and then the lines of stdin where that was asked for. */
export async function* withStdin(
  targets: readonly string[],
  stdin: boolean,
): AsyncGenerator<string> {
  yield* targets;
  if (!stdin) return;
  for await (const line of linesOf(process.stdin)) {
    if (line !== "") yield line;
  }
}

/**
 * Lines that end with a line feed and with nothing else, since everything else can be in a key. A
 * carriage return at the end may be the key's or the line's: what was meant cannot be known.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decode(decoder, chunk)).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield exactLine(line);
  }
  rest += decode(decoder);
  if (rest !== "") yield exactLine(rest);
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    const message = "stdin is not UTF-8, and keys are";
    throw new AppError({ kind: "usage", code: "InvalidInput", message, cause });
  }
}

function exactLine(line: string): string {
  if (!line.endsWith("\r")) return line;
  throw new AppError({
    kind: "usage",
    code: "InvalidInput",
    message: `the line ${JSON.stringify(line)} ends with a carriage return`,
    hint: "take it off: tr -d '\\r' < keys.txt | pail rm --stdin; or name the key as an argument",
  });
}
