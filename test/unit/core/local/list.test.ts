import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type DiskProblem, listTree } from "../../../../src/core/local/list.js";
import { compareKeys } from "../../../../src/core/storage/key-order.js";
import { cases } from "../../../support/cases.js";

const IS_POSIX = process.platform !== "win32";
const IS_ROOT = process.getuid?.() === 0;

function makeFifo(path: string): void {
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
}

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pail-disk-"));
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

async function list(): Promise<{ keys: string[]; problems: [string, string][] }> {
  const problems: [string, string][] = [];
  const onProblem = ({ key, error }: DiskProblem) => problems.push([key, error.code]);
  const keys: string[] = [];
  for await (const page of listTree(root, {}, onProblem)) {
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

  it("does not enter a loop of links, and reports it", async () => {
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

  it.skipIf(!IS_POSIX)("names things that are no files, and does not wait for them", async () => {
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
        problems: [["bad\\xff", "InvalidName"]],
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

  it("reports problems page by page, so that many need not be kept", async () => {
    for (let i = 0; i < 10; i += 1) await symlink("nowhere", join(root, `dangling-${i}`));
    await writeFile(join(root, "file"), "x");
    let kept = 0;
    const keys: string[] = [];
    for await (const page of listTree(root, { pageSize: 3 }, () => (kept += 1))) {
      expect(kept).toBeLessThanOrEqual(3);
      kept = 0;
      keys.push(...page.map(({ key }) => key));
    }
    expect(keys).toEqual(["file"]);
  });

  it("refuses a root that is not there", async () => {
    const missing = listTree(join(root, "missing"), {}, () => undefined);
    await expect(missing.next()).rejects.toMatchObject({ kind: "not-found", code: "ENOENT" });
  });

  it("is complete and in order for any tree", async () => {
    const name = fc.constantFrom("a", "a-", "a.b", "a0", "b", "\uff5e", "\u{1f600}");
    const key = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 12 }), async (tree) => {
        await rm(root, { recursive: true, force: true, maxRetries: 5 });
        const written = new Set<string>();
        await mkdir(root);
        for (const one of tree) {
          // A file cannot stand where a directory does.
          const clash = [...written].some(
            (w) => w.startsWith(`${one}/`) || one.startsWith(`${w}/`),
          );
          if (clash) continue;
          await mkdir(dirname(join(root, one)), { recursive: true });
          await writeFile(join(root, one), "x");
          written.add(one);
        }
        expect(await list()).toEqual({ keys: [...written].sort(compareKeys), problems: [] });
      }),
      cases(60),
    );
  });
});
