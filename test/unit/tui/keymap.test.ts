import { describe, expect, it } from "vitest";

import { DEFAULT_KEYS, resolveKeymap } from "../../../src/tui/keymap.js";
import { EVERYWHERE } from "../../../src/tui/pages/everywhere.js";
import { PAGES } from "../../../src/tui/pages/registry.js";
import { consoleWith, object } from "../../support/console.js";

const ESC = "\u001B";

const commandsOn = (type: (typeof PAGES)[number]) => [
  ...type.commands,
  ...EVERYWHERE.filter(({ except }) => !except?.(type)),
];

describe("the keymap", () => {
  it("gives every key of a page to one command, and every command a key", () => {
    for (const type of PAGES) {
      const commands = commandsOn(type);
      const keys = commands.flatMap(({ id }) => DEFAULT_KEYS[id] ?? []);
      expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
      expect(commands.filter(({ id }) => !DEFAULT_KEYS[id])).toEqual([]);
    }
    const ids = new Set(
      [...PAGES.flatMap(({ commands }) => commands), ...EVERYWHERE].map(({ id }) => id),
    );
    expect(Object.keys(DEFAULT_KEYS).filter((id) => !ids.has(id))).toEqual([]);
  });

  it("has footers and buttons of commands that their pages have", () => {
    for (const type of PAGES) {
      const ids = commandsOn(type).map(({ id }) => id);
      for (const id of [...type.bar, ...type.footer]) expect(ids).toContain(id);
    }
  });

  it("is rebound by the settings: the key, the footer and the help follow", () => {
    const { keymap, problems } = resolveKeymap({ remove: "Z", filter: ["ctrl-t", "F2"] });
    expect(problems).toEqual([]);
    const it = consoleWith([object("a")], { keymap, size: { columns: 80, rows: 100 } });
    expect(it.text()).toContain("Z delete");
    expect(it.text()).toContain("^T filter");
    it.type("x");
    expect(it.state().dialog).toBeUndefined();
    it.type("Z");
    expect(it.state().dialog).toMatchObject({ type: "confirm" });
    it.type(ESC, "?");
    expect(it.text()).toMatch(/\^T F2 +Filter/);
  });

  it("says what is wrong with a setting and keeps the rest", () => {
    const { keymap, problems } = resolveKeymap({ destroy: "x", open: 7, sort: "S" });
    expect(problems).toHaveLength(2);
    expect(keymap["open"]).toEqual(DEFAULT_KEYS["open"]);
    expect(keymap["sort"]).toEqual(["S"]);
  });
});
