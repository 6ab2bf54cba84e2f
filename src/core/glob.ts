/** Globs: what one pattern matches. */
import { usageError } from "./failures/errors.js";

/**
 * Whether a name matches a glob, as a whole and exactly, upper and lower case told apart:
 *
 * - `*` any characters but `/`; `?` one character but `/`
 * - `**` any characters, `/` too; between slashes also nothing: `a`, `**`, `b` joined by slashes
 *   matches `a/b` and `a/x/y/b`
 * - `[abc]`, `[a-z]`, `[!a-z]` one character of a set, never `/`; without a closing `]`, itself
 * - `{a,b}` one or the other, of any length and depth; without a comma, itself
 * - `\` makes the next character mean itself
 *
 * A glob without a `/` is matched against the last segment, so that `*.jpg` means every such file
 * below the root. One that begins with `/` is anchored there: `/*.jpg` means those at the root.
 *
 * Throws InvalidPattern for braces that stand for too many globs.
 */
export function matchesGlob(glob: string, name: string): boolean {
  return compiled(glob)(name);
}

/** Whether a name matches the glob it was made of. */
export type Matcher = (name: string) => boolean;

const CACHE_SIZE = 256;
const cache = new Map<string, Matcher>();

/** The matcher of a glob; made once for the globs in use. */
export function compiled(glob: string): Matcher {
  const known = cache.get(glob);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_SIZE) cache.clear();
  const matcher = compile(glob);
  cache.set(glob, matcher);
  return matcher;
}

/** The characters that one step of a glob takes. */
type Step =
  | { readonly take: "one"; readonly accepts: (character: string) => boolean }
  /** Any number of characters, `/` among them or not. */
  | { readonly take: "many"; readonly slash: boolean }
  /** Nothing, where a segment begins. */
  | { readonly take: "start" };

function compile(glob: string): Matcher {
  const [first, ...others] = alternatives(glob).map(compileOne);
  if (others.length === 0) return first!;
  return (name) => first!(name) || others.some((matcher) => matcher(name));
}

/** Globs that the braces of one may stand for. */
const LARGEST_EXPANSION = 1000;

/** A glob without braces for each way of taking those of `glob`. */
function alternatives(glob: string): string[] {
  const characters = Array.from(glob);
  const braces = firstBraces(characters);
  if (braces === undefined) return [glob];
  const { open, commas, close } = braces;
  const head = characters.slice(0, open).join("");
  const tails = alternatives(characters.slice(close + 1).join(""));
  const bounds = [open, ...commas, close];
  const parts = bounds
    .slice(1)
    .flatMap((end, index) => alternatives(characters.slice(bounds[index]! + 1, end).join("")));
  if (parts.length * tails.length > LARGEST_EXPANSION) {
    throw usageError(
      "InvalidPattern",
      `the braces of "${glob}" stand for more than ${LARGEST_EXPANSION} patterns`,
      "give several patterns, or write \\{ for a brace",
    );
  }
  return parts.flatMap((part) => tails.map((tail) => head + part + tail));
}

/** The first braces that hold a comma: where they open, part and close. */
function firstBraces(glob: readonly string[]) {
  const stack: { open: number; commas: number[] }[] = [];
  let found: { open: number; commas: number[]; close: number } | undefined;
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i];
    if (character === "\\") i++;
    else if (character === "[" && setEnd(glob, i) > 0) i = setEnd(glob, i);
    else if (character === "{") stack.push({ open: i, commas: [] });
    else if (character === ",") stack.at(-1)?.commas.push(i);
    else if (character === "}") {
      const braces = stack.pop();
      if (braces === undefined || braces.commas.length === 0) continue;
      // Those further out come first, and close later.
      if (found === undefined || braces.open < found.open) found = { ...braces, close: i };
    }
  }
  return found;
}

function compileOne(glob: string): Matcher {
  const lastOnly = !glob.includes("/");
  const steps = parse(Array.from(glob.startsWith("/") ? glob.slice(1) : glob));
  return (name) => walk(steps, lastOnly ? name.slice(name.lastIndexOf("/") + 1) : name);
}

function parse(glob: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!;
    if (character === "*") {
      const segmentStart = i === 0 || glob[i - 1] === "/";
      const slash = glob[i + 1] === "*";
      steps.push({ take: "many", slash });
      if (slash) i++;
      if (slash && segmentStart && glob[i + 1] === "/") {
        steps.push({ take: "start" });
        i++;
      }
    } else if (character === "?") {
      steps.push({ take: "one", accepts: (one) => one !== "/" });
    } else if (character === "[" && setEnd(glob, i) > 0) {
      const end = setEnd(glob, i);
      steps.push({ take: "one", accepts: parseSet(glob.slice(i + 1, end)) });
      i = end;
    } else {
      const literal = character === "\\" && i + 1 < glob.length ? glob[++i]! : character;
      steps.push({ take: "one", accepts: (one) => one === literal });
    }
  }
  return steps;
}

/** Position of the `]` that closes the set; -1 without one. A `]` that comes first is a member. */
function setEnd(glob: readonly string[], open: number): number {
  const first = open + (glob[open + 1] === "!" || glob[open + 1] === "^" ? 2 : 1);
  return glob.indexOf("]", first + 1);
}

function parseSet(content: readonly string[]): (character: string) => boolean {
  const negated = content[0] === "!" || content[0] === "^";
  const members = negated ? content.slice(1) : content;
  const ranges: [number, number][] = [];
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === "-" && i + 2 < members.length;
    ranges.push([members[i]!.codePointAt(0)!, members[isRange ? i + 2 : i]!.codePointAt(0)!]);
    if (isRange) i += 2;
  }
  return (character) => {
    if (character === "/") return false;
    const code = character.codePointAt(0)!;
    return ranges.some(([low, high]) => code >= low && code <= high) !== negated;
  };
}

/**
 * Walks all ways through the steps at once, so that the cost is at most steps times characters,
 * whatever the glob.
 */
function walk(steps: readonly Step[], name: string): boolean {
  let at = reach(steps, new Set([0]), true);
  for (const character of name) {
    const next = new Set<number>();
    for (const i of at) {
      const step = steps[i];
      if (step?.take === "one" && step.accepts(character)) next.add(i + 1);
      if (step?.take === "many" && (step.slash || character !== "/")) next.add(i);
    }
    if (next.size === 0) return false;
    at = reach(steps, next, character === "/");
  }
  return at.has(steps.length);
}

/** Adds what is reached without taking a character; a Set's loop sees what is added during it. */
function reach(steps: readonly Step[], at: Set<number>, segmentStart: boolean): Set<number> {
  for (const i of at) {
    const take = steps[i]?.take;
    if (take === "many" || (take === "start" && segmentStart)) at.add(i + 1);
  }
  return at;
}
