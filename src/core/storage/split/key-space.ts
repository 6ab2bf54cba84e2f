/** Keys as positions on a line, so that a range of keys can be cut where about as much lies ahead. */

/** Differences of positions below this one are lost in a double. */
const FINEST = 1e-12;
/** Characters of a key that are looked at. */
const DEEPEST = 64;

export interface KeySpace {
  /** Counts the characters learned: positions stay what they are until it changes. */
  readonly age: number;
  learn(key: string): void;
  /** A guess: how many times as many keys a prefix has as it has behind one more character. */
  branches(prefix: string): number;
  /** Learns how many times as many keys there were as guessed. */
  correct(prefix: string, ratio: number): void;
  /** Whether guesses about such prefixes have been about right. */
  isSure(prefix: string): boolean;
  /** Where a key lies among all that share its first `from` code units: 0 to 1. */
  positionOf(key: string, from: number): number;
  /** A key with this prefix at about this position. */
  keyAt(position: number, prefix: string): string;
}

/**
 * Makes a key space. It reads keys as numbers whose digits are characters in the order of their code
 * points, which is the order of UTF-8 bytes. The characters that were seen to follow another one share
 * its part of the line evenly. Characters that are rarely alone stand for their whole group (groupOf):
 * a sequence shows its first digits for long.
 */
export function createKeySpace(): KeySpace {
  const followers = new Map<number, Followers>();
  const after = (group: number): Followers => followers.get(group) ?? NONE;
  /** How right guesses have been behind a character: 1 is fully. */
  const worths = new Map<number, number>();
  const worthOf = (prefix: string) => worths.get(groupBefore(prefix, prefix.length)) ?? 0.3;

  let age = 0;
  return {
    get age() {
      return age;
    },
    learn: (key) => {
      let before = START;
      for (const character of key) {
        const group = groupOf(character.codePointAt(0)!);
        let known = followers.get(before);
        if (known === undefined) followers.set(before, (known = createFollowers()));
        if (known.add(group)) age += 1;
        before = group;
      }
    },
    branches: (prefix) => {
      return Math.max(1, after(groupBefore(prefix, prefix.length)).size * worthOf(prefix));
    },
    correct: (prefix, ratio) => {
      const worth = worthOf(prefix) * Math.sqrt(Math.max(ratio, 0.01));
      worths.set(groupBefore(prefix, prefix.length), Math.min(1, Math.max(0.01, worth)));
    },
    isSure: (prefix) => worthOf(prefix) > 0.5,
    positionOf: (key, from) => {
      let position = 0;
      let weight = 1;
      let known = after(groupBefore(key, from));
      for (let at = from, i = 0; at < key.length && i < DEEPEST && weight > FINEST; i++) {
        if (known.size === 0) break;
        const point = key.codePointAt(at)!;
        const group = groupOf(point);
        weight /= known.size;
        position += known.below(point) * weight;
        // Nothing finer is known behind a character that was not seen there.
        if (!known.has(group)) break;
        at += point > 0xffff ? 2 : 1;
        known = after(group);
      }
      return Math.min(position, 1);
    },
    keyAt: (position, prefix) => {
      let key = prefix;
      let rest = position;
      let weight = 1;
      let known = after(groupBefore(prefix, prefix.length));
      for (let i = 0; i < DEEPEST && weight > FINEST && rest > FINEST; i++) {
        if (known.size === 0) break;
        weight /= known.size;
        // A little more, so that a position made of a key gives that key back.
        const index = Math.min(Math.floor(rest / weight + 1e-7), known.size - 1);
        const point = known.at(index);
        key += String.fromCodePoint(point);
        rest -= index * weight;
        known = after(groupOf(point));
      }
      return key;
    },
  };
}

/** The characters that were seen to follow another one, in order. */
interface Followers {
  readonly size: number;
  /** Tells whether it was not seen before. */
  add(group: number): boolean;
  has(group: number): boolean;
  /** How many of them lie below a character. */
  below(point: number): number;
  at(index: number): number;
}

function createFollowers(): Followers {
  let groups: readonly number[] = [];
  let starts: readonly number[] = [];
  let size = 0;
  /** The last group that begins at or before a value, by a list in order; -1 when there is none. */
  const lastUpTo = (list: readonly number[], value: number): number => {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const has = (group: number) => groups[lastUpTo(groups, group)] === group;
  return {
    get size() {
      return size;
    },
    has,
    add: (group) => {
      if (has(group)) return false;
      groups = groups.toSpliced(lastUpTo(groups, group) + 1, 0, group);
      size = 0;
      starts = groups.map((one) => {
        size += sizeOf(one);
        return size - sizeOf(one);
      });
      return true;
    },
    below: (point) => {
      const place = lastUpTo(groups, point);
      if (place < 0) return 0;
      const group = groups[place]!;
      return starts[place]! + Math.min(point - group, sizeOf(group));
    },
    at: (index) => {
      const place = lastUpTo(starts, index);
      return groups[place]! + index - starts[place]!;
    },
  };
}

const NONE = createFollowers();
const START = -1;
const ZERO = 0x30;
/** From here on scripts have thousands of characters. */
const MANY = 0x800;
const BLOCK = 64;

/** The first character of a group: decimal digits, 64 neighbors in a large script, or one alone. */
function groupOf(point: number): number {
  if (point >= ZERO && point < ZERO + 10) return ZERO;
  return point < MANY ? point : point - (point % BLOCK);
}

function sizeOf(group: number): number {
  if (group === ZERO) return 10;
  return group < MANY ? 1 : BLOCK;
}

function groupBefore(key: string, end: number): number {
  if (end === 0) return START;
  const start = end - (end > 1 && isLowSurrogate(key.charCodeAt(end - 1)) ? 2 : 1);
  return groupOf(key.codePointAt(start)!);
}

/** How many code units two keys share at their beginning; never half of a character. */
export function commonLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const before = at > 0 ? a.charCodeAt(at - 1) : 0;
  return before >= 0xd800 && before < 0xdc00 ? at - 1 : at;
}

/** A boundary behind everything that begins with the first `depth` code units of a key. */
interface Sibling {
  /** The shortest such key: it shares the first `parent` code units. */
  readonly boundary: string;
  readonly parent: number;
  readonly depth: number;
}

/** Boundaries after `key`, the nearest first: one for each character behind `from` and up to `to`. */
export function siblingsOf(key: string, from: number, to: number): Sibling[] {
  const siblings: Sibling[] = [];
  let depth = to;
  while (depth > from) {
    const pair = depth - 2 >= from && isLowSurrogate(key.charCodeAt(depth - 1));
    const parent = depth - (pair ? 2 : 1);
    const point = key.codePointAt(parent)!;
    // Surrogates are no characters; the last code point has no sibling.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    if (next <= 0x10ffff) {
      siblings.push({ boundary: key.slice(0, parent) + String.fromCodePoint(next), parent, depth });
    }
    depth = parent;
  }
  return siblings;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
