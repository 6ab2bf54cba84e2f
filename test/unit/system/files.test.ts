import { mkdir, mkdtemp, readFile, readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";

import { describe, expect, it } from "vitest";

import { isErrno, replaceFile } from "../../../src/system/files.js";

describe("replacing a file", () => {
  it("makes it for its owner only, and leaves nothing else behind", async () => {
    const directory = await mkdtemp(join(tmpdir(), "pail-files-"));
    const file = join(directory, "file");
    await replaceFile(file, "one", `${file}.new`);
    await replaceFile(file, "two", `${file}.new`);
    expect(await readFile(file, "utf8")).toBe("two");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(["file"]);
  });

  it("leaves the old file when it fails, and no temporary one", async () => {
    const directory = await mkdtemp(join(tmpdir(), "pail-files-"));
    const taken = join(directory, "taken");
    await mkdir(join(taken, "inner"), { recursive: true });
    await expect(replaceFile(taken, "x", `${taken}.new`)).rejects.toMatchObject({
      code: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST/),
    });
    expect(await readdir(directory)).toEqual(["taken"]);
  });
});

describe("a failed system call", () => {
  it("is recognised by its code, also where Error is another class, as in tests under jest", () => {
    const other: unknown = runInNewContext(`Object.assign(new Error("x"), { code: "ENOENT" })`);
    expect(other).not.toBeInstanceOf(Error);
    expect(isErrno(other, "EACCES", "ENOENT")).toBe(true);
  });

  it.each([new Error("x"), undefined, null, "ENOENT", {}])("is not %s", (error) => {
    expect(isErrno(error, "ENOENT")).toBe(false);
  });
});
