import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHome, finish, type Home } from "../support/run.js";
import { openTerminal } from "../support/terminal.js";

interface Manifest {
  readonly commands: Readonly<
    Record<
      string,
      {
        readonly summary?: string;
        readonly examples?: readonly { readonly description: string }[];
        readonly args: Readonly<Record<string, { readonly description?: string }>>;
        readonly flags: Readonly<Record<string, { readonly description?: string }>>;
      }
    >
  >;
}

const manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../oclif.manifest.json", import.meta.url)), "utf8"),
) as Manifest;
const commands = Object.entries(manifest.commands);

let home: Home;
beforeAll(() => {
  home = createHome({ here: true });
});
afterAll(() => home.remove());

/** The whole program, from bin/run.js on: help writes to the console of its own process. */
const started = (args: readonly string[]) => finish(home.start(args));

test("--version prints name, version and platform", async () => {
  const { code, stdout } = await started(["--version"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^pail\/\d+\.\d+\.\d+ \S+ (?:node|bun)-v\d+/);
});

test("help names the program as --version does", async () => {
  const { stdout: version } = await started(["--version"]);
  for (const asked of ["--help", "-h", "help"]) {
    const { code, stdout } = await started([asked]);
    expect(code).toBe(0);
    expect(stdout).toContain(`VERSION\n  ${version}`);
  }
});

test("help for an unknown command is a usage error like any other", async () => {
  for (const asked of [
    ["sl", "--help"],
    ["help", "sl"],
  ]) {
    const { code, stderr } = await home.pail(asked);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^pail: there is no command "sl"\nhint: /);
  }
});

test("prints help without arguments and without a terminal", async () => {
  const { code, stdout } = await started([]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/COMMANDS\n/);
});

test("opens the console without arguments on a terminal", async () => {
  const terminal = openTerminal({ home, args: [] });
  await terminal.see("local");
  expect(terminal.modes().alternate).toBe(true);
  terminal.kill();
  await terminal.exit();
});

test.each([
  [["cp", "--help"], /SOURCES/],
  [["cp", "-h"], /SOURCES/],
  [["help", "cp"], /SOURCES/],
  [["alias", "set", "--help"], /secret-key-stdin/],
  [["alias"], /alias remove/],
  [["serve", "key"], /serve key create/],
])("%j explains itself", async (args, text) => {
  const { code, stdout } = await started(args);
  expect(code).toBe(0);
  expect(stdout).toMatch(text);
});

describe("every command", () => {
  test.each(commands)("%s has a summary, examples and described arguments", (_id, command) => {
    expect(command.summary).toMatch(/\S/);
    expect(command.examples?.length).toBeGreaterThan(0);
    for (const { description } of command.examples!) expect(description).toMatch(/\S/);
    for (const item of [...Object.values(command.args), ...Object.values(command.flags)]) {
      expect(item.description).toMatch(/\S/);
    }
  });

  test.each(commands.map(([id]) => id))("%s is documented", (id) => {
    const page = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");
    expect(page).toContain(id.replaceAll(":", " "));
  });
});

test("the working directory sets no variables and runs nothing", async () => {
  const cwd = join(home.directory, "strange");
  mkdirSync(cwd);
  writeFileSync(join(cwd, ".env"), "PAIL_HOST_strange=http://a:b@127.0.0.1:9");
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./run.js"]');
  writeFileSync(join(cwd, "run.js"), 'console.log("strange");');
  const { code, stdout } = await finish(home.start(["ls"], { cwd }));
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining("strange") });
});

describe("a misspelt", () => {
  test.each([
    [["lss"], "pail ls"],
    [["alias", "lst"], "pail alias list"],
    [["ls", "--recursiv"], "--recursive"],
    [["cp", "-R", "a", "local/b"], "--recursive"],
    [["sync", "--size-only", "a", "local/b/"], "--compare size"],
    [["cp", "--tags", "k=v", "a", "local/b/"], "--tag"],
    [["head", "-5", "local/b/x"], "-n 5"],
    [["ls", "locl"], "local"],
    [["cp", "1.txt", "lcoal/bucket"], "local/bucket"],
  ])("%j gets a suggestion and exit code 2", async (args, meant) => {
    const { code, stderr } = await home.pail(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean ${meant}?`);
  });

  test.each([
    [["alias", "set", "x", "http://a", "--access-key", "a"], "go behind the URL"],
    [["--endpoint-url", "http://a", "ls"], "pail alias set NAME URL"],
    [["du", "-r", "local"], "all that is below"],
    [["ls", "-lh", "local"], "--json has the bytes"],
    [["cp", "--progress", "a", "local/b"], "by itself"],
  ])("%j, as other tools have it, gets pail's way", async (args, way) => {
    const { code, stderr } = await home.pail(args);
    expect(code).toBe(2);
    expect(stderr).toContain(way);
  });

  test("bucket gets a suggestion and exit code 3", async () => {
    await home.pail(["mb", "local/photos"]);
    const { code, stderr } = await home.pail(["ls", "local/phtos"]);
    expect(code).toBe(3);
    expect(stderr).toContain("did you mean local/photos?");
  });
});

test.each([
  [["cp", "a"], /missing argument/],
  [["uploads", "list", "a", "b"], /unexpected argument: "b"/],
  [["cp", "--concurrency", "many", "a", "local/b"], /--concurrency: expected an integer/],
  [["cp", "--part-size", "big", "a", "local/b"], /"big" is not a size/],
  [["presign", "--expires", "8d", "local/b/k"], /cannot be valid for 8d/],
  [["mb", "local"], /names no bucket/],
  [["mb", "local/a/b"], /more than a bucket/],
  [["cat", "local/b"], /names no object/],
  [["rm", "local/b"], /names a bucket/],
])("%j is a usage error", async (args, message) => {
  const result = await home.pail(args);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(message);
});

test("with --json an error is a line of JSON with the same exit code", async () => {
  for (const args of [["nope"], ["ls", "nope"], ["cp", "--unknown"], ["cat", "local/none/k"]]) {
    const plain = await home.pail(args);
    const json = await home.pail([...args, "--json"]);
    expect(json.code).toBe(plain.code);
    expect(json.stderr).toBe("");
    const { error } = JSON.parse(json.stdout) as { error: Record<string, unknown> };
    expect(plain.stderr).toContain(error["message"]);
    expect(Object.keys(error)).toEqual(expect.arrayContaining(["kind", "code", "message"]));
  }
});

test("--debug shows where an error came from", async () => {
  const { stderr } = await home.pail(["ls", "--debug", "local/nope"]);
  expect(stderr).toMatch(/\n {4}at /);
});
