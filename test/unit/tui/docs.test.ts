import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { DEFAULT_KEYS, showKey } from "../../../src/tui/keymap.js";
import { EVERYWHERE } from "../../../src/tui/pages/everywhere.js";
import { PAGES } from "../../../src/tui/pages/registry.js";

describe("docs/console.md", () => {
  it("has the table of keys that the pages make", () => {
    const where = new Map<string, string[]>();
    for (const { type, commands } of PAGES) {
      for (const { id, title } of commands) {
        const line = `${title} | %s | \`${id}\` |`;
        where.set(line, [...(where.get(line) ?? []), type]);
      }
    }
    for (const { id, title } of EVERYWHERE)
      where.set(`${title} | %s | \`${id}\` |`, ["everywhere"]);
    const rows = [...where].map(([line, pages]) => {
      const id = /`(.*)`/.exec(line)![1]!;
      const keys = (DEFAULT_KEYS[id] ?? []).map((key) => `\`${showKey(key)}\``).join(" ");
      return `| ${keys} | ${line.replace("%s", pages.join(", "))}`;
    });
    const page = readFileSync("docs/console.md", "utf8");
    if (process.env["PAIL_PRINT_KEYS"]) console.log(rows.join("\n"));
    expect(page).toContain(rows.join("\n"));
  });
});
