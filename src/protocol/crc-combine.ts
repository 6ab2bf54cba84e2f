/**
 * The CRC of a whole from the CRCs of its pieces, without reading the bytes again: the first
 * register, moved past the second's length, plus the second. Moving past n bytes is multiplying by
 * x^(8n) modulo the polynomial.
 */

export interface CrcShape {
  readonly width: 32 | 64;
  /** In reflected form: the coefficient of x^0 is the most significant bit. */
  readonly polynomial: bigint;
}

/** The CRC of A followed by B, from the CRC of each and B's length in bytes. */
export function combine(shape: CrcShape, first: bigint, second: bigint, length: number): bigint {
  return multiply(shape, first, shiftBy(shape, length)) ^ second;
}

// Parts of one upload nearly always share a size, so one remembered shift serves them all.
let last: { shape: CrcShape; length: number; shift: bigint } | undefined;

/** x^(8 * length), by squaring. */
function shiftBy(shape: CrcShape, length: number): bigint {
  if (last?.shape === shape && last.length === length) return last.shift;
  const one = 1n << BigInt(shape.width - 1);
  let shift = one;
  let power = one >> 8n;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(shape, shift, power);
    power = multiply(shape, power, power);
  }
  last = { shape, length, shift };
  return shift;
}

function multiply({ width, polynomial }: CrcShape, a: bigint, b: bigint): bigint {
  let product = 0n;
  for (let mask = 1n << BigInt(width - 1); mask !== 0n; mask >>= 1n) {
    if (a & mask) product ^= b;
    b = b & 1n ? (b >> 1n) ^ polynomial : b >> 1n;
  }
  return product;
}
