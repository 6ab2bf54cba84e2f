import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  type Filter,
  idlePatterns,
  matches,
  parsePatterns,
  prunes,
  requireValid,
} from "../../../src/core/filter.js";
import { cases } from "../../support/cases.js";

describe("matches", () => {
  it("takes everything without a filter", () => {
    expect(matches(undefined, "a")).toBe(true);
    expect(matches({}, "a")).toBe(true);
    expect(matches({ include: [], exclude: [] }, "a")).toBe(true);
  });

  it("takes names that an include matches and no exclude does", () => {
    const filter = { include: ["*.jpg", "*.png"], exclude: ["**/private/**", "tmp*"] };
    expect(matches(filter, "a/b.jpg")).toBe(true);
    expect(matches(filter, "a/b.png")).toBe(true);
    expect(matches(filter, "a/b.gif")).toBe(false);
    expect(matches(filter, "a/private/b.jpg")).toBe(false);
    expect(matches(filter, "a/tmp.jpg")).toBe(false);
    expect(matches({ exclude: ["*.log"] }, "a.txt")).toBe(true);
  });

  it.each([
    [".git", ".git/config", false],
    [".git", "a/.git/objects/00/1", false],
    [".git", ".gitignore", true],
    [".git/", ".git/config", false],
    [".git/", "sub/.git", true],
    ["node_modules/*", "node_modules/x/i.js", false],
    ["node_modules/*", "a/node_modules/x/i.js", true],
    ["/src", "src/a.js", false],
    ["/src", "lib/src/a.js", true],
    ["{.git,node_modules}/", "node_modules/x/i.js", false],
    ["dir", "dir/", false],
    ["dir/", "a/dir/", false],
    ["*", "a/b", false],
    ["a", "b//a/c", false],
  ])("with --exclude %j, %j is taken: %s", (pattern, name, taken) => {
    expect(matches({ exclude: [pattern] }, name)).toBe(taken);
    expect(matches({ include: [pattern] }, name)).toBe(!taken);
  });

  it("lets the last pattern decide, and takes nothing from within an excluded directory", () => {
    const filter = { exclude: ["*.log", "!keep.log", "out/", "!out/keep.log"] };
    expect(matches(filter, "a.log")).toBe(false);
    expect(matches(filter, "deep/keep.log")).toBe(true);
    expect(matches(filter, "out/keep.log")).toBe(false);
    expect(matches({ exclude: ["\\!odd"] }, "!odd")).toBe(false);
  });

  it("agrees with git about the same patterns", () => {
    const root = mkdtempSync(join(tmpdir(), "pail-ignore-"));
    try {
      execFileSync("git", ["init", "-q", root]);
      const word = fc.constantFrom("a", "b", "ab", "*", "a*", "?", "**", "[ab]", "[!a]", "x.y");
      const pattern = fc
        .tuple(
          fc.constantFrom("", "!"),
          fc.constantFrom("", "/"),
          fc.array(word, { minLength: 1, maxLength: 3 }),
          fc.constantFrom("", "/"),
        )
        .map(([not, start, words, end]) => not + start + words.join("/") + end);
      const name = fc
        .array(fc.constantFrom("a", "b", "ab", "x.y", "c"), { minLength: 1, maxLength: 4 })
        .map((segments) => segments.join("/"));
      const names = fc.uniqueArray(name, { minLength: 30, maxLength: 30 });
      fc.assert(
        fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), names, (patterns, paths) => {
          writeFileSync(join(root, ".gitignore"), `${patterns.join("\n")}\n`);
          const { stdout } = spawnSync("git", ["check-ignore", "--stdin", "--no-index"], {
            cwd: root,
            input: paths.join("\n"),
            encoding: "utf8",
          });
          const ignored = new Set(stdout.split("\n"));
          const filter = { exclude: parsePatterns(patterns.join("\n")) };
          const left = paths.filter((path) => !matches(filter, path));
          expect(left).toEqual(paths.filter((path) => ignored.has(path)));
        }),
        cases(60),
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe("prunes", () => {
  it("tells which directories need not be read", () => {
    const filter: Filter = { include: ["*.ts"], exclude: ["node_modules", "/out/*", "!out/x"] };
    expect(prunes(filter, "a/node_modules/")).toBe(true);
    expect(prunes(filter, "a/node_modules/b")).toBe(true);
    expect(prunes(filter, "out/y/")).toBe(true);
    expect(prunes(filter, "out/x/")).toBe(false);
    expect(prunes(filter, "out/")).toBe(false);
    expect(prunes({ include: ["a"] }, "b/")).toBe(false);
    expect(prunes(undefined, "b/")).toBe(false);
  });
});

describe("idlePatterns", () => {
  it("names the patterns that decided nothing", () => {
    const filter = { include: ["*.ts", "*.md"], exclude: [".git", "nothing"] };
    for (const name of ["a.ts", ".git/x.md"]) matches(filter, name);
    expect(idlePatterns(filter)).toEqual(["*.md", "nothing"]);
  });
});

describe("parsePatterns", () => {
  it("reads the syntax of a .gitignore file", () => {
    const text = "\ufeff# comment\n\n  \n*.log \r\n\\#odd\nblank\\ \n!keep\n{a,b}\n";
    expect(parsePatterns(text)).toEqual(["*.log", "\\#odd", "blank\\ ", "!keep", "\\{a,b\\}"]);
    expect(matches({ exclude: parsePatterns(text) }, "#odd")).toBe(false);
    expect(matches({ exclude: parsePatterns(text) }, "blank ")).toBe(false);
    expect(matches({ exclude: parsePatterns(text) }, "{a,b}")).toBe(false);
    expect(matches({ exclude: parsePatterns(text) }, "a")).toBe(true);
  });
});

describe("requireValid", () => {
  it("refuses an invalid pattern", () => {
    expect(() => requireValid({ include: ["!a"] })).toThrow(/begins with "!"/);
    expect(() => requireValid({ exclude: ["{a,b}".repeat(20)] })).toThrow(/braces/);
    requireValid({ include: ["a"], exclude: ["!a"] });
  });
});
