import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { safePath, unsafeReason } from "../../../../src/core/local/safe-path.js";

const refused = { name: "AppError", kind: "usage", code: "UnsafeKey" };

describe("safePath", () => {
  let home: string;
  let root: string;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "pail-safe-")));
    root = join(home, "root");
    await mkdir(join(root, "inside"), { recursive: true });
    await mkdir(join(home, "outside"));
  });
  afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

  it("puts a plain key below the root", () => {
    expect(safePath(root, "a/b c/d.txt")).toBe(join(root, "a", "b c", "d.txt"));
    expect(safePath(root, "...")).toBe(join(root, "..."));
    expect(safePath(root, "~/x")).toBe(join(root, "~", "x"));
    expect(safePath(root, "new\nline")).toBe(join(root, "new\nline"));
  });

  it.each([
    "",
    ".",
    "..",
    "/",
    "/etc/passwd",
    "//server/share",
    "../x",
    "a/../../x",
    "a/..",
    "a/./b",
    "./a",
    "a//b",
    "a/",
    "nul\u0000byte",
    "half \ud83d pair",
  ])("refuses %j", (key) => {
    expect(() => safePath(root, key)).toThrow(expect.objectContaining(refused));
  });

  it("never leads outside, whatever the key", () => {
    const segment = fc.oneof(
      fc.constantFrom(
        "",
        ".",
        "..",
        "...",
        "a",
        " ",
        "~",
        "C:",
        "\\",
        "..\\..",
        "\u0000",
        "%2e%2e",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    const key = fc.array(segment, { maxLength: 6 }).map((segments) => segments.join("/"));
    fc.assert(
      fc.property(key, (one) => {
        let path: string;
        try {
          path = safePath("/some/root", one);
        } catch (error) {
          expect(error).toMatchObject(refused);
          return;
        }
        const way = relative(resolve("/some/root"), path);
        expect(isAbsolute(way) || way === "" || way.split(sep).includes("..")).toBe(false);
        // The path holds the key itself, not a changed form of it.
        expect(way.split(sep).join("/")).toBe(one);
      }),
      { numRuns: 2000 },
    );
  });

  it("refuses a path through a link that leads outside", async () => {
    await symlink(join(home, "outside"), join(root, "out"));
    await symlink("../..", join(root, "inside", "up"));
    await symlink("inside", join(root, "alias"));
    await symlink("out", join(root, "alias-of-out"));
    for (const key of ["out/x", "inside/up/x", "alias-of-out/x/y", "alias/up/x"]) {
      expect(() => safePath(root, key), key).toThrow(expect.objectContaining(refused));
    }
  });

  it("accepts a link that stays inside, on the path or in the file's place", async () => {
    await symlink("inside", join(root, "alias"));
    await writeFile(join(root, "inside", "file"), "x");
    await symlink("inside/file", join(root, "file-link"));
    expect(safePath(root, "alias/x")).toBe(join(root, "alias", "x"));
    expect(safePath(root, "file-link")).toBe(join(root, "file-link"));
  });

  it("refuses a link in the file's place that leads outside or to nothing", async () => {
    await symlink(join(home, "outside"), join(root, "out"));
    await symlink(join(home, "not-yet"), join(root, "dangling"));
    for (const key of ["out", "dangling"]) {
      expect(() => safePath(root, key), key).toThrow(expect.objectContaining(refused));
    }
  });

  it("refuses a path through a broken link, and through a loop", async () => {
    await symlink(join(home, "not-yet"), join(root, "dangling"));
    await symlink("loop", join(root, "loop"));
    for (const key of ["dangling/x", "loop/x"]) {
      expect(() => safePath(root, key), key).toThrow(expect.objectContaining(refused));
    }
  });

  it("accepts a root that is itself reached by a link", async () => {
    await symlink(root, join(home, "link-to-root"));
    await symlink("inside", join(root, "alias"));
    const linked = join(home, "link-to-root");
    expect(safePath(linked, "alias/x")).toBe(join(linked, "alias", "x"));
  });

  it("refuses a name that is too long for the disk, as the disk does", () => {
    const tooLong = expect.objectContaining({ name: "AppError", code: "ENAMETOOLONG" });
    expect(() => safePath(root, "x".repeat(1024))).toThrow(tooLong);
  });

  it("accepts a root that is not there yet, and a path through a file", async () => {
    await writeFile(join(root, "file"), "x");
    expect(safePath(join(home, "new"), "a/b")).toBe(join(home, "new", "a", "b"));
    expect(safePath(root, "file/below")).toBe(join(root, "file", "below"));
  });
});

describe("unsafeReason on Windows", () => {
  it.each([
    "a\\b",
    "..\\up",
    "C:",
    "C:/x",
    "file:stream",
    "a*b",
    "what?",
    '"',
    "tab\t",
    "dot.",
    "space ",
    "dir./x",
    "CON",
    "nul.txt",
    "a/COM1",
    "lpt9.log",
    "AUX .txt",
    "conin$",
  ])("knows that %j is no file name", (key) => {
    expect(unsafeReason(key, true)).toBeTypeOf("string");
  });

  it.each(["a/b", "console", "com", "com10", "nullify.txt", ".hidden", "a.b.c", "\u00fc"])(
    "accepts %j",
    (key) => {
      expect(unsafeReason(key, true)).toBeUndefined();
    },
  );
});
