import { describe, expect, it } from "vitest";

import { consoleWith, object } from "../../../support/console.js";

const keys = Array.from({ length: 200 }, (_, index) => `photo-${String(index).padStart(3, "0")}`);

/** A console that shows two hundred keys to copy by hand, at the smallest height there is. */
function opened() {
  const it = consoleWith(
    keys.map((key) => object(key)),
    { size: { columns: 60, rows: 15 } },
  );
  it.apply({ type: "copied", what: "key", text: keys.join("\n"), sent: false });
  return it;
}

describe("a text that is longer than its box", () => {
  it("is scrolled by the keys of every list, to its end and not beyond", () => {
    const it = opened();
    expect(it.text()).toMatch(/photo-000[^]*1–5 of 200/);
    it.type("j", "\u001B[B");
    expect(it.text()).toMatch(/photo-002[^]*3–7 of 200/);
    it.type("\u001B[6~");
    expect(it.text()).toContain("8–12 of 200");
    it.type("G");
    expect(it.text()).toMatch(/photo-199[^]*196–200 of 200/);
    it.type("j", "k");
    expect(it.text()).toContain("195–199 of 200");
    it.type("g");
    expect(it.text()).toContain("1–5 of 200");
    expect(it.state().dialog?.type).toBe("text");
  });

  it("is closed by any other key", () => {
    const it = opened();
    it.type("x");
    expect(it.state().dialog).toBeUndefined();
  });
});

describe("a sentence", () => {
  it("is broken between its words, and an address where the line ends", () => {
    const it = consoleWith([], { size: { columns: 60, rows: 24 } });
    const sentence = "CannotUndo: the bucket keeps no versions, so what was there before is gone";
    it.apply({ type: "copied", what: "key", text: sentence, sent: false });
    expect(it.text()).toMatch(/│ CannotUndo: the bucket keeps no versions, so what +│/);
    it.apply({ type: "copied", what: "key", text: "a".repeat(60), sent: false });
    expect(it.text()).toMatch(/│ a{52} │\n.*│ a{8} +│/);
  });
});
