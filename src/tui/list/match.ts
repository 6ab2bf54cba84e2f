/** The names that a typed text finds, and where it stands in them. */
import { prepare, single } from "fuzzysort";

import { characters } from "../text/cells.js";

/**
 * A test for names: with `*` or `?` a pattern for the whole name or its last part, `*` going over
 * slashes; else every typed word must be in it, whatever the case.
 */
export function matcher(text: string): (name: string) => boolean {
  const wanted = text.trim().toLowerCase();
  if (isPattern(wanted)) {
    const source = wanted.replaceAll(/[*?]|[^*?]+/g, (part) =>
      part === "*" ? ".*" : part === "?" ? "." : part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"),
    );
    const pattern = new RegExp(`^${source}$`, "su");
    return (name) => {
      const lower = name.toLowerCase();
      return pattern.test(lower) || pattern.test(lower.slice(lower.lastIndexOf("/") + 1));
    };
  }
  const words = wanted.split(/\s+/);
  return (name) => {
    const lower = name.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** Whether a filter is fuzzy, so that some names fit it better than others. */
export function isFuzzy(filter: string): boolean {
  return filter.trim() !== "" && !filter.startsWith("'") && !isPattern(filter);
}

/**
 * A test for a filter. `'text` is in the name as it stands, `*` and `?` make a pattern, and else the
 * characters of each word are in the name in their order, whatever is between them. The cost grows
 * with the length of the name, whatever the name is.
 */
export function passing(filter: string): (name: string) => boolean {
  if (!isFuzzy(filter)) return matcher(filter.replace(/^'/, ""));
  const words = fold(filter).trim().split(/\s+/);
  return (name) => {
    const text = fold(name);
    return words.every((word) => {
      let at = -1;
      for (const character of word) if ((at = text.indexOf(character, at + 1)) < 0) return false;
      return true;
    });
  };
}

/** Without case and accents, as the scores know no difference either. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  // eslint-disable-next-line no-control-regex
  return /^[\0-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** How well a name fits a fuzzy filter: 1 is the filter itself, 0 hardly. */
export function fitness(filter: string, name: string): number {
  return single(filter, prepare(name))?.score ?? 0;
}

/**
 * Where the characters of a filter stand in a text: each run from and to, in UTF-16 units, always
 * between graphemes.
 */
export function runs(filter: string, text: string): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  const segments = characters(text);
  for (const at of hits(filter, text)) {
    const { index, segment } = segments.containing(at)!;
    const last = found.at(-1);
    if (last !== undefined && last[1] >= index) last[1] = index + segment.length;
    else found.push([index, index + segment.length]);
  }
  return found;
}

function hits(filter: string, text: string): readonly number[] {
  if (isFuzzy(filter)) return single(filter, prepare(text))?.indexes ?? [];
  const wanted = filter.replace(/^'/, "").trim().toLowerCase();
  const at = text.toLowerCase().indexOf(wanted);
  return at < 0 ? [] : Array.from({ length: wanted.length }, (_, index) => at + index);
}
