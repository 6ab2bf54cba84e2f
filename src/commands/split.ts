import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

import { boolean, integer } from "@oclif/core/flags";

import { examples, one, valueFlag } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { side } from "../cli/run-sync.js";
import { linesOf, NULL_CHAR } from "../cli/stdin-lines.js";
import { localError } from "../core/failures/local.js";
import { splitLines } from "../core/split/file.js";
import { split } from "../core/split/make.js";
import { sideOf } from "../core/sync/sides.js";

export default class Split extends BaseCommand {
  static override summary = "Split a place into ranges of names, for many machines.";
  static override description = `Writes N ranges that hold every possible name exactly once, also those that come later, each with about as many of the names that are there. sync, cp -r, mv -r, rm -r, ls -r, du, find and diff take one of them with --shard I/N --split FILE.

Up to a million names are listed; of more, a thousand pages of the listing tell how they are spread, and the numbers are estimates. A list makes that unnecessary: of keys, one a line, of lines of pail ls -r --json, or of an S3 inventory in CSV.`;
  static override examples = examples({
    "play/photos --into 64 > photos.split": "Cut a bucket into 64 ranges",
    "play/photos --into 64 --from-listing inventory.csv.gz > photos.split":
      "By an inventory, in place of a listing",
    "$ pail split play/photos --into 64 | pail put - play/ops/photos.split":
      "Keep it where every machine finds it",
  });
  static override args = { place: one("directory or alias/bucket/prefix") };
  static override flags = {
    into: integer({ description: "How many ranges.", required: true, min: 1, max: 100_000 }),
    "from-listing": valueFlag("Names from a file, or - for stdin, in place of a listing.", "FILE"),
    null: boolean({
      char: NULL_CHAR,
      description: "Lines end with NUL.",
      dependsOn: ["from-listing"],
    }),
  };

  async run(): Promise<void> {
    const { args, flags, ...session } = await this.open(Split);
    const { output, signal } = session;
    const place = sideOf(await side(session, args.place, "source"));
    const from = flags["from-listing"];
    const listed = from === undefined ? undefined : keysIn(from, flags.null ? "\0" : "\n");
    const made = await split({ place, into: flags.into, listed, signal });
    output.result(made, splitLines(made));
    const sum = made.ranges.reduce((total, { objects }) => total + objects, 0);
    const count = sum.toLocaleString("en-US");
    output.note(`${made.counted ? count : `about ${count}`} names in ${flags.into} ranges`);
  }
}

async function* keysIn(file: string, end: "\n" | "\0"): AsyncGenerator<string> {
  try {
    const stream = file === "-" ? process.stdin : createReadStream(file);
    const bytes = file.endsWith(".gz") ? pipeline(stream, createGunzip(), () => undefined) : stream;
    for await (const line of linesOf(bytes, end, file)) yield keyIn(line);
  } catch (error) {
    throw localError(error, "read", file);
  }
}

/** The key in a line. One that is read wrongly makes ranges less equal, and nothing else. */
function keyIn(line: string): string {
  try {
    if (line.startsWith("{")) {
      const { key } = JSON.parse(line) as { readonly key?: unknown };
      return typeof key === "string" ? Buffer.from(key).toString() : line;
    }
    // "bucket","key",…: the key is encoded as in a URL.
    const [, encoded] = /^"[^"]*","([^"]*)"/.exec(line) ?? [];
    return encoded === undefined ? line : decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return line;
  }
}
