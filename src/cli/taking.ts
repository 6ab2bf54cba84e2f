/** Patterns for commands that take objects away: one must be called a pattern, or seen first. */
import { boolean } from "@oclif/core/flags";

import { usageError } from "../core/failures/errors.js";
import { onlyPrefixes, type Reading } from "../core/operations/address.js";
import { formatCount } from "../text/format.js";
import { visible } from "../text/sanitize.js";
import { type OpenedPlace, readingOf } from "./address.js";
import type { Session } from "./base.js";
import { canAsk, confirm } from "./prompt.js";

export const patternFlags = {
  pattern: boolean({
    description: "Read the names as patterns: * ? [a-z] {a,b} **, with \\ before what is none.",
    exclusive: ["literal"],
  }),
  literal: boolean({ description: "Take every name as it is, and never ask about a pattern." }),
};

/** The reading of patterns for these commands: exact where nobody can see what one matches. */
export function takingOf(
  flags: Parameters<typeof readingOf>[0] & { readonly force?: boolean },
): Reading {
  const reading = readingOf(flags);
  return reading === "either" && (flags.force === true || !canAsk()) ? "exact" : reading;
}

/** Shows what a pattern matches, and asks; throws NotConfirmed for a no. */
export async function confirmMatches(
  { signal }: Pick<Session, "signal">,
  { alias, storage, pattern }: Pick<OpenedPlace, "alias" | "storage" | "pattern">,
  recursive: boolean,
): Promise<void> {
  const shown: string[] = [];
  let count = 0;
  const delimiter = recursive ? undefined : "/";
  for await (const page of storage.list({ delimiter, signal })) {
    for (const { type, key } of page) {
      if (type !== "object") continue;
      count += 1;
      if (shown.length < SHOWN) shown.push(`  ${key}`);
    }
    if (count > ENOUGH) break;
  }
  if (count === 0) throw onlyPrefixes();
  if (count > shown.length) shown.push("  …");
  const many = count > ENOUGH ? `${ENOUGH} objects or more` : formatCount(count, "object");
  process.stderr.write(`${shown.map(visible).join("\n")}\n`);
  const question = `There is no ${alias}/${storage.bucket}/${pattern?.glob}, but as a pattern it matches ${many}. Take them?`;
  if (await confirm(visible(question), signal)) return;
  throw usageError("NotConfirmed", "nothing was taken");
}

const SHOWN = 10;
const ENOUGH = 5000;
