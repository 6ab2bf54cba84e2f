/**
 * Compares keys by their UTF-8 bytes, the order of every S3 listing. Negative, zero or positive,
 * as for `Array.sort`.
 *
 * JavaScript's own order is of UTF-16 code units, which puts the surrogates of astral characters
 * (U+10000 and above) before U+E000 to U+FFFF; rotating those two ranges is the whole difference.
 */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? rotated(x) - rotated(y) : x - y;
  }
  return a.length - b.length;
}

function rotated(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
