/** Completion in the shells themselves; zsh and fish where the machine has them. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { BIN, createHome, type Home, RUNTIME } from "../support/run.js";
import { openTerminal } from "../support/terminal.js";
import { until } from "../support/until.js";

let home: Home;
let silent: Server;
beforeAll(async () => {
  home = createHome();
  await home.pail(["mb", "local/box", "local/other"]);
  for (const key of ["dir/a b.txt", "dir/c.txt", "10:30.txt", "it's"]) {
    await home.pail(["pipe", `local/box/${key}`], { stdin: "x" });
  }
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "pail"), `#!/bin/sh\nexec "${RUNTIME}" "${BIN}" "$@"\n`);
  chmodSync(join(bin, "pail"), 0o755);
  writeFileSync(join(home.directory, "local file"), "");
  silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  // A prompt waits only half a second, and a busy machine may take longer: asks until it is known.
  for (const level of ["local/", "local/box/", "local/box/dir/"]) {
    await until(() => inBash(["ls", level]).length > 0);
  }
});
// Answers are kept for half a minute, and a busy machine may take as long.
beforeEach(renew);
afterAll(() => {
  home.remove();
  silent.close();
});

/** Makes the kept answers of the service look new. */
function renew(): void {
  const known = join(home.directory, "state", "completion");
  for (const name of readdirSync(known)) utimesSync(join(known, name), new Date(), new Date());
}

/** Runs a script in a shell and returns what it prints. */
function shell(name: string, script: string, env: NodeJS.ProcessEnv = {}): string {
  const path = `${join(home.directory, "bin")}:${process.env["PATH"]}`;
  const { stdout, stderr } = spawnSync(name, ["-c", script], {
    cwd: home.directory,
    env: { ...home.env, PATH: path, ...env },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout;
}

const has = (name: string) => spawnSync(name, ["--version"]).status === 0;

/** The words as bash has cut them, and what it is then offered. */
function inBash(words: readonly string[], env?: NodeJS.ProcessEnv): string[] {
  const quoted = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const script = `eval "$(pail completion bash)"; COMP_WORDS=(pail ${quoted}); COMP_CWORD=${words.length}; _pail; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return shell("bash", script, env)
    .split("\n")
    .filter((line) => line !== "");
}

test.each([
  [["vers"], ["version"]],
  [
    ["version", ""],
    ["enable", "status", "suspend"],
  ],
  [
    ["ls", "local/"],
    ["local/box/", "local/other/"],
  ],
  [["ls", "local/box/d"], ["local/box/dir/"]],
  [["cat", "local/box/dir/a"], [String.raw`local/box/dir/a\ b.txt`]],
  [["cat", String.raw`local/box/dir/a\ b`], [String.raw`local/box/dir/a\ b.txt`]],
  [["cat", "local/box/10", ":", "3"], ["30.txt"]],
  [["cat", "local/box/i"], [String.raw`local/box/it\'s`]],
  [["cp", "--checksum", "=", "SHA2"], ["SHA256"]],
  [["cp", "local f"], ["local file"]],
])("bash: %j becomes %j", (words, values) => {
  expect(inBash(words)).toEqual(values);
});

test("a service that does not answer does not hold up the prompt", () => {
  const { port } = silent.address() as AddressInfo;
  const env = { PAIL_HOST_slow: `http://a:b@127.0.0.1:${port}` };
  expect(inBash(["ls", "slow/"], env)).toEqual([]);
  expect(inBash(["ls", "none/"], env)).toEqual([]);
});

test("answers are kept for a while", async () => {
  expect(inBash(["ls", "local/oth"])).toEqual(["local/other/"]);
  await home.pail(["rb", "local/other"]);
  expect(inBash(["ls", "local/oth"])).toEqual(["local/other/"]);
});

/** How each shell starts without a user's settings, and with pail's completion. */
const STARTS: Readonly<Record<string, readonly [string[], string]>> = {
  bash: [["--norc", "-i"], 'PS1="> "; eval "$(pail completion bash)"'],
  zsh: [["-f", "-i"], 'PS1="> "; autoload -U compinit; compinit -D; eval "$(pail completion zsh)"'],
  fish: [["--no-config", "-i"], "pail completion fish | source"],
};

// A person who types the beginning of a word, and the tab key.
const TYPED: readonly (readonly [string, string])[] = [
  ["versi", "version"],
  ["ls local/box/d", "ls local/box/dir/"],
  ["cat local/box/dir/a", String.raw`cat local/box/dir/a\ b.txt`],
  ["cat local/box/10", "30.txt"],
  ["cp --checksum SHA2", "cp --checksum SHA256"],
];

test.for(Object.keys(STARTS))("%s, on a terminal", async (name, { skip }) => {
  skip(!has(name), `${name} is not on this machine`);
  const [args, begin] = STARTS[name]!;
  const path = `${join(home.directory, "bin")}:${process.env["PATH"]}`;
  const env = { PATH: path, HOME: home.directory, XDG_CONFIG_HOME: home.directory };
  const terminal = openTerminal({ home, program: name, args, env, columns: 100 });
  terminal.send(`${begin}; echo re""ady\r`);
  await terminal.see(/^ready/m);
  for (const [typed, whole] of TYPED) {
    renew();
    terminal.send(`pail ${typed}\t`);
    await terminal.see(whole);
    terminal.send("\u0015\u000C");
    await terminal.miss(whole);
  }
  terminal.send("exit\r");
  await terminal.exit();
});
