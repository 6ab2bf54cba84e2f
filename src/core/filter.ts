/**
 * The filter with which every command and face chooses among the things that it finds. Patterns
 * have the rules of a .gitignore file, over the key or path relative to the root.
 */
import { usageError } from "./failures/errors.js";
import { compiled, type Matcher } from "./glob.js";
import { holds, reaches, type Shard } from "./key-range.js";

/**
 * Patterns are globs (glob.ts). One that matches a directory takes everything below it; one that
 * ends with `/` matches directories only. Data, so that every face can make one; what is worked out
 * of it is kept as long as the object is.
 */
export interface Filter extends Bounds {
  /** Takes a name when one matches; none takes all. */
  readonly include?: readonly string[] | undefined;
  /**
   * Leaves a name out when one matches; wins over include. The last pattern that matches decides,
   * and `!` in front takes back what an earlier one left out, though not below a directory that is
   * itself left out.
   */
  readonly exclude?: readonly string[] | undefined;
  /** Only names of at most so many segments. */
  readonly maxDepth?: number | undefined;
  /** Only these names, taken literally: they are looked up one by one, and nothing is listed. */
  readonly names?: readonly string[] | undefined;
  /** Only the names of this range, which is all that is listed. */
  readonly shard?: Shard | undefined;
}

/** Sizes and times. An item without a known time is neither newer nor older than anything. */
export interface Bounds {
  /** Bytes, inclusive. */
  readonly minSize?: number | undefined;
  readonly maxSize?: number | undefined;
  /** Milliseconds since the epoch: modified after, or before, this; exclusive. */
  readonly newerThan?: number | undefined;
  readonly olderThan?: number | undefined;
}

/** Whether something of this size and time (milliseconds) lies within bounds. */
export function isWithin(
  { minSize = 0, maxSize = Infinity, newerThan, olderThan }: Bounds,
  size: number,
  modified = Number.NaN,
): boolean {
  if (size < minSize || size > maxSize) return false;
  if (newerThan !== undefined && !(modified > newerThan)) return false;
  return olderThan === undefined || modified < olderThan;
}

/** Whether sizes or times decide, too. */
export function isBounded({ minSize, maxSize, newerThan, olderThan }: Bounds): boolean {
  return [minSize, maxSize, newerThan, olderThan].some((bound) => bound !== undefined);
}

/** Whether a filter leaves anything out. */
export function isChoosing(filter: Filter): boolean {
  const { include, exclude, maxDepth, names, shard } = filter;
  const patterns = (include?.length ?? 0) + (exclude?.length ?? 0);
  if (patterns > 0 || maxDepth !== undefined) return true;
  return names !== undefined || shard !== undefined || isBounded(filter);
}

/** How deep a name lies: 1 at the root. An entry of a directory `a/` lies at 2. */
function depthOf(name: string): number {
  return name.split("/").length;
}

/** Throws InvalidPattern, for a face to say so before anything is done. */
export function requireValid(filter: Filter): void {
  rulesOf(filter);
}

/** Whether a filter takes a name; one that ends with `/` is a directory's. */
export function matches(filter: Filter | undefined, name: string): boolean {
  if (filter === undefined) return true;
  return (filter.shard === undefined || holds(filter.shard, name)) && suits(filter, name);
}

/**
 * Whether a filter takes a name, or could take one below it: what is wrong with a thing that may
 * hide a directory concerns every shard that may have names in that directory.
 */
export function concerns(filter: Filter | undefined, name: string): boolean {
  if (filter === undefined) return true;
  const { shard } = filter;
  const apart = shard !== undefined && !holds(shard, name) && !reaches(shard, asDirectory(name));
  return !apart && suits(filter, name);
}

function suits(filter: Filter, name: string): boolean {
  const { include, exclude } = rulesOf(filter);
  if (filter.maxDepth !== undefined && depthOf(name) > filter.maxDepth) return false;
  if (exclude?.(name) === true) return false;
  return include === undefined || include(name);
}

/** Whether a filter takes nothing below a directory, so that there is no need to look there. */
export function prunes(filter: Filter | undefined, directory: string): boolean {
  const { exclude, maxDepth, shard } = filter ?? {};
  if (shard !== undefined && !reaches(shard, asDirectory(directory))) return true;
  if (maxDepth !== undefined && depthOf(asDirectory(directory)) > maxDepth) return true;
  return exclude !== undefined && rulesOf(filter!).exclude?.(asDirectory(directory)) === true;
}

/** The patterns that decided about no name so far, each once. */
export function idlePatterns(filter: Filter): string[] {
  const { rules } = rulesOf(filter);
  const used = new Set(rules.filter((rule) => rule.used).map(({ pattern }) => pattern));
  return [...new Set(rules.map(({ pattern }) => pattern))].filter((pattern) => !used.has(pattern));
}

/**
 * The patterns of a file in the syntax of .gitignore: one a line, `#` begins a comment, blanks at the
 * end of a line do not count. Braces mean themselves there.
 */
export function parsePatterns(text: string): string[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => line.replace(/(?<!\\)[ \t]+$/, ""))
    .map((line) => line.replaceAll(/\\.|[{}]/gs, (part) => (part.length > 1 ? part : `\\${part}`)));
}

interface Rule {
  readonly pattern: string;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly matches: Matcher;
  used: boolean;
}

interface Rules {
  readonly rules: readonly Rule[];
  readonly include: Matcher | undefined;
  readonly exclude: Matcher | undefined;
}

const known = new WeakMap<Filter, Rules>();

function rulesOf(filter: Filter): Rules {
  let made = known.get(filter);
  if (made === undefined) {
    const include = (filter.include ?? []).map((pattern) => toRule(pattern, false));
    const exclude = (filter.exclude ?? []).map((pattern) => toRule(pattern, true));
    const rules = [...include, ...exclude];
    made = { rules, include: decider(include), exclude: decider(exclude) };
    known.set(filter, made);
  }
  return made;
}

function toRule(pattern: string, mayNegate: boolean): Rule {
  const negated = mayNegate && pattern.startsWith("!");
  if (pattern.startsWith("!") && !mayNegate) {
    throw usageError(
      "InvalidPattern",
      `"${pattern}" begins with "!", which only a pattern that excludes may`,
      String.raw`leave names out with --exclude; write \! for a name that begins so`,
    );
  }
  const body = negated ? pattern.slice(1) : pattern;
  const directoriesOnly = /(?<!\\)\/$/.test(body);
  const glob = directoriesOnly ? body.slice(0, -1) : body;
  return { pattern, negated, directoriesOnly, matches: compiled(glob), used: false };
}

/** Directories remembered; names come in order, so few are wanted again. */
const REMEMBERED = 1024;

/** Whether the last rule that matches a name, or else a directory it is in, takes it. */
function decider(rules: readonly Rule[]): Matcher | undefined {
  if (rules.length === 0) return undefined;
  const directories = new Map<string, boolean>();

  const decide = (path: string, isDirectory: boolean): boolean => {
    for (let i = rules.length - 1; i >= 0; i--) {
      const rule = rules[i]!;
      if ((rule.directoriesOnly && !isDirectory) || !rule.matches(path)) continue;
      rule.used = true;
      return !rule.negated;
    }
    return false;
  };
  const within = (directory: string): boolean => {
    const remembered = directories.get(directory);
    if (remembered !== undefined) return remembered;
    const end = directory.lastIndexOf("/");
    const taken = (end >= 0 && within(directory.slice(0, end))) || decide(directory, true);
    if (directories.size >= REMEMBERED) directories.clear();
    directories.set(directory, taken);
    return taken;
  };
  return (name) => {
    const end = name.lastIndexOf("/");
    if (end >= 0 && within(name.slice(0, end))) return true;
    return end < name.length - 1 && decide(name, false);
  };
}

function asDirectory(name: string): string {
  return name.endsWith("/") ? name : `${name}/`;
}
