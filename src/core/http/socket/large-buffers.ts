/**
 * The buffers that large answers are read into. A connection keeps its own while it lives; some
 * services end it after every answer, and new memory for each costs more than reading into it.
 */

const SIZE = 1024 * 1024;
/** Eight connections' worth. */
const MOST = 24;
/** Those of further connections: a long line needs many of them, and fills none. */
const SMALLER = 128 * 1024;

const kept: Buffer[] = [];
let lent = 0;

/** A buffer nobody else uses. */
export function takeLargeBuffer(): Buffer {
  lent += 1;
  if (lent > MOST) return Buffer.allocUnsafeSlow(SMALLER);
  return kept.pop() ?? Buffer.allocUnsafeSlow(SIZE);
}

/** Takes back buffers; they are used again when nobody looks at their bytes any more. */
export function giveBack(buffers: readonly (Buffer | undefined)[], areUnread = false): void {
  for (const buffer of buffers) {
    if (buffer === undefined) continue;
    lent -= 1;
    if (!areUnread && buffer.length === SIZE) kept.push(buffer);
  }
}
