import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type Approve, CannotAsk, createFileGuard } from "../../../../src/mcp/files/guard.js";
import type { GuardOptions } from "../../../../src/mcp/files/roots.js";

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "pail-guard-")));
  for (const name of ["work", "temp", "home", "home/.ssh", "allowed", "outside", "own"]) {
    mkdirSync(join(base, name));
  }
  writeFileSync(join(base, "home/.ssh/id_ed25519"), "key");
  writeFileSync(join(base, "allowed/in.txt"), "in");
  writeFileSync(join(base, "outside/out.txt"), "out");
  writeFileSync(join(base, "work/a.txt"), "work");
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A guard that has nobody to ask, or with `approve` somebody. */
async function guard(
  options: Partial<GuardOptions> = {},
  approve: Approve = async () => {
    throw new CannotAsk();
  },
) {
  const files = await createFileGuard({
    allowDirs: [],
    readOnly: false,
    allowSensitive: false,
    allowOverwrite: false,
    cwd: join(base, "work"),
    home: join(base, "home"),
    own: [join(base, "own")],
    ...options,
  });
  return {
    roots: files.roots,
    reading: (path: string) => files.reading(path, approve),
    writing: (path: string, replace = false) => files.writing(path, approve, replace),
  };
}
const confined = () => guard({ allowDirs: [join(base, "allowed")] });
const refusal = expect.objectContaining({ code: "LocalFileRefused", kind: "denied" });

describe("reading", () => {
  it("opens a file of the working directory by a relative path", async () => {
    const file = await (await guard()).reading("a.txt");
    expect(readFileSync(file.path, "utf8")).toBe("work");
    expect(file).toMatchObject({ shown: join(base, "work/a.txt"), size: 4 });
    await file.close();
  });

  it("opens a file outside only with a person's yes for that very path", async () => {
    const path = join(base, "outside/out.txt");
    const asked: string[] = [];
    const files = await guard({}, async (question) => {
      asked.push(question);
    });
    await (await files.reading(path)).close();
    expect(asked).toEqual([`Let the agent read the local file ${JSON.stringify(path)}?`]);
    await (await files.reading("a.txt")).close();
    expect(asked).toHaveLength(1);
    await expect((await guard()).reading(path)).rejects.toMatchObject({
      code: "LocalFileRefused",
      hint: expect.stringContaining("--allow-dir"),
    });
  });

  it("opens no secret, not even with a yes, whatever path leads to it", async () => {
    const files = await guard({}, async () => undefined);
    writeFileSync(join(base, "work/notes.txt"), "-----BEGIN OPENSSH PRIVATE KEY-----\nx");
    writeFileSync(join(base, "work/.env"), "A=b");
    await expect(files.reading("notes.txt")).rejects.toEqual(refusal);
    await expect(files.reading(".env")).rejects.toEqual(refusal);
    const allowed = await guard({ allowSensitive: true });
    await (await allowed.reading("notes.txt")).close();
  });

  it("has no root where the working directory is home, / or above home", async () => {
    expect((await guard()).roots).toEqual([join(base, "work")]);
    for (const cwd of [join(base, "home"), base, "/"]) {
      expect((await guard({ cwd })).roots).toEqual([]);
    }
    expect((await guard({ cwd: "/", allowDirs: [base] })).roots).toEqual([base]);
  });

  it("does not accept home as a working directory", async () => {
    const files = await guard({ cwd: join(base, "home") });
    writeFileSync(join(base, "home/.env"), "x");
    await expect(files.reading(".env")).rejects.toEqual(refusal);
  });

  it.each(["~/.ssh/id_ed25519", "../home/.ssh/id_ed25519", "../project/../home/.ssh/id_ed25519"])(
    "refuses a key, spelled %s",
    async (path) => {
      await expect((await guard()).reading(path)).rejects.toEqual(refusal);
    },
  );

  it("refuses a key behind a link in the working directory", async () => {
    symlinkSync(join(base, "home/.ssh/id_ed25519"), join(base, "work/notes.txt"));
    symlinkSync(join(base, "home/.ssh"), join(base, "work/dir"));
    const files = await guard();
    await expect(files.reading("notes.txt")).rejects.toEqual(refusal);
    await expect(files.reading("dir/id_ed25519")).rejects.toEqual(refusal);
  });

  it("refuses without saying whether a file is there", async () => {
    const files = await confined();
    await expect(files.reading(join(base, "outside/out.txt"))).rejects.toEqual(refusal);
    await expect(files.reading(join(base, "outside/nothing"))).rejects.toEqual(refusal);
  });

  it.each([
    ["a link", () => symlinkSync(join(base, "outside/out.txt"), join(base, "allowed/x"))],
    [
      "a link through a link",
      () => {
        symlinkSync(join(base, "outside"), join(base, "work/hop"));
        symlinkSync(join(base, "work/hop/out.txt"), join(base, "allowed/x"));
      },
    ],
    ["a relative link", () => symlinkSync("../outside/out.txt", join(base, "allowed/x"))],
  ])("refuses to leave the allowed directory by %s", async (_what, prepare) => {
    prepare();
    await expect((await confined()).reading(join(base, "allowed/x"))).rejects.toEqual(refusal);
  });

  it("follows a link that stays in the allowed directory", async () => {
    symlinkSync("in.txt", join(base, "allowed/link"));
    const file = await (await confined()).reading(join(base, "allowed/link"));
    expect(readFileSync(file.path, "utf8")).toBe("in");
    await file.close();
  });

  it("refuses a dangling link, a loop, a directory, a FIFO and a NUL", async () => {
    symlinkSync(join(base, "outside/none"), join(base, "allowed/dangling"));
    symlinkSync("loop", join(base, "allowed/loop"));
    execFileSync("mkfifo", [join(base, "allowed/fifo")]);
    const files = await confined();
    const at = (name: string) => files.reading(join(base, "allowed", name));
    await expect(at("dangling")).rejects.toMatchObject({
      code: expect.stringMatching(/ENOENT|ELOOP/),
    });
    await expect(at("loop")).rejects.toMatchObject({ code: "ELOOP" });
    await expect(at("fifo")).rejects.toEqual(refusal);
    await expect(at("")).rejects.toEqual(refusal);
    await expect(at("in.txt\0.png")).rejects.toEqual(refusal);
    await expect(files.reading("")).rejects.toEqual(refusal);
  });

  it.each(["%2e%2e/outside/out.txt", "..%2foutside/out.txt", "\u2024\u2024/outside/out.txt"])(
    "treats %s as a name like any other",
    async (path) => {
      const files = await guard({ allowDirs: [join(base, "allowed")], cwd: join(base, "allowed") });
      await expect(files.reading(path)).rejects.toMatchObject({
        code: expect.stringMatching(/ENOENT|LocalFileRefused/),
      });
    },
  );

  it("does not confuse a sibling of the same beginning with the directory", async () => {
    mkdirSync(join(base, "allowed-evil"));
    writeFileSync(join(base, "allowed-evil/x"), "evil");
    await expect((await confined()).reading(join(base, "allowed-evil/x"))).rejects.toEqual(refusal);
  });

  it("says which file is missing", async () => {
    await expect((await guard()).reading("none.txt")).rejects.toMatchObject({
      code: "ENOENT",
      kind: "not-found",
      message: "cannot read none.txt: no such file or directory",
    });
  });
});

describe("writing", () => {
  it("gives a place in the allowed directory, and makes missing directories above it", async () => {
    const place = await (await confined()).writing(join(base, "allowed/a/b/c.txt"));
    writeFileSync(place.path, "new");
    await place.close();
    expect(place.shown).toBe(join(base, "allowed/a/b/c.txt"));
    expect(readFileSync(join(base, "allowed/a/b/c.txt"), "utf8")).toBe("new");
  });

  it.each([
    ["outside", "outside/new.txt"],
    ["a sibling with the same beginning", "allowed-evil/new.txt"],
    ["the parent", "allowed/../new.txt"],
    ["a linked directory", "allowed/link/new.txt"],
    ["a link to nothing", "allowed/dangling/new.txt"],
  ])("refuses %s, and makes nothing there", async (_what, path) => {
    symlinkSync(join(base, "outside"), join(base, "allowed/link"));
    symlinkSync(join(base, "outside/made"), join(base, "allowed/dangling"));
    await expect((await confined()).writing(join(base, path))).rejects.toMatchObject({
      kind: expect.stringMatching(/denied|conflict|usage/),
    });
    for (const made of ["outside/new.txt", "outside/made", "allowed-evil"]) {
      expect(() => realpathSync(join(base, made))).toThrow("ENOENT");
    }
  });

  it("refuses start-up files, keys, pail's own store and anything that is not a file", async () => {
    const files = await guard();
    const { home } = { home: join(base, "home") };
    for (const path of [
      join(home, ".bashrc"),
      join(home, ".ssh/authorized_keys"),
      join(home, ".config/autostart/x.desktop"),
      join(base, "own/objects/x"),
      "/etc/cron.d/x",
      "/proc/self/mem",
      "dir/",
      "",
    ]) {
      await expect(files.writing(path)).rejects.toEqual(refusal);
    }
    mkdirSync(join(base, "work/there"));
    await expect(files.writing("there")).rejects.toEqual(refusal);
  });

  it("holds the directory: another one put in its place receives nothing", async () => {
    mkdirSync(join(base, "allowed/dir"));
    const place = await (await confined()).writing(join(base, "allowed/dir/new.txt"));
    rmSync(join(base, "allowed/dir"), { recursive: true });
    symlinkSync(join(base, "outside"), join(base, "allowed/dir"));
    if (process.platform === "linux") {
      expect(() => writeFileSync(place.path, "x")).toThrow();
      expect(() => realpathSync(join(base, "outside/new.txt"))).toThrow("ENOENT");
    }
    await place.close();
  });
});

describe("createFileGuard", () => {
  it("refuses to start with an allowed directory that is not there", async () => {
    await expect(guard({ allowDirs: [join(base, "none")] })).rejects.toMatchObject({
      kind: "usage",
      code: "NoSuchDirectory",
    });
    await expect(guard({ allowDirs: [join(base, "work/a.txt")] })).rejects.toMatchObject({
      code: "NoSuchDirectory",
    });
  });

  it("reads ~ in an allowed directory, which no shell has expanded", async () => {
    mkdirSync(join(base, "home/shared"));
    writeFileSync(join(base, "home/shared/a"), "a");
    const files = await guard({ allowDirs: ["~/shared"] });
    await (await files.reading("~/shared/a")).close();
    await expect(files.reading(join(base, "work/a.txt"))).rejects.toEqual(refusal);
  });

  it("resolves an allowed directory to its real path", async () => {
    symlinkSync(join(base, "allowed"), join(base, "alias"));
    const files = await guard({ allowDirs: [join(base, "alias")] });
    await (await files.reading(join(base, "allowed/in.txt"))).close();
    await (await files.reading(join(base, "alias/in.txt"))).close();
  });
});

describe("writing files that tools run or trust", () => {
  const names = [
    ".git/config",
    ".git/hooks/post-checkout",
    ".mcp.json",
    ".envrc",
    "sub/.vscode/tasks.json",
    ".github/workflows/ci.yml",
    "conftest.py",
    "venv/lib/python3/site-packages/x.pth",
    "x.pth",
    "package.json",
    "Makefile",
    "MAKEFILE",
    "vite.config.ts",
    "build.rs",
    "CMakeLists.txt",
    "hooks/post-receive",
    "node_modules/left/index.js",
    "AGENTS.md",
    "bin/ls",
    "run.desktop",
  ];
  it.each(names)("refuses %s in every root", async (name) => {
    for (const [options, root] of [
      [{}, "work"],
      [{ allowDirs: [join(base, "allowed")] }, "allowed"],
      [{ allowDirs: ["/"] }, "outside"],
    ] as const) {
      const made = await guard(options);
      await expect(made.writing(join(base, root, name))).rejects.toEqual(refusal);
      expect(existsSync(join(base, root, name.split("/")[0]!))).toBe(false);
    }
  });

  it("accepts a root whose own name begins with a dot", async () => {
    mkdirSync(join(base, ".hidden"));
    const made = await guard({ allowDirs: [join(base, ".hidden")] });
    const place = await made.writing(join(base, ".hidden/report.csv"));
    await place.close();
  });

  it("needs a yes for a program, and for a file that is there", async () => {
    writeFileSync(join(base, "work/there.txt"), "old");
    const nobody = await guard();
    await expect(nobody.writing("new.py")).rejects.toEqual(refusal);
    await expect(nobody.writing("there.txt", true)).rejects.toEqual(refusal);
    await expect(nobody.writing("there.txt")).rejects.toMatchObject({ code: "FileExists" });
    const asked: string[] = [];
    const somebody = await guard({}, async (question) => {
      asked.push(question);
    });
    await (await somebody.writing("new.py")).close();
    const place = await somebody.writing("there.txt", true);
    expect(place.there?.size).toBe(3);
    await place.close();
    expect(asked[0]).toContain(JSON.stringify(join(base, "work/new.py")));
    expect(asked.at(-1)).toMatch(/^Replace the local file ".*there\.txt" \(3 bytes, modified /);
    const allowed = await guard({ allowOverwrite: true });
    await (await allowed.writing("there.txt", true)).close();
    await expect(allowed.writing("there.txt")).rejects.toMatchObject({ code: "FileExists" });
  });

  it("understands file: URLs", async () => {
    const made = await guard();
    const place = await made.writing(`file://${join(base, "work/x.txt")}`);
    expect(place.shown).toBe(join(base, "work/x.txt"));
    await place.close();
    await expect(made.writing("file://host/x")).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  it("writes nothing at all under --read-only", async () => {
    const made = await guard({ readOnly: true });
    await expect(made.writing("new.txt")).rejects.toMatchObject({ code: "AccessDenied" });
  });
});
