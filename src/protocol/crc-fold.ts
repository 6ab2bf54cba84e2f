/**
 * A CRC of many bytes at a multiple of the speed of tables: long stretches are reduced to a few KiB
 * with the same remainder, by exclusive or alone, and only those go through the CRC itself.
 *
 * A CRC is a remainder modulo its polynomial P over GF(2). Let Q be a multiple of P with few terms.
 * Squaring is linear there, so that Q(x^128) = Q(x)^128 is a multiple, too, and its terms are whole
 * blocks of 16 bytes apart. In a division by it, a block of the quotient is one of the message plus
 * the quotient's blocks at some distances before it. That loop is WebAssembly, a block at a time.
 */
import {
  BR_IF,
  END,
  GET,
  I32,
  I32_ADD,
  I32_CONST,
  I32_LT_U,
  instantiate,
  LOOP,
  signed,
  TEE,
  unsigned,
  VOID,
} from "./crc-wasm.js";

const BLOCK = 16;
/** Bytes are copied to the module's memory in pieces of this size. */
const PIECE = 64 * 1024;
const PAGES = 2;
const ALIGNED = 4;
const V128_LOAD = [0xfd, 0x00, ALIGNED];
const V128_STORE = [0xfd, 0x0b, ALIGNED];
const V128_XOR = [0xfd, 0x51];

/** From how many bytes on it pays: eight times those that are left. */
export function worthFolding(distances: readonly number[]): number {
  return 8 * BLOCK * distances.at(-1)!;
}

/**
 * Reduces at least `worthFolding` bytes, all but the last few, of which `length` says how many they
 * are: a register of 0 comes from `remainder` to where `register` comes from those bytes. `remainder`
 * is valid until the next call.
 */
export type Fold = (
  chunk: Uint8Array,
  register: bigint,
) => { readonly remainder: Uint8Array; readonly length: number };

/**
 * Makes the function for a polynomial that divides x^n + x^(n-a) + … + 1, where `distances`, rising,
 * are a, …, n; n is at most 3,000.
 */
export function createFold(distances: readonly number[]): Fold {
  const room = BLOCK * distances.at(-1)!;
  const { memory, run } = instantiate(PAGES, [I32, I32], [], loop(distances, room)) as {
    readonly memory: { readonly buffer: ArrayBuffer };
    readonly run: (start: number, end: number) => void;
  };
  // The end of the quotient so far, and behind it what is worked on.
  const bytes = new Uint8Array(memory.buffer);
  const words = new Int32Array(memory.buffer);
  const view = new DataView(memory.buffer);

  return (chunk, register) => {
    const length = chunk.length - (chunk.length % BLOCK);
    const last = length - room;
    bytes.fill(0, 0, room);
    for (let at = 0; at < last; at += PIECE) {
      const piece = chunk.subarray(at, Math.min(at + PIECE, last));
      bytes.set(piece, room);
      if (at === 0) view.setBigUint64(room, view.getBigUint64(room, true) ^ register, true);
      run(0, piece.length);
      bytes.copyWithin(0, piece.length, piece.length + room);
    }
    bytes.set(chunk.subarray(last, length), room);
    for (const distance of distances) {
      const count = (distance * BLOCK) / 4;
      const to = room / 4;
      for (let i = 0; i < count; i += 1) words[to + i]! ^= words[to + i - count]!;
    }
    return { remainder: bytes.subarray(room, 2 * room), length };
  };
}

/** Adds to each block, from `start` to `end` behind the quotient, the blocks before it. */
function loop(distances: readonly number[], room: number): number[] {
  const START = 0;
  const STOP = 1;
  const load = (offset: number) => [GET, START, ...V128_LOAD, ...unsigned(offset)];
  return [
    [LOOP, VOID, GET, START, ...load(room)],
    ...distances.map((distance) => [...load(room - distance * BLOCK), ...V128_XOR]),
    [...V128_STORE, ...unsigned(room)],
    [GET, START, I32_CONST, ...signed(BLOCK), I32_ADD, TEE, START, GET, STOP, I32_LT_U, BR_IF, 0],
    [END],
  ].flat();
}
