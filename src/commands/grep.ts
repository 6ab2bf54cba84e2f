import { boolean, integer, string } from "@oclif/core/flags";

import { examples, many, one } from "../cli/args.js";
import { forEachPlace } from "../cli/address.js";
import { readingFlags, readingSession } from "../cli/reading.js";
import { EXIT_CODES } from "../core/failures/errors.js";
import { BaseCommand } from "../cli/base.js";
import { partial } from "../cli/several.js";
import { listKey } from "../core/listing.js";
import { grep } from "../core/operations/grep.js";
import { lineFinder } from "../core/operations/line-finder.js";
import { parseSize } from "../text/units.js";

export default class Grep extends BaseCommand {
  static override summary = "Find lines in objects.";
  static override description = `Prints the lines that hold a text, in the objects at or below the targets: location, number of the line, line. Compressed objects are expanded; what is no text is left out and named at the end, with whatever else could not be read.`;
  static override examples = examples({
    "one local/demo": "The lines that hold a text",
    "-i -E 'o(n|f)e' 'local/demo/*.txt'":
      "An expression, upper and lower case alike, in what a pattern matches",
    "-l one local/demo": "Only which objects hold it",
  });
  static override args = {
    text: one("what to look for"),
    targets: many("alias, alias/bucket, alias/bucket/prefix or an object"),
  };
  static override flags = {
    "ignore-case": boolean({ char: "i", description: "Upper and lower case are the same." }),
    regex: boolean({
      char: "E",
      description: "The text is a regular expression, as RE2 has them.",
    }),
    "files-with-matches": boolean({ char: "l", description: "Only the locations." }),
    "max-lines": integer({ char: "m", description: "Lines at most, of all together.", min: 1 }),
    "max-bytes": string({ description: "Bytes that are read at most, about.", helpValue: "SIZE" }),
    text: boolean({ char: "a", description: "Look into what is no text, too." }),
    raw: boolean({ description: "Do not expand compressed objects." }),
    ...readingFlags,
  };

  async run(): Promise<void> {
    const { args, flags, ...opened } = await this.open(Grep);
    const session = readingSession(opened, flags);
    const { output, signal } = session;
    this.endWithReader();
    const find = await lineFinder(args.text, {
      regex: flags.regex,
      ignoreCase: flags["ignore-case"],
    });
    let lines = 0;
    let objects = 0;
    let unread = 0;
    let left = flags["max-lines"] ?? Infinity;
    let bytes = flags["max-bytes"] === undefined ? Infinity : parseSize(flags["max-bytes"]);
    await forEachPlace(session, args.targets, flags, async ({ alias, bucket, storage, key }) => {
      if (left <= 0 || bytes <= 0) return;
      const pages = entriesOf(listKey(storage, key, { recursive: true, signal }));
      const { text: binary, raw } = flags;
      const request = {
        storage,
        pages,
        find,
        maxLines: left,
        maxBytes: bytes,
        binary,
        raw,
        signal,
      };
      let shown: string | undefined;
      for await (const event of grep(request)) {
        if (event.type === "end") {
          objects += event.objects;
          bytes -= event.bytes;
          if (event.stopped !== undefined) output.note(`stopped: --max-${event.stopped}`);
          continue;
        }
        const location = `${alias}/${bucket}/${event.entry.key}`;
        if (event.type === "skipped") {
          // An object that is no text was not meant, so a note is enough.
          if (event.error.code === "NotText") output.note(`${location}: ${event.error.message}`);
          else {
            unread += 1;
            output.itemError({ type: "failed", target: location }, event.error);
          }
          continue;
        }
        lines += 1;
        left -= 1;
        const { line, offset, text: found } = event;
        if (!flags["files-with-matches"]) {
          const record = { type: "line", location, line, offset, text: found };
          output.result(record, `${location}:${line}:${found}`);
        } else if (shown !== location) {
          output.result({ type: "match", location }, location);
        }
        shown = location;
      }
    });
    if (unread > 0) throw partial(unread, objects + unread, "object");
    if (lines === 0) this.endWith(EXIT_CODES["not-found"]);
  }
}

async function* entriesOf<T>(pages: AsyncIterable<{ readonly entries: T }>): AsyncGenerator<T> {
  for await (const { entries } of pages) yield entries;
}
