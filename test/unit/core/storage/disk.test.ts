import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { DiskProblem } from "../../../../src/core/local/list.js";
import { openDirectory } from "../../../../src/core/storage/disk.js";
import { compareKeys } from "../../../../src/core/storage/key-order.js";
import type { ListOptions } from "../../../../src/core/storage/storage.js";

const IS_POSIX = process.platform !== "win32";
const IS_ROOT = process.getuid?.() === 0;

function makeFifo(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
}

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pail-disk-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function list(
  options: ListOptions = {},
): Promise<{ keys: string[]; problems: [string, string][] }> {
  const problems: [string, string][] = [];
  const onProblem = ({ key, error }: DiskProblem) => problems.push([key, error.code]);
  const keys: string[] = [];
  for await (const page of openDirectory(root, { onProblem }).list(options)) {
    keys.push(...page.map(({ key }) => key));
  }
  return { keys, problems };
}

describe("a directory's listing", () => {
  it("follows links to files and directories", async () => {
    await mkdir(join(root, "real"));
    await writeFile(join(root, "real", "file"), "x");
    await symlink("real/file", join(root, "file-link"));
    await symlink("real", join(root, "z-link"));
    expect(await list()).toEqual({
      keys: ["file-link", "real/file", "z-link/file"],
      problems: [],
    });
  });

  it("does not go into a loop of links, and says so", async () => {
    await mkdir(join(root, "a", "b"), { recursive: true });
    await writeFile(join(root, "a", "file"), "x");
    await symlink("../..", join(root, "a", "b", "up"));
    await symlink(".", join(root, "a", "self"));
    await symlink("circle", join(root, "circle"));
    expect(await list()).toEqual({
      keys: ["a/file"],
      problems: [
        ["a/b/up/", "LinkLoop"],
        ["a/self/", "LinkLoop"],
        ["circle", "ELOOP"],
      ],
    });
  });

  it.skipIf(!IS_POSIX)("names what is no file, and does not wait for it", async () => {
    makeFifo(join(root, "fifo"));
    await symlink("nowhere", join(root, "dangling"));
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    await writeFile(join(root, "good"), "x");
    const found = await list();
    server.close();
    expect(found).toEqual({
      keys: ["good"],
      problems: [
        ["dangling", "DanglingLink"],
        ["fifo", "NotRegularFile"],
        ["socket", "NotRegularFile"],
      ],
    });
  });

  it.skipIf(!IS_POSIX || process.platform === "darwin")(
    "names files whose names are not UTF-8",
    async () => {
      await writeFile(Buffer.from(`${root}/bad\xff`, "latin1"), "x");
      await writeFile(join(root, "good \ufffd"), "x");
      expect(await list()).toEqual({
        keys: ["good \ufffd"],
        problems: [["bad\ufffd", "InvalidName"]],
      });
    },
  );

  it.skipIf(!IS_POSIX || IS_ROOT)("names directories that may not be read", async () => {
    await mkdir(join(root, "closed"), { mode: 0 });
    await writeFile(join(root, "open"), "x");
    const found = await list();
    await chmod(join(root, "closed"), 0o700);
    expect(found).toEqual({ keys: ["open"], problems: [["closed/", "EACCES"]] });
  });

  it("hands problems out with the pages, so that many need not be kept", async () => {
    for (let i = 0; i < 10; i += 1) await symlink("nowhere", join(root, `dangling-${i}`));
    await writeFile(join(root, "file"), "x");
    let kept = 0;
    const keys: string[] = [];
    const storage = openDirectory(root, { onProblem: () => (kept += 1) });
    for await (const page of storage.list({ pageSize: 3 })) {
      expect(kept).toBeLessThanOrEqual(3);
      kept = 0;
      keys.push(...page.map(({ key }) => key));
    }
    expect(keys).toEqual(["file"]);
  });

  it("ends with the problem when nobody asked to be told", async () => {
    await symlink("nowhere", join(root, "dangling"));
    const listing = (async () => {
      for await (const _ of openDirectory(root).list());
    })();
    await expect(listing).rejects.toMatchObject({ code: "DanglingLink" });
  });

  it("shows empty directories as prefixes", async () => {
    await mkdir(join(root, "empty"));
    expect((await list({ delimiter: "/" })).keys).toEqual(["empty/"]);
    expect((await list()).keys).toEqual([]);
  });

  it("groups by any delimiter", async () => {
    await mkdir(join(root, "a-1"));
    for (const name of ["a-1/x", "a-2", "b", "c-"]) await writeFile(join(root, name), "x");
    expect((await list({ delimiter: "-" })).keys).toEqual(["a-", "b", "c-"]);
  });

  it("needs a root that is there and is a directory", async () => {
    const missing = openDirectory(join(root, "missing")).list();
    await expect(missing[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      kind: "not-found",
      code: "ENOENT",
    });
    await writeFile(join(root, "file"), "x");
    const file = openDirectory(join(root, "file")).list();
    await expect(file[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it("is complete and in order for any tree, prefix and start", async () => {
    const name = fc.constantFrom("a", "a-", "a.b", "a0", "b", "\uff5e", "\u{1f600}");
    const key = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    const storage = openDirectory(root);
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 12 }), key, key, async (tree, prefix, start) => {
        await rm(root, { recursive: true, force: true });
        await mkdir(root);
        const written = new Set<string>();
        for (const one of tree) {
          // A file cannot stand where a directory does.
          const clash = [...written].some(
            (w) => w.startsWith(`${one}/`) || one.startsWith(`${w}/`),
          );
          if (clash) continue;
          await storage.write(one, Buffer.from("x"));
          written.add(one);
        }
        const all = [...written].sort(compareKeys);
        expect((await list()).keys).toEqual(all);
        expect((await list({ prefix })).keys).toEqual(all.filter((k) => k.startsWith(prefix)));
        expect((await list({ startAfter: start })).keys).toEqual(
          all.filter((k) => compareKeys(k, start) > 0),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("a directory's files", () => {
  it.skipIf(!IS_POSIX)("are not waited for when they are FIFOs", async () => {
    makeFifo(join(root, "fifo"));
    const storage = openDirectory(root);
    const expected = { kind: "usage", code: "NotRegularFile" };
    await expect(storage.read("fifo")).rejects.toMatchObject(expected);
    await expect(storage.stat("fifo")).rejects.toMatchObject(expected);
  });

  it("may be read through a link, but not written or removed through one that leads out", async () => {
    const outside = await mkdtemp(join(tmpdir(), "pail-outside-"));
    await writeFile(join(outside, "file"), "precious");
    await symlink(outside, join(root, "out"));
    const storage = openDirectory(root);
    expect((await storage.stat("out/file")).size).toBe(8);
    const writing = storage.write("out/file", Buffer.from("x"));
    await expect(writing).rejects.toMatchObject({ code: "UnsafeKey" });
    expect(await storage.remove([{ key: "out/file" }])).toMatchObject([
      { error: { code: "UnsafeKey" } },
    ]);
    expect(await readFile(join(outside, "file"), "utf8")).toBe("precious");
    await rm(outside, { recursive: true });
  });

  it("replace a link rather than what it leads to", async () => {
    await writeFile(join(root, "target"), "old");
    await symlink("target", join(root, "link"));
    await openDirectory(root).write("link", Buffer.from("new"));
    expect(await readFile(join(root, "target"), "utf8")).toBe("old");
    expect(await readFile(join(root, "link"), "utf8")).toBe("new");
  });

  it.each([true, false])("leave nothing beside them (fsync: %s)", async (fsync) => {
    const storage = openDirectory(root, { fsync });
    await storage.write("dir/file", Buffer.from("x"));
    await storage.write("dir/new", Buffer.from("x"), { ifNoneMatch: "*" });
    await expect(
      storage.write("dir/file", Buffer.from("y"), { ifNoneMatch: "*" }),
    ).rejects.toMatchObject({ code: "PreconditionFailed" });
    await expect(storage.write("dir", Buffer.from("y"))).rejects.toMatchObject({ code: "EISDIR" });
    await expect(storage.write("dir/file/below", Buffer.from("y"))).rejects.toMatchObject({
      kind: "conflict",
    });
    expect((await readdir(join(root, "dir"))).toSorted()).toEqual(["file", "new"]);
    expect(await readdir(root)).toEqual(["dir"]);
  });

  it("have no versions", async () => {
    const storage = openDirectory(root);
    const expected = { kind: "usage", code: "NotImplemented" };
    await expect(storage.stat("a", { versionId: "1" })).rejects.toMatchObject(expected);
    expect(() => storage.list({ versions: true })).toThrow(expect.objectContaining(expected));
  });
});
