/** Keys as `encoding-type=url` writes them: percent-encoded UTF-8, in which AWS writes a space as `+`. */

const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20];
/** What a digit of a hexadecimal number is worth, by its character; -1 for all others. */
const DIGITS = Int8Array.from({ length: 256 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code | (code > 0x40 ? 0x20 : 0))),
);
/** Longer than a key that is escaped whole. */
let room = Buffer.allocUnsafeSlow(4096);

/**
 * The key at `bytes[from..to)`. A `%` without two digits stays; bytes that are no UTF-8 (which S3 does not
 * allow in keys, and some services do) read as U+FFFD.
 */
export function decodeKeyBytes(bytes: Buffer, from: number, to: number): string {
  if (to - from > room.length) room = Buffer.allocUnsafeSlow(2 * (to - from));
  let length = 0;
  for (let at = from; at < to; at++) {
    let byte = bytes[at]!;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT && at + 2 < to) {
      const high = DIGITS[bytes[at + 1]!]!;
      const low = DIGITS[bytes[at + 2]!]!;
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        at += 2;
      }
    }
    room[length++] = byte;
  }
  return room.toString("utf8", 0, length);
}

/** The same for a text. */
export function decodeKey(text: string): string {
  if (!hasEscape(text)) return text;
  const bytes = Buffer.from(text);
  return decodeKeyBytes(bytes, 0, bytes.length);
}

/** Whether something in an encoded text stands for something else. */
export function hasEscape(text: string | Buffer): boolean {
  return text.includes("%") || text.includes("+");
}
