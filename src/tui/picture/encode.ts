/** Writes PNG pictures: https://www.w3.org/TR/png-3/. */
import { crc32, deflateSync } from "node:zlib";

import { PNG_SIGNATURE } from "./kind.js";

/** A PNG of RGB bytes, three a pixel. */
export function encodePng(width: number, height: number, rgb: Uint8Array): Buffer {
  const stride = width * 3;
  const lines = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const at = y * (stride + 1);
    // Each sample as its difference from the one to its left, which packs well.
    lines[at] = 1;
    for (let x = 0; x < stride; x++) {
      lines[at + 1 + x] = rgb[y * stride + x]! - (x < 3 ? 0 : rgb[y * stride + x - 3]!);
    }
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(lines)), chunk("IEND")];
  return Buffer.concat([PNG_SIGNATURE, ...parts]);
}

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
