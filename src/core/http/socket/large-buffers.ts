/**
 * The buffers that large answers are read into. A connection keeps its own while it lives; some
 * services end it after every answer, and new memory for each costs more than reading into it.
 */

/**
 * The first eight connections read most at a time, the next sixteen half of that. Further ones get
 * little: a long line needs many of them, and fills none.
 */
const SHELVES = [
  { most: 24, size: 1024 * 1024 },
  { most: 48, size: 512 * 1024 },
  { most: Infinity, size: 128 * 1024 },
  { most: 0, size: 64 * 1024 },
].map((one) => ({ ...one, lent: 0, kept: [] as Buffer[] }));

/** Bytes of an answer for which those of the last shelf are enough: a page of a listing has fewer. */
const LITTLE = 512 * 1024;

/**
 * A buffer nobody else uses, for so many bytes that are still to come: `current`, unless there is a larger
 * one for them.
 */
export function largeBuffer(current: Buffer | undefined, expected: number): Buffer {
  const shelf =
    expected < LITTLE ? SHELVES.at(-1)! : SHELVES.find(({ lent, most }) => lent < most)!;
  if (current !== undefined && current.length >= Math.min(shelf.size, LITTLE)) return current;
  if (current !== undefined) giveBack([current]);
  shelf.lent += 1;
  return shelf.kept.pop() ?? Buffer.allocUnsafeSlow(shelf.size);
}

/** Takes back buffers; they are used again when nobody looks at their bytes any more. */
export function giveBack(buffers: readonly (Buffer | undefined)[], areUnread = false): void {
  for (const buffer of buffers) {
    if (buffer === undefined) continue;
    const shelf = SHELVES.find(({ size }) => size === buffer.length)!;
    shelf.lent -= 1;
    if (!areUnread && shelf.kept.length < 24) shelf.kept.push(buffer);
  }
}
