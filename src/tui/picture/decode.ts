/** From the bytes of a PNG or a JPEG to a picture in cells. */
import { decode as decodeJpeg } from "jpeg-js";

import { pictureKind } from "./kind.js";
import { decodePng } from "./png.js";
import { type Picture, scale } from "./scale.js";

/** Pixels a picture may have: 40 megapixels are what cameras make. */
const PIXELS = 40_000_000;
/** Megabytes the JPEG decoder may use. */
const MEMORY = 512;

/** The picture within so many cells. Throws when it is broken or too large. */
export function decodePicture(bytes: Buffer, columns: number, rows: number): Picture {
  if (pictureKind(bytes) === "png") return scale(decodePng(bytes, PIXELS), columns, rows, "PNG");
  const { width, height, data } = decodeJpeg(bytes, {
    useTArray: true,
    maxResolutionInMP: PIXELS / 1_000_000,
    maxMemoryUsageInMB: MEMORY,
  });
  return scale({ width, height, rgba: data }, columns, rows, "JPEG");
}
