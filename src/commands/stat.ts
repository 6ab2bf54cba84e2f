import { boolean } from "@oclif/core/flags";

import { examples, many } from "../cli/args.js";
import { objectNames } from "../cli/address.js";
import { readingFlags, readingSession, versionFlag } from "../cli/reading.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { type Remote, remote, requireOne } from "../cli/locations.js";
import { abortable } from "../cli/interrupt.js";
import { entryRecord } from "../cli/list-lines.js";
import { forEachTarget } from "../cli/several.js";
import { requireBucket } from "../cli/require-bucket.js";
import {
  bucketFacts,
  bucketRecord,
  objectFacts,
  objectRecord,
  versionFacts,
} from "../cli/stat-lines.js";
import { isAppError } from "../core/failures/errors.js";
import { versionsOf } from "../core/listing.js";

export default class Stat extends BaseCommand {
  static override summary = "Show everything about objects or buckets.";
  static override description =
    "Of an object: size, times, ETag, checksums, metadata, tags and, with --versions, its versions. Of a bucket: versioning, tags.";
  static override examples = examples({
    "local/photos/cat.jpg": "Size, times, checksums, metadata and tags",
    "--versions local/photos/cat.jpg": "Its versions and delete markers, too",
    "local/photos": "The settings of a bucket",
  });
  static override args = { targets: many("alias/bucket or alias/bucket/key") };
  static override flags = {
    ...versionFlag,
    ...readingFlags,
    versions: boolean({ description: "Its versions and delete markers too." }),
  };

  async run(): Promise<void> {
    const { args, flags, ...opened } = await this.open(Stat);
    const session = readingSession(opened, flags);
    requireOne(args.targets, flags["version-id"]);
    const targets = await objectNames(session, args.targets, flags);
    await forEachTarget(session, targets, async (text, index) => {
      const target = await remote(session.context, text, "bucket");
      if (index > 0 && !session.output.json) session.output.result({}, "");
      if (target.key === "") await statBucket(session, target);
      else await statObject(session, target, flags);
    });
  }
}

async function statObject(
  { context, output, signal }: Session,
  { alias, bucket, key, text }: Remote,
  flags: { readonly "version-id"?: string | undefined; readonly versions: boolean },
): Promise<void> {
  const storage = await context.bucket(alias, bucket);
  const label = `${alias}/${bucket}`;
  const versionId = flags["version-id"];
  const versions = flags.versions ? await gather(versionsOf(storage, key, signal)) : undefined;
  if (versions?.[0]?.isDeleteMarker && versionId === undefined) {
    // There is no latest object to describe, but what came before it is still there.
    const records = versions.map((entry) => entryRecord(entry, label));
    const record = { type: "object", location: `${label}/${key}`, key, versions: records };
    output.result(record, versionFacts(text, versions));
    return;
  }
  const reading = Promise.all([
    storage.stat(key, { versionId, signal }),
    optional(storage.getTags(key, { versionId })),
  ]);
  const [info, tags] = await abortable(reading, signal);
  const facts = { info, tags, versions };
  output.result(objectRecord(facts, label), objectFacts(text, facts));
}

async function statBucket(session: Session, { alias, bucket }: Remote): Promise<void> {
  const { context, output, signal } = session;
  const service = await context.buckets(alias);
  await requireBucket(service, { alias, bucket }, signal);
  const reading = Promise.all([
    optional(service.getVersioning(bucket)),
    optional(service.getTags(bucket)),
  ]);
  const [versioning, tags] = await abortable(reading, signal);
  const facts = { name: bucket, versioning, tags };
  output.result(bucketRecord(facts, alias), bucketFacts(`${alias}/${bucket}`, facts));
}

async function gather<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

/** A value that a service may not have, or may not let this key see; undefined then. */
async function optional<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const missing = ["NotImplemented", "MethodNotAllowed", "AccessDenied", "NoSuchTagSet"];
    if (isAppError(error) && missing.includes(error.code)) return undefined;
    throw error;
  }
}
