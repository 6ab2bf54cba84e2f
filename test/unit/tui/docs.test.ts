import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { COMMANDS } from "../../../src/tui/commands/index.js";
import { EVERYWHERE } from "../../../src/tui/commands/types.js";
import { DEFAULT_KEYS, showKey } from "../../../src/tui/keymap.js";

describe("docs/console.md", () => {
  it("has the table of keys that the keymap makes", () => {
    const rows = COMMANDS.map(({ id, title, scopes }) => {
      const keys = (DEFAULT_KEYS[id] ?? []).map((key) => `\`${showKey(key)}\``).join(" ");
      const where = scopes === EVERYWHERE ? "everywhere" : scopes.join(", ");
      return `| ${keys} | ${title} | ${where} | \`${id}\` |`;
    });
    expect(readFileSync("docs/console.md", "utf8")).toContain(rows.join("\n"));
  });
});
