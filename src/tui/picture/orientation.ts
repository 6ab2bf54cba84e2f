/** Turns a photograph as its camera was held: https://www.cipa.jp/std/documents/e/DC-008-2012_E.pdf, 4.6.4. */
import type { Pixels } from "./png.js";

const ORIENTATION = 0x0112;

/** The picture as it is meant to be seen. */
export function upright({ width, height, rgba }: Pixels, exif?: Uint8Array): Pixels {
  const orientation = exif === undefined ? 1 : orientationOf(Buffer.from(exif));
  if (orientation < 2 || orientation > 8) return { width, height, rgba };
  // From 5 on, rows are columns; the others are only mirrored, in one direction or in both.
  const turned = orientation > 4;
  const [across, down] = turned ? [height, width] : [width, height];
  const mirrored = [2, 3, 7, 8].includes(orientation);
  const upsideDown = [3, 4, 6, 7].includes(orientation);
  const from = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      const [column, row] = turned ? [y, x] : [x, y];
      const left = mirrored ? width - 1 - column : column;
      const top = upsideDown ? height - 1 - row : row;
      to[y * across + x] = from[top * width + left]!;
    }
  }
  return { width: across, height: down, rgba: new Uint8Array(to.buffer) };
}

/** The number that the first directory of the data has for it; 1 where it has none. */
function orientationOf(exif: Buffer): number {
  // The name of the segment ends with a zero, which is there still.
  const tiff = exif.subarray(1);
  const little = tiff.toString("latin1", 0, 2) === "II";
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  if (tiff.length < 8) return 1;
  let at = (little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)) + 2;
  for (; at + 12 <= tiff.length; at += 12) if (short(at) === ORIENTATION) return short(at + 8);
  return 1;
}
