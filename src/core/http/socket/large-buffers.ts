/**
 * The buffers that large answers are read into. A connection keeps its own while it lives; some
 * services end it after every answer, and new memory for each costs more than reading into it.
 */

/**
 * The first eight connections read most at a time, the next sixteen half of that. Further ones get
 * little: a long line needs many of them, and fills none.
 */
const SIZES = [
  { upTo: 24, size: 1024 * 1024 },
  { upTo: 72, size: 512 * 1024 },
  { upTo: Infinity, size: 128 * 1024 },
].map((one) => ({ ...one, kept: [] as Buffer[] }));

let lent = 0;

/** A buffer nobody else uses. */
export function takeLargeBuffer(): Buffer {
  lent += 1;
  const { size, kept } = SIZES.find(({ upTo }) => lent <= upTo)!;
  return kept.pop() ?? Buffer.allocUnsafeSlow(size);
}

/** Takes back buffers; they are used again when nobody looks at their bytes any more. */
export function giveBack(buffers: readonly (Buffer | undefined)[], areUnread = false): void {
  for (const buffer of buffers) {
    if (buffer === undefined) continue;
    lent -= 1;
    const shelf = SIZES.find(({ size }) => size === buffer.length)!;
    if (!areUnread && shelf.kept.length < 24) shelf.kept.push(buffer);
  }
}
