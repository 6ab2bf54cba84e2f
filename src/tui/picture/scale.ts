/** Makes a picture small enough for a terminal. */
import type { CellPicture } from "./protocol.js";
import type { Pixels } from "./png.js";

/** A picture as RGB bytes, three a pixel. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
  /** As `PNG 640×480`. */
  readonly label: string;
  /** For a terminal that draws pictures itself; there are no RGB bytes then. */
  readonly cells?: CellPicture | undefined;
}

/**
 * The picture within `columns` cells by `rows` rows of two pixels each, its proportions kept and
 * never enlarged. Each pixel is the mean of those it stands for, on black where it is transparent.
 */
export function scale(pixels: Pixels, columns: number, rows: number, label: string): Picture {
  const factor = Math.max(1, pixels.width / columns, pixels.height / (rows * 2));
  const width = Math.max(1, Math.floor(pixels.width / factor));
  const height = Math.max(1, Math.floor(pixels.height / factor));
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      rgb.set(mean(pixels, x * factor, y * factor, factor), (y * width + x) * 3);
  }
  return { width, height, rgb, label: `${label} ${pixels.width}×${pixels.height}` };
}

function mean({ width, height, rgba }: Pixels, left: number, top: number, size: number) {
  const [right, bottom] = [
    Math.min(width, Math.ceil(left + size)),
    Math.min(height, Math.ceil(top + size)),
  ];
  const sum = [0, 0, 0];
  let count = 0;
  for (let y = Math.floor(top); y < bottom; y++) {
    for (let x = Math.floor(left); x < right; x++) {
      const at = (y * width + x) * 4;
      const alpha = rgba[at + 3]! / 255;
      for (let channel = 0; channel < 3; channel++) sum[channel]! += rgba[at + channel]! * alpha;
      count++;
    }
  }
  return sum.map((total) => total / count);
}
