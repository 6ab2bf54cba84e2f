/** A picture in cells: drawn by the terminal, or in half blocks, two pixels a cell. */
import type { Picture } from "../picture/scale.js";
import type { Look } from "../theme.js";
import { type Row, gap, span } from "./rows.js";

/** Cells of a picture, in the middle; colors are set on the spans themselves. */
export function pictureRows(look: Look, picture: Picture, width: number, room: number): Row[] {
  const { cells } = picture;
  if (cells === undefined && (look.theme === "mono" || look.ascii)) {
    return [[], [gap(3), span("A picture takes colors and Unicode, which are off.", "dim")]];
  }
  const [wide, high] = [
    cells?.columns ?? picture.width,
    cells?.rows ?? Math.ceil(picture.height / 2),
  ];
  const left = gap(Math.max(0, Math.floor((width - wide) / 2)));
  const above = Math.max(0, Math.floor((room - high) / 2));
  const rows: Row[] = Array.from({ length: above }, () => []);
  if (cells !== undefined) return [...rows, [left, { ...gap(wide), picture: cells }]];
  for (let row = 0; row < high; row++) {
    rows.push([
      left,
      ...Array.from({ length: wide }, (_, x) => ({
        text: "▀",
        pixels: [colorAt(picture, x, row * 2), colorAt(picture, x, row * 2 + 1)] as const,
      })),
    ]);
  }
  return rows;
}

function colorAt({ width, height, rgb }: Picture, x: number, y: number): string {
  const at = (Math.min(y, height - 1) * width + x) * 3;
  return `#${Buffer.from(rgb.subarray(at, at + 3)).toString("hex")}`;
}
