/** Finding and running commands of the console: by key, by name, by what is typed. */
import { describe, expect, it } from "vitest";

import {
  barOf,
  commandById,
  commandByKey,
  keysOf,
  paletteItems,
  reasonAgainst,
  runCommand,
} from "../../../src/tui/commands.js";
import { consoleWith, object } from "../../support/console.js";

const names = ["a.txt", "b.txt"];
const rows = names.map((name, index) => object(name, index + 1));
const state = (readonly = false) => consoleWith(rows, { readonly }).state();

describe("a command of a page", () => {
  it("is found by its name and by its key, and tells its keys", () => {
    const here = state();
    const rename = commandById(here, "rename")!;
    expect(commandByKey(here, "r")).toBe(rename);
    expect(keysOf(here, rename)).toBe("r");
    expect(commandById(here, "no such command")).toBeUndefined();
    expect(commandByKey(here, "no such key")).toBeUndefined();
  });

  it("of every button is one that the page has, the palette last", () => {
    const bar = barOf(state()).map(({ id }) => id);
    expect(bar.length).toBeGreaterThan(3);
    expect(bar.at(-1)).toBe("palette");
  });

  it("runs, or says why it does not and changes nothing else", () => {
    const open = runCommand(state(), commandById(state(), "rename")!);
    expect(open[0].dialog).toMatchObject({ type: "form", title: "Rename a.txt" });
    const here = state(true);
    const rename = commandById(here, "rename")!;
    expect(reasonAgainst(here, rename)).toContain("read-only");
    const [after, effects] = runCommand(here, rename);
    expect(effects).toEqual([]);
    expect(after).toEqual({ ...here, notice: { tone: "warning", text: expect.any(String) } });
  });

  it("that cannot be run on what is there says so", () => {
    const empty = consoleWith([]).state();
    expect(reasonAgainst(empty, commandById(empty, "rename")!)).toEqual(expect.any(String));
    const marked = consoleWith(rows);
    marked.type("\u0001");
    expect(reasonAgainst(marked.state(), commandById(marked.state(), "rename")!)).toContain("one");
  });
});

describe("the palette", () => {
  const titles = (text: string) => paletteItems(state(), { text }).map(({ title }) => title);

  it("has every command but itself, and of those that fit the ones that begin so first", () => {
    expect(titles("").length).toBeGreaterThan(20);
    expect(titles("").some((title) => /palette/i.test(title))).toBe(false);
    expect(titles("REN")[0]).toBe("Rename");
    expect(titles("mo an pl")[0]).toBe("Move to another place");
    expect(titles("newfil")).toEqual(["New file here"]);
    expect(titles("no such command")).toEqual([]);
  });

  it("goes to a place as it does to a command", () => {
    const places = ["play/photos/2026/", "local/notes/"];
    const [found, ...others] = paletteItems(state(), { text: "lnt", places });
    expect(others).toEqual([]);
    expect(runCommand(state(), found!)[0].pages.at(-1)).toMatchObject({ bucket: "notes" });
  });
});
