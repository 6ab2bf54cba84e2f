import xterm from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { clipboardSequence } from "../../../src/tui/terminal/clipboard.js";
import { lookOf } from "../../../src/tui/terminal/environment.js";
import { createFrameSink } from "../../../src/tui/terminal/frame-sink.js";
import { createInputParser } from "../../../src/tui/terminal/input.js";
import { findShift } from "../../../src/tui/terminal/shift.js";

const ROWS = 12;
const COLUMNS = 20;

/** A terminal and a sink that paints plain lines on it. */
function painted() {
  const term = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const written: string[] = [];
  const sink = createFrameSink(
    (data) => written.push(data),
    () => COLUMNS,
  );
  return {
    sink,
    written,
    paint: (lines: readonly string[]) => sink.paint(lines),
    screen: async () => {
      await new Promise<void>((resolve) => term.write(written.join(""), resolve));
      written.length = 0;
      return Array.from({ length: ROWS }, (_, row) =>
        term.buffer.active.getLine(row)!.translateToString(true),
      );
    },
  };
}

const numbered = (from: number) => Array.from({ length: ROWS }, (_, row) => `line ${from + row}`);

describe("the frame sink", () => {
  it("shows exactly the frame it was given, whatever frames came before", async () => {
    const line = fc.constantFrom(
      "",
      "a",
      "bb",
      "ccc",
      "─".repeat(COLUMNS),
      "日本",
      "e\u0301",
      "x👨‍👩‍👧y",
    );
    const frame = fc.array(line, { minLength: ROWS, maxLength: ROWS });
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 6 }), async (frames) => {
        const { paint, screen } = painted();
        for (const each of frames) paint(each);
        const shown = await screen();
        // A terminal may draw a family of emoji as one of them; what follows must be in its place.
        const plain = (lines: readonly string[]) =>
          lines.map((text) => text.replace(/^x.*y$/u, "x family y"));
        expect(plain(shown)).toEqual(plain(frames.at(-1)!));
      }),
      { numRuns: 60 },
    );
  });

  it("writes nothing for a frame that is on the screen already", () => {
    const { paint, written } = painted();
    paint(numbered(0));
    written.length = 0;
    paint(numbered(0));
    expect(written).toEqual([]);
  });

  it("writes only the lines that changed", () => {
    const { sink, written } = painted();
    sink.paint(numbered(0));
    written.length = 0;
    sink.paint(numbered(0).map((line, row) => (row === 5 ? "changed" : line)));
    expect(written).toEqual(["\u001B[?2026h\u001B[6;1H\u001B[2Kchanged\u001B[?2026l"]);
  });

  it("lets the terminal move lines that moved together", async () => {
    const { paint, screen, written } = painted();
    paint(["head", ...numbered(0).slice(0, 10), "foot"]);
    await screen();
    const scrolled = ["head", ...numbered(1).slice(0, 10), "foot"];
    paint(scrolled);
    expect(written.join("")).toContain("\u001B[2;11r\u001B[1S\u001B[r");
    expect(written.join("")).not.toContain("line 5");
    expect(await screen()).toEqual(scrolled);
  });

  it("paints everything anew after it was told to forget", () => {
    const { sink, paint, written } = painted();
    paint(numbered(0));
    written.length = 0;
    sink.invalidate();
    paint(numbered(0));
    expect(written.join("")).toContain("\u001B[2J");
    expect(written.join("")).toContain("line 11");
  });

  it("keeps what follows a character of disputed width in its column", async () => {
    const { paint, screen } = painted();
    paint(["👨‍👩‍👧‍👦|", ...numbered(1).slice(1)]);
    const [first] = await screen();
    // The sink measures the family as two cells, so the bar stands in the third.
    expect(first!.endsWith("|")).toBe(true);
    expect(first).not.toContain("👦");
  });
});

describe("a shift", () => {
  it("is not seen where scrolling would save too little", () => {
    expect(findShift(["a", "b", "c"], ["b", "c", "d"])).toBeUndefined();
  });

  it("is found in both directions, within its region only", () => {
    const before = ["head", ...numbered(0), "foot"];
    const down = ["head", ...numbered(3), "foot"];
    expect(findShift(before, down)).toEqual({ top: 1, bottom: 12, by: 3 });
    expect(findShift(down, before)).toEqual({ top: 1, bottom: 12, by: -3 });
  });
});

describe("the input parser", () => {
  const parse = (...chunks: string[]) => {
    const parser = createInputParser();
    return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.flush()];
  };
  const keys = (...chunks: string[]) =>
    parse(...chunks).map((event) => (event.type === "key" ? event.key : event.type));

  it("counts every character of a chunk", () => {
    expect(keys("jjj")).toEqual(["j", "j", "j"]);
    expect(keys("a\u007F\r\t ")).toEqual(["a", "backspace", "enter", "tab", "space"]);
  });

  it("names special keys, with their modifiers", () => {
    expect(keys("\u001B[A\u001BOB\u001B[5~\u001B[Z\u001B[1;5C\u0001")).toEqual([
      "up",
      "down",
      "pageup",
      "shift-tab",
      "ctrl-right",
      "ctrl-a",
    ]);
  });

  it("gives the same events however the bytes are cut into chunks", () => {
    const text =
      "a\u001B[A日\u001B[200~x\ny\u001B[201~\u001B[<64;3;4Mz\u001B]11;rgb:ffff/ffff/ffff\u0007q";
    const whole = parse(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length];
        const chunks = at.slice(1).map((end, index) => text.slice(at[index], end));
        // A lone high surrogate is never a chunk: the stream decodes UTF-8 whole.
        expect(parse(...chunks)).toEqual(whole);
      }),
    );
  });

  it("takes an ESC that nothing follows for the key", () => {
    const parser = createInputParser();
    expect(parser.push("\u001B")).toEqual([]);
    expect(parser.pending()).toBe("escape");
    expect(parser.flush()).toEqual([{ type: "key", key: "esc" }]);
    expect(parser.pending()).toBeUndefined();
  });

  it("hands a bracketed paste over as one text", () => {
    expect(parse("\u001B[200~one\r\ntwo\u001B[201~")).toEqual([
      { type: "paste", text: "one\ntwo" },
    ]);
  });

  it("takes Alt and a letter for one key, not for Esc and the letter", () => {
    expect(parse("\u001Bx")).toEqual([{ type: "key", key: "alt-x" }]);
    expect(parse("\u001B[1;3A")).toEqual([{ type: "key", key: "alt-up" }]);
  });

  it("takes a paste whose end was lost for whole once nothing more comes", () => {
    const parser = createInputParser();
    expect(parser.push("\u001B[200~one")).toEqual([]);
    expect(parser.pending()).toBe("paste");
    expect(parser.flush()).toEqual([{ type: "paste", text: "one" }]);
    expect(parser.push("\u0003")).toEqual([{ type: "key", key: "ctrl-c" }]);
  });

  it("reads mouse presses and the wheel, in cells from 0, and drops releases", () => {
    expect(parse("\u001B[<0;10;5M\u001B[<0;10;5m\u001B[<65;1;1M")).toEqual([
      { type: "mouse", kind: "press", x: 9, y: 4 },
      { type: "mouse", kind: "wheel-down", x: 0, y: 0 },
    ]);
  });

  it("tells a light background from a dark one", () => {
    expect(parse("\u001B]11;rgb:fafa/fafa/fafa\u001B\\")).toEqual([
      { type: "background", light: true },
    ]);
    expect(parse("\u001B]11;rgb:1e/1e/2e\u0007")).toEqual([{ type: "background", light: false }]);
  });
});

describe("the look", () => {
  it("has no color with NO_COLOR, whatever the settings say", () => {
    const look = lookOf({ NO_COLOR: "1", LANG: "C.UTF-8" }, { theme: "light" });
    expect(look).toEqual({ theme: "mono", ascii: false, colors: 1, auto: false });
  });

  it("takes the theme of the settings, else what the terminal says of itself", () => {
    expect(lookOf({ LANG: "de_DE.utf8" }, { theme: "light" }).theme).toBe("light");
    expect(lookOf({ COLORFGBG: "0;15" }, undefined).theme).toBe("light");
    expect(lookOf({ COLORFGBG: "15;0" }, undefined)).toMatchObject({ theme: "dark", auto: true });
  });

  it("draws with ASCII where the locale is not UTF-8, or where that is asked for", () => {
    expect(lookOf({ LANG: "C" }, undefined).ascii).toBe(true);
    expect(lookOf({ LANG: "C", LC_ALL: "en_US.UTF-8" }, undefined).ascii).toBe(false);
    expect(lookOf({ LANG: "C.UTF-8" }, { ascii: true }).ascii).toBe(true);
  });
});

describe("the clipboard", () => {
  it("is set with OSC 52, wrapped for tmux", () => {
    const encoded = Buffer.from("a/b").toString("base64");
    expect(clipboardSequence("a/b", {})).toBe(`\u001B]52;c;${encoded}\u0007`);
    expect(clipboardSequence("a/b", { TMUX: "x" })).toBe(
      `\u001BPtmux;\u001B\u001B]52;c;${encoded}\u0007\u001B\\`,
    );
  });

  it("is left alone by what no terminal would take", () => {
    expect(clipboardSequence("x".repeat(100_000), {})).toBeUndefined();
  });
});
