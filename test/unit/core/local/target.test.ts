import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createDirectories } from "../../../../src/core/local/target.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pail-target-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

describe("the directories of a download", () => {
  it("are made for the first of their keys, and remembered", () => {
    const directories = createDirectories();
    expect(directories.place(root, "a/b/1")).toBe(join(root, "a/b/1"));
    expect(existsSync(join(root, "a/b"))).toBe(true);
    rmSync(join(root, "a"), { recursive: true });
    directories.place(root, "a/b/2");
    expect(existsSync(join(root, "a"))).toBe(false);
  });

  it("are remembered up to a bound, whatever the size of the tree", () => {
    const directories = createDirectories(3);
    for (let i = 0; i < 4; i += 1) directories.place(root, `same/${i}/k`);
    rmSync(join(root, "same"), { recursive: true });
    directories.place(root, "same/0/k");
    expect(existsSync(join(root, "same/0"))).toBe(true);
  });

  it("are refused where a file has the same name", () => {
    writeFileSync(join(root, "a"), "");
    expect(() => createDirectories().place(root, "a/b")).toThrow(
      /both as a file and as a directory/,
    );
  });
});
