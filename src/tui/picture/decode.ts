/** From the bytes of a PNG, a JPEG or a GIF to a picture in cells. */
import { type UintArrRet, decode as decodeJpeg } from "jpeg-js";
import { GifReader } from "omggif";

import { encodePng } from "./encode.js";
import { pictureKind } from "./kind.js";
import { upright } from "./orientation.js";
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
  const pixels =
    kind === "png" ? decodePng(bytes, PIXELS) : kind === "gif" ? gif(bytes) : jpeg(bytes);
  const label = kind?.toUpperCase() ?? "";
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

/** The first picture of an animation. */
function gif(bytes: Buffer): Pixels {
  const reader = new GifReader(bytes);
  const { width, height } = reader;
  const first = reader.frameInfo(0);
  if (Math.max(width * height, first.width * first.height) > PIXELS) throw new Error("too large");
  const rgba = new Uint8Array(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, rgba as Buffer);
  return { width, height, rgba };
}

function jpeg(bytes: Buffer): Pixels {
  const options = {
    useTArray: true,
    maxResolutionInMP: PIXELS / 1_000_000,
    maxMemoryUsageInMB: MEMORY,
  } as const;
  // Its types leave out the Exif data that it returns.
  const found: UintArrRet & { exifBuffer?: Uint8Array } = decodeJpeg(bytes, options);
  return upright({ width: found.width, height: found.height, rgba: found.data }, found.exifBuffer);
}
