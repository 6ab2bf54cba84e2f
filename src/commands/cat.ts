import { examples, many, valueFlag } from "../cli/args.js";
import { objectNames, PATTERN_RULE } from "../cli/address.js";
import { readingFlags, readingSession, versionFlag } from "../cli/reading.js";
import { BaseCommand } from "../cli/base.js";
import { remote, requireOne } from "../cli/locations.js";
import { showTransfer } from "../cli/transfer-view.js";
import { parseRange } from "../text/units.js";
import { copy } from "../core/operations/copy.js";
import type { Place } from "../core/operations/types.js";

export default class Cat extends BaseCommand {
  static override summary = "Write objects to stdout.";
  static override description = `Whole objects are checked against their stored checksum as they pass; a mismatch fails the command after the bytes are out.

${PATTERN_RULE}`;
  static override examples = examples({
    "local/notes/todo.txt": "One object to the terminal",
    "local/logs/1.gz local/logs/2.gz | zcat": "Several, one behind the other, into a program",
    "--range 0-99 local/logs/big.log": "The first hundred bytes",
  });
  static override args = { objects: many("alias/bucket/key") };
  static override flags = {
    ...versionFlag,
    ...readingFlags,
    range: valueFlag("Only these bytes, the last included; -N for the last N.", "FIRST-LAST"),
  };

  async run(): Promise<void> {
    const { args, flags, ...opened } = await this.open(Cat);
    const session = readingSession(opened, flags);
    const { context, output, signal } = session;
    this.endWithReader();
    requireOne(args.objects, flags["version-id"]);
    const range = flags.range === undefined ? undefined : parseRange(flags.range);
    const sources: Extract<Place, { type: "bucket" }>[] = [];
    for (const text of await objectNames(session, args.objects, flags)) {
      const { alias, bucket, key } = await remote(context, text, "key");
      const storage = await context.bucket(alias, bucket);
      const versionId = flags["version-id"];
      sources.push({ type: "bucket", storage, key, versionId, alias });
    }
    if (range === undefined) {
      // The bytes go to stdout, so nothing else may.
      const silent = { ...output, quiet: true, result: () => undefined, note: () => undefined };
      const target = { type: "stdio", stream: process.stdout } as const;
      await showTransfer(silent, (follow) => copy({ sources, target, signal, ...follow }));
      return;
    }
    // A range has no checksum of its own.
    for (const { storage, key, versionId } of sources) {
      const last = async (count: number) => {
        const { size, etag } = await storage.stat(key, { versionId, signal });
        // Pinned, so that both answers are about the same bytes; an empty object has no range.
        return { ifMatch: etag, ...(size > 0 && { range: { start: Math.max(0, size - count) } }) };
      };
      const span = "suffix" in range ? await last(range.suffix) : { range };
      const { body } = await storage.read(key, { versionId, ...span, signal });
      for await (const chunk of body) await output.bytes(chunk);
    }
  }
}
