/** Keys are chosen by strangers: they are listed in their cells and handled like any other. */
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type ConsoleHome, createConsoleHome, quit } from "../support/console-home.js";
import { keysOf, makeBucket } from "../support/sdk.js";

let home: ConsoleHome;

beforeAll(async () => {
  home = await createConsoleHome();
});
afterAll(() => home.close());

describe("names from strangers", () => {
  // 1,024 bytes with what is before it, as many as a key may have.
  const LONG = `long/${"n".repeat(1024 - "hostile/long/".length)}`;
  const NAMES = [
    "new\nline",
    "esc\u001B[31mred\u001B[2J",
    "bidi\u202Egpj.exe",
    "日本語のファイル.txt",
    "family👨‍👩‍👧‍👦.png",
    "flag🇩🇪",
    "combining e\u0301\u0301\u0301",
    "thai \u0E01\u0E33.txt",
    "zero\u200Bwidth",
    "tab\there",
    "back\\slash",
    "percent%2F?#+&=;",
    "quote\"'`$(x)",
  ];

  beforeEach(async () => {
    await makeBucket(home.s3, "bkt", {
      ...Object.fromEntries(NAMES.map((name) => [`hostile/${name}`, name])),
      "hostile//": "empty segment",
      "hostile//inside": "inside",
      "hostile/dir/": "",
      [`hostile/${LONG}`]: "long",
    });
  });

  it.each([
    [80, 24],
    [120, 40],
  ])("are listed aligned and stay in their cells at %i×%i", async (columns, rows) => {
    const terminal = home.open("local/bkt/hostile/", { columns, rows });
    await terminal.see(/\d+ rows/);
    await terminal.see("esc\\x1b[31mred");
    await terminal.see("new\\nline");
    await terminal.see("bidi\\u202egpj.exe");
    await terminal.see("日本語のファイル.txt");
    await terminal.see("thai \u0E01\u0E33.txt");
    await terminal.see("zero\\u200bwidth");
    const lines = terminal.screen();
    const dates = lines.flatMap((line) => /\d{4}-\d\d-\d\d \d\d:\d\d/.exec(line)?.[0] ?? []);
    expect(dates.length).toBeGreaterThanOrEqual(NAMES.length);
    // Columns are compared in cells, as the terminal has them.
    const at = terminal.cellOf(/\d{4}-\d\d-\d\d/);
    expect(new Set(at).size).toBe(1);
    // Header and rules are where they belong.
    expect(lines[2]).toBe("─".repeat(columns));
    expect(lines[rows - 3]).toBe("─".repeat(columns));
    await quit(terminal);
  });

  it("open, download and delete like any other", async () => {
    const directory = mkdtempSync(join(home.directory, "downloads-"));
    for (const name of ["new\nline", "esc\u001B[31mred\u001B[2J", "日本語のファイル.txt"]) {
      const shown = name.replaceAll("\n", "\\n").replaceAll("\u001B", "\\x1b");
      const terminal = home.open("local/bkt/hostile/");
      const { press, see, miss } = terminal;
      await see(/\d+ rows/);
      press("/", shown.slice(0, 3), "<enter>");
      await see(/1 of \d+ rows/);
      press("<enter>");
      await see("Content type");
      await see(`bkt › hostile/${shown}`);
      press("d");
      await see("Into");
      press("<ctrl-u>", directory, "<enter>");
      await see("Done: Download");
      expect(readFileSync(join(directory, name), "utf8")).toBe(name);
      press("<esc>");
      await see(/1 of \d+ rows|1\/1/);
      press("x");
      await see("1 object,");
      await see(/For good|delete marker/);
      press("y");
      await see("No loaded row fits the filter.");
      await miss("deleting");
      await quit(terminal);
      expect(await keysOf(home.s3, "bkt", `hostile/${name}`)).toEqual([]);
    }
  });

  it("go down into empty segments and very long prefixes, and come up again", async () => {
    const terminal = home.open("local/bkt/hostile/");
    const { press, see } = terminal;
    await see(/▌ +\//);
    press("<enter>");
    await see("hostile//");
    await see("inside");
    press("<left>");
    await see(/▌ +\//);
    press("/", "long", "<enter>");
    await see(/▌ +long\//);
    press("<enter>");
    await see("nnnn…");
    press("<enter>");
    await see("Content type");
    await quit(terminal);
  });
});
