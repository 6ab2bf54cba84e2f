/** The target of `tag`: an object, one of its versions, or a bucket. */
import { string } from "@oclif/core/flags";

import { one } from "./args.js";
import { abortable } from "./interrupt.js";
import type { Session } from "./base.js";
import { remote } from "./locations.js";

export type Tags = Readonly<Record<string, string>>;

export const tagTarget = one("alias/bucket or alias/bucket/key");

export const tagFlags = {
  "version-id": string({ description: "This version of the object.", helpValue: "ID" }),
};

export interface TagTarget {
  readonly location: string;
  get(): Promise<Tags>;
  set(tags: Tags): Promise<void>;
}

/** Opens the target. A bucket or object without tags has the empty set of them. */
export async function openTagTarget(
  { context, signal }: Pick<Session, "context" | "signal">,
  text: string,
  versionId: string | undefined,
): Promise<TagTarget> {
  const { alias, bucket, key } = await remote(
    context,
    text,
    versionId === undefined ? "bucket" : "key",
  );
  const waited = <T>(work: Promise<T>) => abortable(work, signal);
  if (key === "") {
    const service = await context.buckets(alias);
    return {
      location: `${alias}/${bucket}`,
      get: () => waited(service.getTags(bucket)),
      set: (tags) => waited(service.setTags(bucket, tags)),
    };
  }
  const storage = await context.bucket(alias, bucket);
  const version = { versionId };
  return {
    location: `${alias}/${bucket}/${key}`,
    get: () => waited(storage.getTags(key, version)),
    set: (tags) => waited(storage.setTags(key, tags, version)),
  };
}

/** Shows the tags a target has. */
export function showTags({ output }: Pick<Session, "output">, location: string, tags: Tags): void {
  const lines = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  output.result({ type: "tags", location, tags }, lines);
}
