/** From the bytes of a PNG or a JPEG to a picture in cells. */
import { decode as decodeJpeg } from "jpeg-js";

import { encodePng } from "./encode.js";
import { pictureKind } from "./kind.js";
import { type Pixels, decodePng } from "./png.js";
import { type Picture, scale } from "./scale.js";

/** Pixels a picture may have: 40 megapixels are what cameras make. */
const PIXELS = 40_000_000;
/** Megabytes the JPEG decoder may use. */
const MEMORY = 512;
/** Pixels that a terminal is sent at most: with three bytes each, what a slow line bears. */
const SENT = 1_000_000;

/** Cells there are for a picture; with `drawn`, the terminal draws it itself. */
export interface PictureRoom {
  readonly columns: number;
  readonly rows: number;
  readonly drawn: boolean;
}

/** The picture within so many cells. Throws when it is broken or too large. */
export function decodePicture(bytes: Buffer, { columns, rows, drawn }: PictureRoom): Picture {
  const kind = pictureKind(bytes);
  const pixels = kind === "png" ? decodePng(bytes, PIXELS) : jpeg(bytes);
  const label = kind === "png" ? "PNG" : "JPEG";
  if (!drawn) return scale(pixels, columns, rows, label);
  // A cell is about twice as high as wide; the terminal stretches what it is given to the cells.
  const cell = Math.max(1, Math.min(10, Math.floor(Math.sqrt(SENT / (columns * rows * 2)))));
  const { width, height, rgb, ...picture } = scale(pixels, columns * cell, rows * cell, label);
  const cells = {
    png: encodePng(width, height, rgb),
    columns: Math.ceil(width / cell),
    rows: Math.ceil(height / cell / 2),
  };
  return { ...picture, width, height, rgb: new Uint8Array(0), cells };
}

function jpeg(bytes: Buffer): Pixels {
  const { width, height, data } = decodeJpeg(bytes, {
    useTArray: true,
    maxResolutionInMP: PIXELS / 1_000_000,
    maxMemoryUsageInMB: MEMORY,
  });
  return { width, height, rgba: data };
}
