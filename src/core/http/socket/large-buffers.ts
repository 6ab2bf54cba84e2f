/**
 * The buffers that large answers are read into. A connection keeps its own while it lives; some
 * services end it after every answer, and new memory for each costs more than reading into it.
 */

const SIZE = 1024 * 1024;
/** Eight connections' worth. */
const MOST_KEPT = 24;

const kept: Buffer[] = [];

/** A buffer nobody else uses. */
export function takeLargeBuffer(): Buffer {
  return kept.pop() ?? Buffer.allocUnsafeSlow(SIZE);
}

/** Takes back buffers whose bytes nobody looks at any more. */
export function giveBack(buffers: readonly (Buffer | undefined)[]): void {
  for (const buffer of buffers) {
    if (buffer !== undefined && kept.length < MOST_KEPT) kept.push(buffer);
  }
}
