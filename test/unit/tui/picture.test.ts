import { crc32, deflateSync } from "node:zlib";

import fc from "fast-check";
import { encode as encodeJpeg } from "jpeg-js";
import { GifWriter } from "omggif";
import { describe, expect, it } from "vitest";

import { windowOf } from "../../../src/tui/pages/preview/window.js";
import { decodePicture } from "../../../src/tui/picture/decode.js";
import { pictureProtocol } from "../../../src/tui/picture/protocol.js";
import { createPictures } from "../../../src/tui/terminal/pictures.js";
import { type Row, gap } from "../../../src/tui/view/rows.js";
import { upright } from "../../../src/tui/picture/orientation.js";
import { decodePng } from "../../../src/tui/picture/png.js";

interface Shape {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly interlaced?: boolean;
}

/** Writes a PNG from lines that begin with their filter. */
function png(
  { width, height, depth, type, interlaced = false }: Shape,
  raw: Buffer,
  more: [string, Buffer][] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = type;
  header[12] = interlaced ? 1 : 0;
  const parts: [string, Buffer][] = [
    ["IHDR", header],
    ...more,
    ["IDAT", deflateSync(raw)],
    ["IEND", Buffer.alloc(0)],
  ];
  const chunks = parts.map(([name, body]) => {
    const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
    const frame = Buffer.alloc(8 + named.length);
    frame.writeUInt32BE(body.length, 0);
    named.copy(frame, 4);
    frame.writeUInt32BE(crc32(named), 4 + named.length);
    return frame;
  });
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]);
}

/** Applies a PNG filter to RGBA lines, the other way round than the decoder. */
function filtered(pixels: Buffer, width: number, filters: readonly number[]): Buffer {
  const stride = width * 4;
  const at = (y: number, x: number) => (y < 0 || x < 0 ? 0 : pixels[y * stride + x]!);
  const lines = filters.map((filter, y) => {
    const line = Buffer.alloc(stride + 1);
    line[0] = filter;
    for (let x = 0; x < stride; x++) {
      const [left, up, corner] = [at(y, x - 4), at(y - 1, x), x < 4 ? 0 : at(y - 1, x - 4)];
      const guess = left + up - corner;
      const nearest = [left, up, corner].reduce((best, value) =>
        Math.abs(guess - value) < Math.abs(guess - best) ? value : best,
      );
      line[x + 1] = at(y, x) - [0, left, up, (left + up) >> 1, nearest][filter]!;
    }
    return line;
  });
  return Buffer.concat(lines);
}

describe("PNG pictures", () => {
  it("are read pixel for pixel, whatever filters their lines use", () => {
    const picture = fc.record({
      width: fc.integer({ min: 1, max: 6 }),
      filters: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 }),
      seed: fc.uint8Array({ minLength: 144, maxLength: 144 }),
    });
    fc.assert(
      fc.property(picture, ({ width, filters, seed }) => {
        const height = filters.length;
        const pixels = Buffer.from(seed.subarray(0, width * height * 4));
        const bytes = png({ width, height, depth: 8, type: 6 }, filtered(pixels, width, filters));
        expect(Buffer.from(decodePng(bytes, 100).rgba)).toEqual(pixels);
      }),
    );
  });

  it("may have a palette, few bits, or gray", () => {
    const palette: [string, Buffer] = ["PLTE", Buffer.from([255, 0, 0, 0, 0, 255])];
    const shape = { width: 2, height: 1, depth: 1, type: 3 };
    const two = decodePng(png(shape, Buffer.from([0, 0b01000000]), [palette]), 10);
    expect([...two.rgba]).toEqual([255, 0, 0, 255, 0, 0, 255, 255]);
    const gray = decodePng(png({ ...shape, depth: 4, type: 0 }, Buffer.from([0, 0xf0])), 10);
    expect([...gray.rgba]).toEqual([255, 255, 255, 255, 0, 0, 0, 255]);
  });

  it("may be interlaced, also where some of the seven passes are empty", () => {
    const places = Array.from({ length: 64 }, (_, at) => [at % 8, at >> 3] as const);
    const passOf = (x: number, y: number) => {
      if (y % 2 === 1) return 7;
      if (x % 2 === 1) return 6;
      if (y % 4 === 2) return 5;
      if (x % 4 === 2) return 4;
      if (y % 8 === 4) return 3;
      return x % 8 === 4 ? 2 : 1;
    };
    for (const [width, height] of places.map(([x, y]) => [x + 1, y + 1] as const)) {
      const pixels = Buffer.from(Array.from({ length: width * height * 4 }, (_, at) => at % 251));
      const lines: Buffer[] = [];
      for (let pass = 1; pass <= 7; pass++) {
        for (let y = 0; y < height; y++) {
          const line = Array.from({ length: width }, (_, x) => x)
            .filter((x) => passOf(x, y) === pass)
            .map((x) => pixels.subarray((y * width + x) * 4, (y * width + x + 1) * 4));
          if (line.length > 0) lines.push(Buffer.from([0]), ...line);
        }
      }
      const shape = { width, height, depth: 8, type: 6, interlaced: true };
      expect(Buffer.from(decodePng(png(shape, Buffer.concat(lines)), 64).rgba)).toEqual(pixels);
    }
  });

  it("that are too large or broken are refused", () => {
    const shape = { width: 2, height: 2, depth: 8, type: 2 };
    const good = png(shape, Buffer.alloc(14));
    expect(() => decodePng(good, 3)).toThrow("too large");
    expect(() => decodePng(good.subarray(0, 40), 100)).toThrow();
    expect(() =>
      decodePng(png({ ...shape, width: 0xffffffff, height: 1 }, Buffer.alloc(1)), 1e9),
    ).toThrow();
  });
});

describe("a photograph", () => {
  // Two columns of three rows, by one number a pixel.
  const seen = [
    "ab cd ef",
    "ba dc fe",
    "fe dc ba",
    "ef cd ab",
    "ace bdf",
    "eca fdb",
    "fdb eca",
    "bdf ace",
  ];

  it.each(seen.map((rows, index) => [index + 1, rows] as const))(
    "with the orientation %i of its camera is shown as %s",
    (orientation, rows) => {
      const rgba = Uint8Array.from(
        [...Buffer.from("abcdef")].flatMap((pixel) => [pixel, 0, 0, 255]),
      );
      for (const little of [true, false]) {
        const tiff = Buffer.alloc(22);
        tiff.write(little ? "II" : "MM", "latin1");
        const short = (value: number, at: number) =>
          little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
        if (little) tiff.writeUInt32LE(8, 4);
        else tiff.writeUInt32BE(8, 4);
        short(1, 8);
        short(0x0112, 10);
        short(orientation, 18);
        const {
          width,
          height,
          rgba: turned,
        } = upright({ width: 2, height: 3, rgba }, Buffer.concat([Buffer.alloc(1), tiff]));
        const text = Array.from({ length: width * height }, (_, at) => turned[at * 4]!);
        const lines = Array.from({ length: height }, (_, y) =>
          String.fromCharCode(...text.slice(y * width, (y + 1) * width)),
        );
        expect(lines.join(" ")).toBe(rows);
      }
    },
  );

  it("whose Exif data is cut or strange is shown as it is", () => {
    const pixels = { width: 1, height: 1, rgba: new Uint8Array(4) };
    for (const exif of ["", "\0", "\0II*\0\xff\xff\xff\xff", "\0MM\0*\0\0\0\x08\0\x01\x01"])
      expect(upright(pixels, Buffer.from(exif, "latin1"))).toEqual(pixels);
  });
});

describe("a GIF", () => {
  it("is shown by its first picture", () => {
    const bytes = Buffer.alloc(200);
    const writer = new GifWriter(bytes, 2, 2, { palette: [0xff0000, 0x0000ff] });
    writer.addFrame(0, 0, 2, 2, [0, 1, 1, 0]);
    writer.addFrame(0, 0, 2, 2, [1, 1, 1, 1]);
    const gif = bytes.subarray(0, writer.end());
    const { rgb, label } = decodePicture(gif, { columns: 2, rows: 1, drawn: false });
    expect(label).toBe("GIF 2×2");
    expect([...rgb]).toEqual([255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 0, 0]);
    const wide = Buffer.from(gif);
    wide.writeUInt16LE(0xffff, 6);
    wide.writeUInt16LE(0xffff, 8);
    expect(() => decodePicture(wide, { columns: 2, rows: 1, drawn: false })).toThrow("too large");
  });
});

describe("a picture that the terminal draws", () => {
  const data = Buffer.alloc(64 * 32 * 4, 200);
  const jpeg = Buffer.from(encodeJpeg({ width: 64, height: 32, data }, 90).data);
  const { cells } = decodePicture(jpeg, { columns: 4, rows: 9, drawn: true });
  const row: Row = [gap(3), { ...gap(4), picture: cells! }];

  it("is a PNG of the same colors, by the cells it takes", () => {
    expect([cells?.columns, cells?.rows]).toEqual([4, 1]);
    const { width, height, rgba } = decodePng(Buffer.from(cells!.png), 1e6);
    expect([width, height]).toEqual([40, 20]);
    expect(rgba.every((value, at) => at % 4 === 3 || Math.abs(value - 200) < 8)).toBe(true);
    const large = Buffer.alloc(1100 * 1000 * 4, 9);
    const big = Buffer.from(encodeJpeg({ width: 1100, height: 1000, data: large }, 50).data);
    const sent = decodePicture(big, { columns: 400, rows: 200, drawn: true });
    expect(sent.width * sent.height).toBeLessThanOrEqual(1_000_000);
  });

  it("is written once in base64, and taken away before anything else is there", () => {
    for (const protocol of ["kitty", "iterm2"] as const) {
      const written: string[] = [];
      let repaints = 0;
      const pictures = createPictures(
        protocol,
        (text) => written.push(text),
        () => repaints++,
      );
      const frame = (rows: readonly Row[]) => {
        pictures.clear(rows);
        pictures.show(rows);
      };
      frame([[], row]);
      frame([[], row]);
      expect(written).toHaveLength(1);
      expect(written[0]!.startsWith("\u001B[2;4H")).toBe(true);
      const sequences = written[0]!
        .slice(6)
        .split(/\u001B\\|\u0007/)
        .filter(Boolean);
      for (const sequence of sequences) {
        expect(sequence).toMatch(/^\u001B(?:_G|\]1337;File=)[\w=,;]+[;:][\w+/]+=*$/);
        expect(sequence.length).toBeLessThan(protocol === "kitty" ? 4200 : 10_000);
      }
      frame([row]);
      expect(repaints + written.filter((text) => text.includes("a=d")).length).toBe(1);
      expect(written.at(-1)!.startsWith("\u001B[1;4H")).toBe(true);
      pictures.forget();
      pictures.forget();
      expect(repaints + written.filter((text) => text.includes("a=d")).length).toBe(2);
    }
  });

  it("goes to terminals that are known to draw it, and through none that divide one", () => {
    const table = [
      [{ TERM: "xterm-kitty" }, "kitty"],
      [{ TERM: "xterm-256color", KITTY_WINDOW_ID: "1" }, "kitty"],
      [{ TERM_PROGRAM: "ghostty" }, "kitty"],
      [{ TERM_PROGRAM: "iTerm.app" }, "iterm2"],
      [{ TERM_PROGRAM: "WezTerm" }, "iterm2"],
      [{ TERM: "xterm-256color", LC_TERMINAL: "iTerm2" }, "iterm2"],
      [{ TERM: "xterm-kitty", TMUX: "/tmp/x" }, undefined],
      [{ TERM: "screen", LC_TERMINAL: "iTerm2" }, undefined],
      [{ TERM: "xterm-256color" }, undefined],
    ] as const;
    for (const [env, protocol] of table) expect(pictureProtocol(env)).toBe(protocol);
  });
});

describe("a picture in cells", () => {
  it("keeps its proportions and is never enlarged", () => {
    const data = Buffer.alloc(64 * 32 * 4, 200);
    const jpeg = encodeJpeg({ width: 64, height: 32, data }, 90).data;
    const small = decodePicture(Buffer.from(jpeg), { columns: 16, rows: 40, drawn: false });
    expect([small.width, small.height, small.label]).toEqual([16, 8, "JPEG 64×32"]);
    expect(small.rgb.every((value) => Math.abs(value - 200) < 8)).toBe(true);
    expect(decodePicture(Buffer.from(jpeg), { columns: 500, rows: 500, drawn: false }).width).toBe(
      64,
    );
  });
});

describe("a window of an object", () => {
  const text = "añ日本👍\nsecond line\r\nthird";

  it("is text wherever it is cut, and ends after a whole line when more follows", () => {
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start++) {
      const window = windowOf(bytes.subarray(start), start, { size: bytes.length });
      expect(window.type).toBe("text");
    }
    const begun = windowOf(bytes.subarray(0, 20), 0, { size: bytes.length });
    expect(begun).toMatchObject({ type: "text", lines: ["añ日本👍"], end: 14 });
  });

  it("is bytes when it is not text", () => {
    expect(windowOf(Buffer.from([1, 0, 2]), 0, { size: 3 }).type).toBe("bytes");
    expect(windowOf(Buffer.from([0x61, 0xff, 0x61, 0x61, 0x61, 0x61]), 0, { size: 6 }).type).toBe(
      "bytes",
    );
  });
});
