/** Flags that choose objects, as filters: their meaning, and combinations that make no sense. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  noteIdlePatterns,
  readBounds,
  readFilter,
  readSkipped,
  requireChoice,
} from "../../../src/cli/choice.js";
import type { Output } from "../../../src/cli/output.js";
import { createContext } from "../../../src/context.js";
import { matches } from "../../../src/core/filter.js";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "pail-choice-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const context = createContext({});
afterAll(() => context.close());

const file = (name: string, content: string) => {
  writeFileSync(join(root, name), content);
  return join(root, name);
};

describe("flags that choose", () => {
  it("let --exclude outrank the pattern files, in which # begins a comment", async () => {
    const path = file("ignore", "# all\n*.log\n\nbuild/\n");
    const filter = await readFilter(
      context,
      { "exclude-from": [path], exclude: ["!keep.log"] },
      [],
    );
    const taken = ["a.log", "keep.log", "build/x", "a.txt"].filter((name) => matches(filter, name));
    expect(taken).toEqual(["keep.log", "a.txt"]);
    await expect(
      readFilter(context, { "exclude-from": [join(root, "none")] }, []),
    ).rejects.toMatchObject({
      kind: "not-found",
    });
  });

  it("read names as they are, each once, in the order of a listing", async () => {
    const lines = file("names", "b\na b\nb\n\n#c\n");
    expect((await readFilter(context, { "files-from": lines }, [])).names).toEqual([
      "#c",
      "a b",
      "b",
    ]);
    const zeros = file("zeros", "b\0a\nb\0");
    expect((await readFilter(context, { "files-from": zeros, null: true }, [])).names).toEqual([
      "a\nb",
      "b",
    ]);
    await expect(readFilter(context, { null: true }, [])).rejects.toMatchObject({ kind: "usage" });
    await expect(
      readFilter(context, { "files-from": file("dos", "a\r\n") }, []),
    ).rejects.toMatchObject({
      hint: expect.stringContaining("tr -d"),
    });
  });

  it("read sizes and times in people's units", () => {
    expect(readBounds({ larger: "1KiB", smaller: "2MB", "max-depth": 2 })).toMatchObject({
      minSize: 1024,
      maxSize: 2_000_000,
      maxDepth: 2,
    });
    const { olderThan } = readBounds({ "older-than": "1d" });
    expect(Math.abs(Date.now() - 86_400_000 - olderThan!)).toBeLessThan(60_000);
    expect(() => readBounds({ larger: "much" })).toThrow(/much/);
  });

  it("are refused where there is no choice", () => {
    expect(() => requireChoice({ include: ["a"] }, false, ["x"])).toThrow(/filters choose/);
    expect(() => requireChoice({ include: ["a"] }, true, ["x"])).not.toThrow();
    expect(() => requireChoice({ names: ["a"] }, true, ["x", "y"])).toThrow(/one place/);
    expect(() => requireChoice({}, false, ["x", "y"])).not.toThrow();
  });

  it("skip links and special files only when told to", () => {
    expect(readSkipped({ "no-follow-symlinks": false, "skip-special": false })).toBeUndefined();
    expect(readSkipped({ "no-follow-symlinks": true, "skip-special": false })).toEqual({
      links: true,
      special: false,
    });
  });

  it("are named when they changed nothing, and only those", async () => {
    const flags = { include: ["*.txt", "*.none"], exclude: ["a*", "z*"] };
    const filter = await readFilter(context, flags, []);
    for (const name of ["a.txt", "b.txt"]) matches(filter, name);
    const notes: string[] = [];
    noteIdlePatterns(
      { note: (text: string) => notes.push(text) } as unknown as Output,
      flags,
      filter,
    );
    expect(notes).toEqual([
      "--include '*.none' took in nothing",
      "--exclude 'z*' left out nothing",
    ]);
  });
});
