/** What `head` and `tail` share. */
import { string as stringArg } from "@oclif/core/args";
import { boolean, integer, string } from "@oclif/core/flags";

import type { ExcerptRequest } from "../core/operations/excerpt.js";
import { parseSize } from "../text/units.js";
import type { Session } from "./base.js";
import { literalFlag, objectNames } from "./address.js";
import { remote, requireOne } from "./locations.js";
import { forEachTarget } from "./several.js";

export const excerptArgs = {
  objects: stringArg({
    description: "alias/bucket/key",
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
};

export const excerptFlags = {
  lines: integer({ char: "n", description: "So many lines.", min: 0, default: 10 }),
  bytes: string({ char: "c", description: "So many bytes in place of lines.", helpValue: "SIZE" }),
  raw: boolean({ description: "Do not expand a compressed object." }),
  ...literalFlag,
  "version-id": string({ description: "This version.", helpValue: "ID" }),
};

export interface ExcerptInput {
  readonly lines: number;
  readonly bytes?: string | undefined;
  readonly raw: boolean;
  readonly literal: boolean;
  readonly "version-id"?: string | undefined;
}

/** Writes the excerpts one after the other; of several objects each has its name above it. */
export async function writeExcerpts(
  session: Session,
  given: readonly string[],
  flags: ExcerptInput,
  excerpt: (request: ExcerptRequest) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const { context, output, signal } = session;
  const { lines, bytes, raw, "version-id": versionId } = flags;
  requireOne(given, versionId);
  const objects = await objectNames(session, given, flags);
  const count = bytes === undefined ? { lines } : { bytes: parseSize(bytes) };
  await forEachTarget(session, objects, async (text, index) => {
    const { alias, bucket, key } = await remote(context, text, "key");
    const storage = await context.bucket(alias, bucket);
    const parts = excerpt({ storage, key, versionId, count, raw, signal });
    if (objects.length > 1) {
      await output.bytes(Buffer.from(`${index > 0 ? "\n" : ""}==> ${text} <==\n`));
    }
    for await (const chunk of parts) await output.bytes(chunk);
  });
}
