/** A picture in half blocks: every cell shows two pixels, one above the other. */
import type { Picture } from "../picture/scale.js";
import type { Look } from "../theme.js";
import { type Row, gap, span } from "./rows.js";

/** Cells of a picture, centered; colors are set on the spans themselves. */
export function pictureRows(look: Look, picture: Picture, width: number, room: number): Row[] {
  if (look.theme === "mono" || look.ascii) {
    return [[], [gap(3), span("A picture takes colors and Unicode, which are off.", "dim")]];
  }
  const left = Math.max(0, Math.floor((width - picture.width) / 2));
  const height = Math.ceil(picture.height / 2);
  const above = Math.max(0, Math.floor((room - height) / 2));
  const rows: Row[] = Array.from({ length: above }, () => []);
  for (let row = 0; row < height; row++) {
    rows.push([
      gap(left),
      ...Array.from({ length: picture.width }, (_, x) => ({
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
