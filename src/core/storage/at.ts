/** A bucket as it was: reading through its versions. */
import { AppError } from "../failures/errors.js";
import type { BucketStorage } from "./s3-types.js";
import type { Entry, ListOptions, ObjectEntry } from "./storage.js";

/**
 * A versioned bucket as it was at a moment, in milliseconds since the epoch, to be listed and read.
 * A listing names the versions, so that what is read is what was listed. An object that was never
 * versioned is as it is now, if it is older than that moment.
 */
export function bucketAt(storage: BucketStorage, moment: number): BucketStorage {
  const versionOf = async (key: string, signal?: AbortSignal): Promise<string | undefined> => {
    for await (const page of statesAt(storage, moment, { prefix: key, signal })) {
      for (const { latest, wanted } of page) {
        if (latest.key !== key) continue;
        if (wanted !== undefined) return wanted.versionId;
        break;
      }
      break;
    }
    throw new AppError({
      kind: "not-found",
      code: "NoSuchKey",
      message: `there was no object "${key}" at ${new Date(moment).toISOString()}`,
      details: { key },
    });
  };
  return {
    ...storage,
    at: moment,
    list: (options = {}) => listAt(storage, moment, options),
    stat: async (key, options = {}) => {
      const versionId = options.versionId ?? (await versionOf(key, options.signal));
      return storage.stat(key, { ...options, versionId });
    },
    read: async (key, options = {}) => {
      const versionId = options.versionId ?? (await versionOf(key, options.signal));
      return storage.read(key, { ...options, versionId });
    },
  };
}

async function* listAt(
  storage: BucketStorage,
  moment: number,
  options: ListOptions,
): AsyncGenerator<Entry[]> {
  const { prefix = "", delimiter = "" } = options;
  if (options.versions === true) {
    yield* storage.list(options);
    return;
  }
  let group: string | undefined;
  for await (const page of statesAt(storage, moment, options)) {
    const found: Entry[] = [];
    for (const { wanted: then } of page) {
      if (then === undefined) continue;
      const cut = delimiter === "" ? -1 : then.key.indexOf(delimiter, prefix.length);
      if (cut < 0) {
        found.push(then);
        continue;
      }
      const key = then.key.slice(0, cut + delimiter.length);
      if (key !== group) found.push({ type: "prefix", key });
      group = key;
    }
    if (found.length > 0) yield found;
  }
}

/** The history of a key: its state now, its state then, and the delete markers that came on top. */
export interface KeyState {
  readonly latest: ObjectEntry;
  /** The version that was current at the moment; undefined when there was none. */
  readonly wanted: ObjectEntry | undefined;
  /** Everything newer than `wanted`, newest first. */
  readonly newer: readonly ObjectEntry[];
}

/** Every key with what it was at a moment, in key order, by one listing of the versions. */
export async function* statesAt(
  storage: BucketStorage,
  moment: number,
  { prefix, startAfter, upTo, signal }: ListOptions,
): AsyncGenerator<KeyState[]> {
  let versions: ObjectEntry[] = [];
  const state = (): KeyState[] => {
    const [latest] = versions;
    if (latest === undefined) return [];
    // Newest first: the first that is not younger than the moment.
    const at = versions.findIndex(({ lastModified = 0 }) => lastModified <= moment);
    const then = versions[at];
    const newer = at < 0 ? versions : versions.slice(0, at);
    return [{ latest, wanted: then?.isDeleteMarker === true ? undefined : then, newer }];
  };
  for await (const page of storage.list({ prefix, startAfter, upTo, versions: true, signal })) {
    const done: KeyState[] = [];
    for (const entry of page) {
      if (entry.type !== "object") continue;
      if (versions[0] !== undefined && versions[0].key !== entry.key) {
        done.push(...state());
        versions = [];
      }
      versions.push(entry);
    }
    if (done.length > 0) yield done;
  }
  yield state();
}
