/** Reads PNG pictures: https://www.w3.org/TR/png-3/. */
import { inflateSync } from "node:zlib";

import { PNG_SIGNATURE } from "./kind.js";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly rgba: Uint8Array;
}

/** Samples a pixel has, by color type (section 11.2.1). */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The one pass of most pictures, and the seven of an interlaced one: first column and row, and steps (section 8.1). */
const WHOLE = [[0, 0, 1, 1]] as const;
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Decodes a picture of at most `limit` pixels. Throws when it is larger or broken. */
export function decodePng(bytes: Buffer, limit: number): Pixels {
  const { header, palette, transparency, data } = chunks(bytes);
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const depth = header[8]!;
  const type = header[9]!;
  const channels = CHANNELS[type];
  if (width * height > limit || width === 0 || height === 0) throw new Error("too large");
  if (channels === undefined) throw new Error("not a kind of PNG that is read");

  const passes = (header[12] === 1 ? ADAM7 : WHOLE).flatMap(([left, top, across, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)];
    const stride = Math.ceil((columns * channels * depth) / 8);
    return columns > 0 && rows > 0 ? [{ left, top, across, down, columns, rows, stride }] : [];
  });
  const length = passes.reduce((sum, { stride, rows }) => sum + (stride + 1) * rows, 0);
  const raw = inflateSync(Buffer.concat(data), { maxOutputLength: length });
  const step = Math.max(1, (channels * depth) >> 3);
  const rgba = new Uint8Array(width * height * 4);
  let at = 0;
  for (const { left, top, across, down, columns, rows, stride } of passes) {
    let above = new Uint8Array(stride);
    for (let row = 0; row < rows; row++, at += stride + 1) {
      const line = unfilter(raw[at]!, raw.subarray(at + 1, at + 1 + stride), above, step);
      for (let column = 0; column < columns; column++) {
        const sample = (channel: number) => sampleAt(line, column * channels + channel, depth);
        const pixel = (top + row * down) * width + left + column * across;
        rgba.set(color(type, sample, depth, palette, transparency), pixel * 4);
      }
      above = line;
    }
  }
  return { width, height, rgba };
}

function chunks(bytes: Buffer) {
  const found = {
    header: Buffer.alloc(0) as Buffer,
    palette: Buffer.alloc(0) as Buffer,
    transparency: Buffer.alloc(0) as Buffer,
    data: [] as Buffer[],
  };
  for (let at = PNG_SIGNATURE.length; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString("latin1", at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") found.header = body;
    else if (name === "PLTE") found.palette = body;
    else if (name === "tRNS") found.transparency = body;
    else if (name === "IDAT") found.data.push(body);
    else if (name === "IEND") break;
    at += length + 12;
  }
  if (found.header.length < 13) throw new Error("a PNG without a header");
  return found;
}

/** Undoes the filter of one line (section 9.2). */
function unfilter(
  filter: number,
  line: Uint8Array,
  above: Uint8Array,
  step: number,
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(line.length);
  for (let index = 0; index < line.length; index++) {
    const left = index >= step ? out[index - step]! : 0;
    const up = above[index]!;
    const corner = index >= step ? above[index - step]! : 0;
    out[index] = line[index]! + predict(filter, left, up, corner);
  }
  return out;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default:
      return 0;
  }
}

/** One sample; of 16 bits the upper eight. */
function sampleAt(line: Uint8Array, index: number, depth: number): number {
  if (depth === 8) return line[index]!;
  if (depth === 16) return line[index * 2]!;
  const bit = index * depth;
  return (line[bit >> 3]! >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
}

function color(
  type: number,
  sample: (channel: number) => number,
  depth: number,
  palette: Uint8Array,
  transparency: Uint8Array,
): readonly [number, number, number, number] {
  if (type === 3) {
    const entry = sample(0);
    const [red = 0, green = 0, blue = 0] = palette.subarray(entry * 3, entry * 3 + 3);
    return [red, green, blue, transparency[entry] ?? 255];
  }
  if (type === 0 || type === 4) {
    const gray = depth < 8 ? (sample(0) * 255) / ((1 << depth) - 1) : sample(0);
    return [gray, gray, gray, type === 4 ? sample(1) : 255];
  }
  return [sample(0), sample(1), sample(2), type === 6 ? sample(3) : 255];
}
