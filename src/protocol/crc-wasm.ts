/**
 * Reflected CRCs of up to 64 bits at memory speed: slicing-by-16 in WebAssembly.
 *
 * JavaScript has no 64-bit integers that are fast, and its table-driven CRCs stop at 200-400 MB/s;
 * the same loop in WebAssembly passes 1 GB/s. The module below is assembled here, byte by byte,
 * rather than shipped as a blob, so that it can be read. A 32-bit CRC is computed by the same code:
 * a reflected CRC's register sits at the low end, and the high half stays zero.
 */

const TABLES = 16;
const TABLE_BYTES = 256 * 8;
/** Input is copied to the second 64 KiB page; the tables fill half of the first. */
const INPUT_OFFSET = 65_536;
const INPUT_SIZE = 65_536;

/** Continues a CRC register over a chunk; the caller applies the initial and final inversion. */
export type CrcUpdate = (register: bigint, chunk: Uint8Array) => bigint;

interface CrcExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: (register: bigint, start: number, end: number) => bigint;
}

// The WebAssembly API as far as it is used here; the DOM library that declares it is not loaded.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
};

/** Makes the update function of a polynomial, given in reflected (least significant first) form. */
export function createCrc(polynomial: bigint): CrcUpdate {
  const { memory, run } = instantiate(2, [I64, I32, I32], [I64], body(), [1, 2, I64]) as CrcExports;
  fillTables(new BigUint64Array(memory.buffer, 0, TABLES * 256), polynomial);
  const input = new Uint8Array(memory.buffer, INPUT_OFFSET, INPUT_SIZE);

  return (register, chunk) => {
    for (let offset = 0; offset < chunk.length; offset += INPUT_SIZE) {
      const piece = chunk.subarray(offset, offset + INPUT_SIZE);
      input.set(piece);
      register = run(register, INPUT_OFFSET, INPUT_OFFSET + piece.length);
    }
    return BigInt.asUintN(64, register);
  };
}

/** Table k advances a byte's contribution over k further zero bytes. */
function fillTables(tables: BigUint64Array, polynomial: bigint): void {
  for (let byte = 0; byte < 256; byte++) {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) value = (value & 1n ? polynomial : 0n) ^ (value >> 1n);
    tables[byte] = value;
  }
  for (let index = 256; index < TABLES * 256; index++) {
    const previous = tables[index - 256]!;
    tables[index] = tables[Number(previous & 0xffn)]! ^ (previous >> 8n);
  }
}

// Opcodes and types of https://webassembly.github.io/spec/core/binary/.
export const I32 = 0x7f;
const I64 = 0x7e;
const BLOCK = 0x02;
export const LOOP = 0x03;
export const VOID = 0x40;
export const END = 0x0b;
const BR = 0x0c;
export const BR_IF = 0x0d;
export const GET = 0x20;
const SET = 0x21;
export const TEE = 0x22;
const I64_LOAD = 0x29;
const I64_LOAD8_U = 0x31;
export const I32_CONST = 0x41;
const I64_CONST = 0x42;
export const I32_LT_U = 0x49;
const I32_GE_U = 0x4f;
export const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const I64_AND = 0x83;
const I64_XOR = 0x85;
const I64_SHL = 0x86;
const I64_SHR_U = 0x88;
const I32_WRAP_I64 = 0xa7;

// Parameters and locals of the one function.
const REGISTER = 0;
const START = 1;
const STOP = 2;
const LOW = 3;
const HIGH = 4;

/**
 * The exports of a module that has so many pages of `memory` and one function, `run`. `locals` are as in
 * the binary format.
 */
export function instantiate(
  pages: number,
  parameters: readonly number[],
  results: readonly number[],
  code: readonly number[],
  locals: readonly number[] = [0],
): unknown {
  const bytes = Uint8Array.from(
    [
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, [1, 0x60, ...sized(parameters), ...sized(results)]),
      section(3, [1, 0]),
      section(5, [1, 0x00, pages]),
      section(7, [2, ...name("memory"), 2, 0, ...name("run"), 0, 0]),
      section(10, [1, ...sized([...locals, ...code, END])]),
    ].flat(),
  );
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

function body(): number[] {
  return [
    [BLOCK, VOID, LOOP, VOID],
    // Fewer than 16 bytes left: leave the loop.
    [GET, STOP, GET, START, I32_SUB, I32_CONST, 16, I32_LT_U, BR_IF, 1],
    [GET, START, I64_LOAD, 0, 0, GET, REGISTER, I64_XOR, SET, LOW],
    [GET, START, I64_LOAD, 0, 8, SET, HIGH],
    ...Array.from({ length: TABLES }, (_, byte) => lookup(byte)),
    [SET, REGISTER, ...advance(16), BR, 0],
    [END, END],

    // The tail, a byte at a time.
    [BLOCK, VOID, LOOP, VOID],
    [GET, START, GET, STOP, I32_GE_U, BR_IF, 1],
    [GET, REGISTER, GET, START, I64_LOAD8_U, 0, 0, I64_XOR, SET, LOW],
    [...entry(LOW, 0, 0), GET, REGISTER, I64_CONST, 8, I64_SHR_U, I64_XOR],
    [SET, REGISTER, ...advance(1), BR, 0],
    [END, END],
    [GET, REGISTER],
  ].flat();
}

/** Looks up byte `byte` of the 16 and folds it into the value on the stack. */
function lookup(byte: number): number[] {
  const load = entry(byte < 8 ? LOW : HIGH, byte % 8, TABLES - 1 - byte);
  return byte === 0 ? load : [...load, I64_XOR];
}

/** Pushes `table[(word >> 8 * byte) & 255]`; the shift leaves the index scaled by 8 already. */
function entry(word: number, byte: number, table: number): number[] {
  const shift = byte === 0 ? [I64_CONST, 3, I64_SHL] : [I64_CONST, byte * 8 - 3, I64_SHR_U];
  const mask = [I64_CONST, ...signed(0x7f8), I64_AND, I32_WRAP_I64];
  return [GET, word, ...shift, ...mask, I64_LOAD, 3, ...unsigned(table * TABLE_BYTES)];
}

function advance(count: number): number[] {
  return [GET, START, I32_CONST, count, I32_ADD, SET, START];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): number[] {
  return [...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)]);
}

/** LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

/** LEB128 with room for a sign bit, as constants have it; for values of at least 0. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 0x3f; value >>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}
