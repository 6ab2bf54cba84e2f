import { boolean, integer } from "@oclif/core/flags";

import { BELOW, examples, many } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { forEachPlace, literalFlag } from "../cli/address.js";
import type { BucketStorage } from "../core/storage/s3-types.js";
import type { Entry } from "../core/storage/storage.js";
import { entryRecord } from "../cli/list-lines.js";
import { formatCount } from "../text/format.js";

export default class Tree extends BaseCommand {
  static override summary = "Draw what is below as a tree.";
  static override description =
    "Prefixes only; -f draws the objects too. Each level is one listing, so a bucket with few prefixes and many objects is quick without -f as well.";
  static override examples = examples({
    local: "The prefixes of all buckets",
    "-f -d 2 local/demo": "Objects, too, two levels deep",
  });
  static override args = { targets: many(BELOW) };
  static override flags = {
    files: boolean({ char: "f", description: "Draw objects, too." }),
    depth: integer({ char: "d", description: "Levels at most.", min: 1 }),
    ...literalFlag,
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Tree);
    this.endWithReader();
    const counts = { prefixes: 0, objects: 0 };
    const options = { files: flags.files, depth: flags.depth ?? Infinity, counts };
    await forEachPlace(session, args.targets, flags, async (place) => {
      const { alias, bucket, key, storage, pattern } = place;
      const root = key === "" || key.endsWith("/") ? key : `${key}/`;
      if (!session.output.json) session.output.result({}, `${alias}/${bucket}/${root}`);
      // The matches of a pattern are the first level; below them everything is drawn.
      const below = pattern === undefined ? storage : await session.context.bucket(alias, bucket);
      await draw(session, storage, { ...options, label: `${alias}/${bucket}`, below }, root);
    });
    const { prefixes, objects } = counts;
    const drawn = [formatCount(prefixes, "prefix", "prefixes")];
    if (flags.files) drawn.push(formatCount(objects, "object"));
    if (!session.output.json) session.output.note(drawn.join(", "));
  }
}

interface TreeOptions {
  readonly label: string;
  /** The bucket that the levels below the first are listed in. */
  readonly below: BucketStorage;
  readonly files: boolean;
  readonly depth: number;
  readonly counts: { prefixes: number; objects: number };
}

/** Draws one level, and below each prefix the next one. */
async function draw(
  session: Session,
  storage: BucketStorage,
  options: TreeOptions,
  prefix: string,
  indent = "",
  level = 1,
): Promise<void> {
  const { output, signal } = session;
  const one = async (entry: Entry, last: boolean) => {
    const name = entry.key.slice(prefix.length);
    options.counts[entry.type === "prefix" ? "prefixes" : "objects"] += 1;
    const line = `${indent}${last ? "└─" : "├─"} ${name}`;
    output.result(entryRecord(entry, options.label), line);
    if (entry.type !== "prefix" || level >= options.depth) return;
    const deeper = `${indent}${last ? "   " : "│  "}`;
    await draw(session, options.below, options, entry.key, deeper, level + 1);
  };
  // One is held back, as only the end of the listing tells which is the last.
  let held: Entry | undefined;
  for await (const entries of storage.list({ prefix, delimiter: "/", signal })) {
    for (const entry of entries) {
      // The marker of the level itself is not one of the names in it.
      if (entry.key === prefix || (entry.type === "object" && !options.files)) continue;
      if (held !== undefined) await one(held, false);
      held = entry;
    }
    await output.flush();
  }
  if (held !== undefined) await one(held, true);
}
