import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { paletteItems } from "../../../src/tui/commands.js";
import { parentPrefix } from "../../../src/tui/pages/objects/index.js";
import { under } from "../../../src/tui/pages/objects/listing.js";
import { consoleWith, markedKeys, object, rowKeys, testConsole } from "../../support/console.js";

const ENTER = "\r";
const ESC = "\u001B";
const TAB = "\t";
const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
const four = () => consoleWith(names.map((name, index) => object(name, index + 1)));

describe("a bucket page", () => {
  it("shows the first page before the rest has come, and says that there is more", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("a"), object("b")] });
    expect(it.text()).toContain("2+ rows");
    expect(it.text()).toContain("loading");
    it.type("j");
    expect(it.page("objects").cursor).toBe(1);
    it.apply({ type: "listed", page: id });
    expect(it.text()).toContain("2 rows");
  });

  it("keeps the cursor on its row while rows are sorted in above it", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: names.map((key) => object(key, 5)) });
    it.type("s", "s", "jj");
    const before = it.page("objects");
    const key = under(before)!.key;
    const row = before.cursor - before.top;
    it.apply({ type: "entries", page: id, entries: [object("x", 100), object("y", 1)] });
    const after = it.page("objects");
    expect(under(after)!.key).toBe(key);
    expect(rowKeys(after)).toEqual(["x", ...names, "y"]);
    expect(row).toBeGreaterThan(0);
  });

  it("sorts and filters any order of pages as it would the whole", () => {
    const entry = fc.record({ key: fc.string({ minLength: 1 }), size: fc.nat(5) });
    const pages = fc.array(fc.array(entry, { maxLength: 6 }), { maxLength: 5 });
    fc.assert(
      fc.property(
        pages,
        fc.constantFrom("s", "S", "N", "m"),
        fc.constantFrom("", "a"),
        (lists, sort, filter) => {
          const parts = lists.map((list) => list.map(({ key, size }) => object(key, size)));
          const stepwise = testConsole({ place: "local/photos/" });
          const { id } = stepwise.page("objects");
          stepwise.apply({ type: "entries", page: id, entries: [] });
          stepwise.type("s", sort, "/", filter, ENTER);
          for (const entries of parts) stepwise.apply({ type: "entries", page: id, entries });
          const atOnce = consoleWith(parts.flat());
          atOnce.type("s", sort, "/", filter, ENTER);
          stepwise.apply({ type: "listed", page: id });
          expect(rowKeys(stepwise.page("objects"))).toEqual(rowKeys(atOnce.page("objects")));
        },
      ),
    );
  });

  it("says when sorting and filtering cover only what is loaded", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("ab", 2), object("b")] });
    it.type("s", "s");
    expect(it.text()).toContain("by size (loaded rows only)");
    it.type("/", "ab", ENTER);
    expect(it.text()).toContain('filter "ab" (loaded rows only)');
    it.apply({ type: "listed", page: id });
    expect(it.text()).not.toContain("loaded rows only");
    expect(it.text()).toContain("1 of 2 rows");
  });

  it("asks the server for what keys begin with", () => {
    const it = four();
    it.type("f", "2026-", ENTER);
    expect(it.effects()).toContainEqual({
      type: "list-objects",
      page: it.page("objects").id,
      place: { alias: "local", bucket: "photos", prefix: "2026-" },
    });
  });

  it("stops a listing on Esc and stays; the next Esc goes back", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.apply({ type: "entries", page: id, entries: [object("a")] });
    it.effects();
    it.type(ESC);
    expect(it.effects()).toEqual([{ type: "stop", id }]);
    expect(it.text()).toContain("stopped, R lists again");
    it.type(ESC);
    it.page("buckets");
  });

  it("marks rows, ranges and everything", () => {
    const it = four();
    it.type(" ");
    expect(markedKeys(it.page("objects"))).toEqual(["a.txt"]);
    it.type("v", "jj", "v");
    expect(markedKeys(it.page("objects")).sort()).toEqual(names);
    it.type("\u0001");
    expect(it.page("objects").marks.count).toBe(0);
    it.type("\u0001");
    expect(it.text()).toContain("4 marked, 10B");
  });

  it("takes removed rows away at once and puts the cursor on the neighbor", () => {
    const it = four();
    it.type("jj");
    const from = { alias: "local", bucket: "photos", prefix: "" };
    it.apply({ type: "keys-gone", from, keys: ["a.txt", "c.txt"] });
    const page = it.page("objects");
    expect(rowKeys(page)).toEqual(["b.txt", "d.txt"]);
    expect(under(page)!.key).toBe("d.txt");
    it.apply({ type: "keys-gone", from, keys: ["d.txt"] });
    expect(it.page("objects").cursor).toBe(0);
  });

  it("shows an object without date, class or ETag", () => {
    const it = consoleWith([{ type: "object", key: "bare", size: 3 }]);
    expect(it.text()).toMatch(/bare +3B {2}–/);
  });

  it("knows the parent of every prefix, empty segments and all", () => {
    expect(parentPrefix("a/b/")).toBe("a/");
    expect(parentPrefix("a/")).toBe("");
    expect(parentPrefix("a//")).toBe("a/");
    expect(parentPrefix("/")).toBe("");
  });
});

describe("a removal", () => {
  it("is confirmed with names, count and size, and begins on Cancel", () => {
    const it = four();
    it.type(" ", " ", "x");
    expect(it.text()).toContain("a.txt  1B");
    expect(it.text()).toContain("2 objects, 3B");
    it.type(ENTER);
    expect(it.state().dialog).toBeUndefined();
    expect(it.state().jobs).toEqual([]);
    it.type("x", TAB, ENTER);
    expect(it.effects()).toContainEqual(expect.objectContaining({ type: "start-job" }));
    expect(it.text()).toContain("deleting…");
  });

  it("of a prefix waits until what is below it is counted", () => {
    const it = consoleWith([{ type: "prefix", key: "trip/" }]);
    it.type("x");
    const dialog = it.state().dialog!.id;
    expect(it.effects()).toContainEqual(expect.objectContaining({ type: "count", dialog }));
    it.type("y");
    expect(it.state().jobs).toEqual([]);
    it.apply({ type: "counted", dialog, objects: 7, bytes: 2048, done: true });
    expect(it.text()).toContain("7 objects, 2.0KiB");
    it.type("y");
    expect(it.state().jobs).toHaveLength(1);
  });

  it("keeps the rows that failed, with S3's code", () => {
    const it = four();
    it.type("x", "y");
    const [job] = it.state().jobs;
    it.apply({
      type: "job-ended",
      job: job!.id,
      status: "failed",
      failures: [
        {
          target: "local/photos/a.txt",
          failure: { kind: "denied", code: "AccessDenied", message: "no" },
        },
      ],
      failed: new Map([["a.txt", "AccessDenied"]]),
    });
    expect(it.text()).toMatch(/a\.txt +1B {2}✗ AccessDenied/);
    expect(rowKeys(it.page("objects"))).toEqual(names);
  });
});

describe("a download", () => {
  it("goes where it is told, with ~ spelled out", () => {
    const it = four();
    it.type("d", "\u0015", "~/pictures", ENTER);
    expect(it.state().jobs[0]!.spec).toMatchObject({
      type: "download",
      directory: "/home/me/pictures",
      targets: [{ type: "object", key: "a.txt" }],
    });
  });
});

describe("a read-only console", () => {
  it("starts nothing that writes, and says why in the help too", () => {
    const it = consoleWith([object("a")], { readonly: true });
    for (const key of ["n", "N", "u", "U", "x", "r", "c", "m"]) {
      it.type(key);
      expect(it.state().dialog).toBeUndefined();
      it.page("objects");
      expect(it.text()).toContain("the console is read-only");
    }
    it.type("?");
    expect(it.text()).toMatch(/Delete {2}\(the console is read-only\)/);
  });
});

describe("without letters", () => {
  it("every button is reached with Tab, arrows and Enter, and More has every command", () => {
    const it = four();
    it.type(TAB, ENTER);
    expect(it.state().dialog).toMatchObject({ title: "New directory" });
    it.type(ESC, TAB, "\u001B[D", ENTER);
    expect(it.state().dialog).toMatchObject({ type: "palette" });
    it.type("rename", ENTER);
    expect(it.state().dialog).toMatchObject({ title: "Rename a.txt" });
  });

  it("More ranks commands with a word that begins so before those that have it within", () => {
    const titles = paletteItems(four().state(), "ver").map(({ title }) => title);
    expect(titles[0]).toBe("Versions of the object");
    expect(titles).toContain("Mark every loaded row");
  });
});

describe("the listing of another place", () => {
  it("that comes late is not shown on the page that is open now", () => {
    const it = testConsole({ place: "local/photos/" });
    const { id } = it.page("objects");
    it.type("\u0007", "local/other/", ENTER);
    it.apply({ type: "entries", page: id, entries: [object("stray")] });
    expect(it.text()).not.toContain("stray");
  });
});

describe("quitting", () => {
  it("asks while a transfer runs, and does it when asked twice", () => {
    const it = four();
    it.type("x", "y");
    it.effects();
    it.type("\u0003");
    expect(it.text()).toContain("A transfer is running");
    expect(it.effects()).toEqual([]);
    it.type("\u0003");
    expect(it.effects()).toEqual([{ type: "quit" }]);
  });
});
