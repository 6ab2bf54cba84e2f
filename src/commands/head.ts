import { boolean, integer, string } from "@oclif/core/flags";

import { examples, many } from "../cli/args.js";
import { BaseCommand } from "../cli/base.js";
import { objectNames } from "../cli/address.js";
import { readingFlags, readingSession, versionFlag } from "../cli/reading.js";
import { remote, requireOne } from "../cli/locations.js";
import { forEachTarget } from "../cli/several.js";
import { usageError } from "../core/failures/errors.js";
import { head } from "../core/operations/excerpt.js";
import { parseSize } from "../text/units.js";

export default class Head extends BaseCommand {
  static override summary = "Write the first lines of objects.";
  static override description =
    "Reads no more than it needs. A compressed object, by its Content-Encoding or its name (.gz, .br), is expanded.";
  static override examples = examples({
    "local/demo/1.txt": "The first ten lines",
    "-n 3 local/demo/1.txt local/demo/2.txt": "Three lines of each",
    "-c 1KiB local/demo/1.txt": "The first kibibyte",
  });
  static override args = { objects: many("alias/bucket/key") };
  static override flags = {
    lines: integer({ char: "n", description: "So many lines.", min: 0, default: 10 }),
    bytes: string({
      char: "c",
      description: "So many bytes in place of lines.",
      helpValue: "SIZE",
    }),
    raw: boolean({ description: "Do not expand a compressed object." }),
    ...readingFlags,
    ...versionFlag,
  };

  /** `tail` reads the other end. */
  protected readonly excerpt: typeof head = head;

  async run(): Promise<void> {
    const { args, flags, ...opened } = await this.open(Head);
    const session = readingSession(opened, flags);
    const { context, output, signal } = session;
    const { lines, bytes, raw, "version-id": versionId } = flags;
    this.endWithReader();
    const short = args.objects.find((text) => /^-\d+$/.test(text));
    if (short !== undefined) {
      throw usageError(
        "UnknownFlag",
        `unknown flag ${short}`,
        `did you mean -n ${short.slice(1)}?`,
      );
    }
    requireOne(args.objects, versionId);
    const objects = await objectNames(session, args.objects, flags);
    const count = bytes === undefined ? { lines } : { bytes: parseSize(bytes) };
    await forEachTarget(session, objects, async (text, index) => {
      const { alias, bucket, key } = await remote(context, text, "key");
      const storage = await context.bucket(alias, bucket);
      const parts = this.excerpt({ storage, key, versionId, count, raw, signal });
      // With several objects, each has its name above it, as in head and tail.
      if (objects.length > 1) {
        await output.bytes(Buffer.from(`${index > 0 ? "\n" : ""}==> ${text} <==\n`));
      }
      for await (const chunk of parts) await output.bytes(chunk);
    });
  }
}
