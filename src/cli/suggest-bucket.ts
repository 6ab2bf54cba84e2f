/** A better hint for a bucket that is not there. */
import type { Context } from "../context.js";
import { AppError } from "../core/failures/errors.js";
import { splitRemote } from "../core/location.js";
import { closest } from "../core/suggest.js";

/**
 * The same error, with the nearest bucket that exists as its hint. The buckets are those of the
 * aliases named in `words`, the command's arguments; an endpoint that will not list them leaves
 * the error as it is.
 */
export async function suggestBucket(
  context: Context,
  words: readonly string[],
  problem: AppError,
): Promise<AppError> {
  if (problem.code !== "NoSuchBucket") return problem;
  const near = await nearestBucket(context, words).catch(() => undefined);
  if (near === undefined) return problem;
  const { kind, code, message, details, cause } = problem;
  return new AppError({ kind, code, message, details, cause, hint: `did you mean ${near}?` });
}

async function nearestBucket(context: Context, words: readonly string[]) {
  const aliases = await context.aliasNames();
  for (const word of words) {
    const [alias, bucket] = splitRemote(word);
    if (bucket === "" || !aliases.has(alias)) continue;
    const names = (await (await context.buckets(alias)).list()).map(({ name }) => name);
    const near = names.includes(bucket) ? undefined : closest(bucket, names);
    if (near !== undefined) return `${alias}/${near}`;
  }
  return undefined;
}
