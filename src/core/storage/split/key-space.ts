/** Keys as positions on a line, so that a range of keys can be cut where about as much lies ahead. */

/** Digits of a position; a double has no room for more. */
const DIGITS = 10;

export interface KeySpace {
  /** How many parts of a position each character divides into. */
  readonly base: number;
  /** The position of the last character seen. */
  readonly top: number;
  learn(key: string): void;
  /** Where a key lies among all that share its first `from` code units: 0 to 1. */
  positionOf(key: string, from: number): number;
  /** A key with this prefix at about this position. */
  keyAt(position: number, prefix: string): string;
}

/**
 * Makes a key space. It reads keys as numbers whose digits are the characters seen so far, in the
 * order of their code points, which is the order of UTF-8 bytes. One decimal digit stands for all
 * ten: a sequence shows its first ones for long.
 */
export function createKeySpace(): KeySpace {
  const seen = new Set<number>();
  let alphabet: number[] = [];
  let stale = false;

  const sorted = (): number[] => {
    if (stale) alphabet = [...seen].sort((a, b) => a - b);
    stale = false;
    return alphabet;
  };
  const add = (point: number) => {
    if (seen.has(point)) return;
    seen.add(point);
    stale = true;
  };
  /** Characters of the alphabet below this one, plus one; 0 stands for the end of a key. */
  const digitOf = (point: number): number => {
    const points = sorted();
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle]! < point) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };

  return {
    get base() {
      return seen.size + 2;
    },
    get top() {
      return (seen.size + 1) / (seen.size + 2);
    },
    learn: (key) => {
      for (const character of key) {
        const point = character.codePointAt(0)!;
        if (point >= 0x30 && point <= 0x39)
          for (let digit = 0x30; digit <= 0x39; digit++) add(digit);
        else add(point);
      }
    },
    positionOf: (key, from) => {
      const base = sorted().length + 2;
      let position = 0;
      let weight = 1;
      let at = from;
      for (let i = 0; i < DIGITS && at < key.length; i++) {
        weight /= base;
        const point = key.codePointAt(at)!;
        position += digitOf(point) * weight;
        at += point > 0xffff ? 2 : 1;
      }
      return position;
    },
    keyAt: (position, prefix) => {
      const points = sorted();
      const base = points.length + 2;
      let key = prefix;
      let rest = position;
      for (let i = 0; i < DIGITS; i++) {
        rest *= base;
        // A little more, so that a position made of a key gives that key back.
        const digit = Math.floor(rest + 1e-7);
        if (digit <= 0) break;
        key += String.fromCodePoint(points[Math.min(digit, points.length) - 1]!);
        rest -= digit;
      }
      return key;
    },
  };
}

/** How many code units two keys share at their beginning; never half of a character. */
export function commonLength(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const before = at > 0 ? a.charCodeAt(at - 1) : 0;
  return before >= 0xd800 && before < 0xdc00 ? at - 1 : at;
}

/**
 * Boundaries after `key`, the nearest first: for each of its beginnings longer than `from` and no
 * longer than `to` code units, the shortest key that sorts after everything with that beginning.
 */
export function siblingsOf(key: string, from: number, to: number): string[] {
  const boundaries: string[] = [];
  let end = to;
  while (end > from) {
    const pair = end - 2 >= from && isLowSurrogate(key.charCodeAt(end - 1));
    const start = end - (pair ? 2 : 1);
    const point = key.codePointAt(start)!;
    // Surrogates are no characters; the last code point has no sibling.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    if (next <= 0x10ffff) boundaries.push(key.slice(0, start) + String.fromCodePoint(next));
    end = start;
  }
  return boundaries;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
