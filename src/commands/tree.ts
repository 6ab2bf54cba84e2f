import { boolean, integer } from "@oclif/core/flags";

import { BELOW, examples, many } from "../cli/args.js";
import { BaseCommand, type Session } from "../cli/base.js";
import { type OpenedPlace, placesBelow } from "../cli/address.js";
import { forEachTarget } from "../cli/several.js";
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
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Tree);
    this.endWithReader();
    const counts = { prefixes: 0, objects: 0 };
    const options = { files: flags.files, depth: flags.depth ?? Infinity, counts };
    const exact = { reading: "exact", signal: session.signal } as const;
    await forEachTarget(session, args.targets, async (text) => {
      for await (const place of placesBelow(session.context, text, exact)) {
        const { alias, bucket, key } = place;
        const root = key === "" || key.endsWith("/") ? key : `${key}/`;
        if (!session.output.json) session.output.result({}, `${alias}/${bucket}/${root}`);
        await draw(session, place, root, "", options.depth, options);
      }
    });
    const { prefixes, objects } = counts;
    const drawn = [formatCount(prefixes, "prefix", "prefixes")];
    if (flags.files) drawn.push(formatCount(objects, "object"));
    if (!session.output.json) session.output.note(drawn.join(", "));
  }
}

interface TreeOptions {
  readonly files: boolean;
  readonly counts: { prefixes: number; objects: number };
}

/** Draws one level, and below each prefix the next one. */
async function draw(
  session: Session,
  place: OpenedPlace,
  prefix: string,
  indent: string,
  depth: number,
  options: TreeOptions,
): Promise<void> {
  const { output, signal } = session;
  const { alias, bucket, storage } = place;
  const one = async (entry: Entry, last: boolean) => {
    const name = entry.key.slice(prefix.length);
    options.counts[entry.type === "prefix" ? "prefixes" : "objects"] += 1;
    const line = `${indent}${last ? "└─" : "├─"} ${name}`;
    output.result(entryRecord(entry, `${alias}/${bucket}`), line);
    if (entry.type !== "prefix" || depth === 1) return;
    await draw(session, place, entry.key, `${indent}${last ? "   " : "│  "}`, depth - 1, options);
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
