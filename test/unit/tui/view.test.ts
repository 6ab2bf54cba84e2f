import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cut, cutStart, fit, safe, width } from "../../../src/tui/text/cells.js";
import { rowWidth } from "../../../src/tui/view/rows.js";
import { createScreen } from "../../../src/tui/view/screen.js";
import {
  type TestConsole,
  consoleWith,
  object,
  screen,
  testConsole,
} from "../../support/console.js";
import { cases } from "../../support/cases.js";

const anyText = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("日本語", "👨‍👩‍👧", "e\u0301\u0301", "\u001B[31m", "\n", "\u202Eabc", "🇩🇪"),
);

describe("cells", () => {
  it("are filled exactly, whatever the text", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 30 }), (text, cells) => {
        expect(width(fit(safe(text), cells))).toBe(cells);
        expect(width(cut(safe(text), cells))).toBeLessThanOrEqual(cells);
        expect(width(cutStart(safe(text), cells))).toBeLessThanOrEqual(cells);
      }),
    );
  });

  it("never hold a control character", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fit(safe(text), 20)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
      }),
    );
  });

  it("give Thai and Lao vowels that stand alone the cell that terminals give them", () => {
    expect(width("\u0E01\u0E33")).toBe(2);
    expect(fit("\u0E01\u0E33", 4)).toBe("\u0E01\u0E33  ");
  });

  it("spell out what takes no cell, so that two names never look alike", () => {
    expect(safe("a\u200Bb")).toBe("a\\u200bb");
    expect(safe("a\u00ADb\uFEFF\u{E0041}")).toBe("a\\xadb\\ufeff\\u{e0041}");
    expect(safe("👨\u200D👩")).toBe("👨\u200D👩");
  });

  it("say that something was cut", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("日本語", 4)).toBe("日…");
    expect(cut("日本", 4)).toBe("日本");
    expect(cutStart("abcdef", 4)).toBe("…def");
  });
});

describe("the screen", () => {
  it("has exactly its rows, each exactly its columns wide, whatever keys are listed", () => {
    const size = fc.record({
      columns: fc.integer({ min: 60, max: 160 }),
      rows: fc.integer({ min: 15, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 20 }), size, (texts, size) => {
        const entries = texts.map((text, index) => object(`${index}${text}`, index));
        const it = consoleWith(entries, { size });
        for (const keys of [
          "",
          " ",
          "x",
          "\u001B",
          ":",
          "\u001B",
          "n",
          "\u001B",
          "/",
          "\r",
          "\r",
        ]) {
          it.type(keys);
          const rows = screen(it.state());
          expect(rows).toHaveLength(size.rows);
          for (const row of rows) expect(rowWidth(row)).toBe(size.columns);
        }
      }),
      cases(12),
    );
  });

  it("is what it would be if it were drawn anew, whatever was on it before", () => {
    const keys = fc.constantFrom(
      "j",
      "k",
      "G",
      "/",
      ":",
      "v",
      "x",
      "?",
      "R",
      "s",
      "n",
      "1",
      ".",
      " ",
      "\r",
      "\t",
      "\u001B",
      "\u001B[6~",
      "\u001B[5~",
      "\u0001",
      "\u001B[Z",
      "\u001B[C",
      "|",
      "\\",
    );
    const size = fc.record({
      columns: fc.constantFrom(60, 90, 120),
      rows: fc.constantFrom(15, 24),
    });
    const step = fc.oneof(
      { weight: 8, arbitrary: keys.map((key) => (it: TestConsole) => it.type(key)) },
      size.map((size) => (it: TestConsole) => it.apply({ type: "resize", size })),
      fc.constant((it: TestConsole) => it.apply({ type: "tick" })),
      anyText.map((text) => (it: TestConsole) => {
        const page = it.state().pages[0]!.id;
        it.apply({ type: "entries", page, entries: [object(`more/${text}`, 9)] });
      }),
    );
    // Screens after which nothing that was kept is of use: without components, and with others.
    const elsewhere = [
      testConsole({ size: { columns: 9, rows: 9 } }),
      testConsole({ size: { columns: 100, rows: 30 }, readonly: true }),
    ].map((it) => it.state());
    const anew = createScreen();
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 40, size: "max" }), (steps) => {
        const entries = Array.from({ length: 40 }, (_, index) => object(`a${index}`, index));
        const it = consoleWith(entries);
        for (const change of steps) {
          change(it);
          const rows = screen(it.state());
          for (const state of elsewhere) anew.draw(state);
          expect(rows).toEqual(anew.draw(it.state()));
        }
      }),
      cases(12),
    );
    anew.close();
  });

  it("says that it is too small below 60 by 15", () => {
    const it = testConsole({ size: { columns: 59, rows: 20 } });
    expect(it.text()).toContain("It has 59x20; 60x15 is enough.");
    expect(it.text()).not.toContain("Sign in");
  });

  it("costs the same for a hundred thousand rows as for ten: only what is on it is drawn", () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => object(`k${index}`));
    const it = consoleWith(entries);
    it.type("G");
    expect(it.text()).toContain("k99999");
    expect(it.text()).toContain("100,000/100,000");
    expect(screen(it.state())).toHaveLength(24);
  });

  it("takes a filter while nothing has come that it could be for", () => {
    const it = testConsole({ place: "local/photos/" });
    it.type("/a");
    expect(it.text()).toContain(" Filter a");
  });

  it("shows a failure in the place of what it kept from coming, with its hint", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({
      type: "page-failed",
      page: id,
      failure: {
        kind: "not-found",
        code: "NoSuchBucket",
        message: "there is no bucket photos",
        hint: "pail ls local",
      },
    });
    expect(it.text()).toContain("✗ NoSuchBucket");
    expect(it.text()).toContain("pail ls local");
    expect(it.text()).toContain("R tries again");
  });

  it("is drawn in ASCII alone when that is asked for, cut names and unknown dates included", () => {
    const entries = [object("n".repeat(200)), { type: "object", key: "bare", size: 3 } as const];
    const it = consoleWith(entries, { look: { theme: "mono", ascii: true, colors: 0 } });
    for (const keys of ["", " ", "x", "\u001B", "n", "\u001B", ":", "\u001B", "?"]) {
      it.type(keys);
      expect(it.text()).toMatch(/^[\n\u0020-\u007E]*$/);
    }
  });

  it("hides a secret that is typed", () => {
    const it = testConsole();
    it.type("n");
    for (let field = 0; field < 3; field++) it.type("\t");
    it.type("hunter2hunter2");
    expect(it.text()).toContain("Secret key");
    expect(it.text()).not.toContain("hunter2");
    expect(it.text()).toContain("**************");
  });
});
