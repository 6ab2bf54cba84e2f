/** `--exclude .git` once uploaded all of `.git`, secrets and all, without a word. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";

let home: Home;
beforeAll(async () => {
  home = createHome({ here: true });
  for (const name of [".env", ".git/config", "node_modules/x/i.js", "src/a.js", "src/b.{c}"]) {
    const path = join(home.directory, "proj", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name);
  }
  await home.pail(["mb", "local/box"]);
});
afterAll(() => home.remove());

/** The names that `cp -r proj/` would copy. */
async function planned(...flags: string[]) {
  const args = ["cp", "-r", "--dry-run", "--json", "proj/", "local/box", ...flags];
  const { code, stdout, stderr } = await home.pail(args);
  const names = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { source?: string })
    .flatMap(({ source }) => (source === undefined ? [] : [source.slice("proj/".length)]));
  return { code, names: names.toSorted(), stderr };
}

test.each([
  [".git", "node_modules", ".env"],
  [".git/", "node_modules/", "/.env"],
  [".git/*", "node_modules/*", ".e*"],
  [".git/**", "node_modules/**", ".env"],
  ["{.git,node_modules,.env}"],
])("--exclude leaves out the whole directory: %s", async (...patterns) => {
  const flags = patterns.flatMap((pattern) => ["--exclude", pattern]);
  expect(await planned(...flags)).toMatchObject({ code: 0, names: ["src/a.js", "src/b.{c}"] });
});

test("--include takes the whole directory, too", async () => {
  const { names } = await planned(
    "--include",
    "src",
    "--exclude",
    "*.{c,js}",
    "--exclude",
    "!a.js",
  );
  expect(names).toEqual(["src/a.js", "src/b.{c}"]);
});

test("--exclude-from reads a .gitignore, in which braces mean themselves", async () => {
  writeFileSync(join(home.directory, "ignore"), "# what\n*\n!src/\n!*.js\n!b.{c}\n");
  expect((await planned("--exclude-from", "ignore")).names).toEqual(["src/a.js", "src/b.{c}"]);
  expect(await planned("--exclude-from", "missing")).toMatchObject({ code: 3 });
});

test("a pattern that changed nothing is reported", async () => {
  const { stderr } = await planned("--exclude", "node_modlues", "--exclude", ".git");
  expect(stderr).toMatch(/^--exclude 'node_modlues' left out nothing$/m);
  expect(stderr).not.toContain("'.git'");
});

test("a directory left out is not entered, whatever is in it: a loop, a pipe", async () => {
  const tree = join(home.directory, "tree");
  rmSync(tree, { recursive: true, force: true, maxRetries: 5 });
  mkdirSync(join(tree, "skip"), { recursive: true });
  writeFileSync(join(tree, "a"), "a");
  symlinkSync(tree, join(tree, "loop"));
  execFileSync("mkfifo", [join(tree, "skip", "fifo")]);
  const copy = ["cp", "-r", "tree/", "local/box/tree"];
  expect(await home.pail(copy)).toMatchObject({ code: 7 });
  const { code, stderr } = await home.pail([...copy, "--exclude", "loop", "--exclude", "skip"]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1 object/) });
});

test("a download by a pattern that can match nothing is refused", async () => {
  await home.pail(["cp", "-r", "proj/", "local/box/down"]);
  const out = await home.pail([
    "cp",
    "-r",
    "local/box/down/",
    "out",
    "--exclude",
    ".git",
    "--json",
  ]);
  expect(out.stdout).not.toContain(".git");
  expect(out.stdout).toContain("node_modules/x/i.js");
  const bad = await home.pail(["cp", "-r", "proj/", "local/box/none", "--include", "!x"]);
  expect(bad).toMatchObject({ code: 2, stdout: "" });
});
