/** Aliases as they are shown: alias list and alias export. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Commands, createCommands } from "../../support/command.js";

const SECRET = "a-secret-of-play";
let commands: Commands;
beforeAll(async () => {
  commands = createCommands({ PAIL_HOST_env: `http://key:${SECRET}@127.0.0.1:9` });
  for (const name of ["play", "work"]) {
    const words = [name, "http://127.0.0.1:9", `key-of-${name}`, SECRET, "--no-check"];
    await commands.run("alias set", ...words);
  }
});
afterAll(() => commands.close());

const run: Commands["run"] = (...words) => commands.run(...words);

describe("alias list", () => {
  it("shows one or all, never a secret, and ends with 2 for an unknown name", async () => {
    const all = await run("alias list");
    expect(all.stdout.trim().split("\n")).toHaveLength(4);
    expect(all.stdout).toContain("key-of-work");
    const one = await run("alias list", "play", "--json");
    expect(one.records).toMatchObject([{ name: "play", url: "http://127.0.0.1:9/" }]);
    for (const { stdout, stderr } of [all, one]) expect(stdout + stderr).not.toContain(SECRET);
    const typo = await run("alias list", "paly");
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("play")]);
  });
});

describe("alias export", () => {
  it("prints the configuration of named aliases, with secrets only when asked", async () => {
    const named = await run("alias export", "play");
    const { aliases } = JSON.parse(named.stdout) as { aliases: object };
    expect(Object.keys(aliases)).toEqual(["play"]);
    const all = await run("alias export");
    expect(Object.keys((JSON.parse(all.stdout) as { aliases: object }).aliases)).toHaveLength(2);
    for (const { stdout } of [named, all]) expect(stdout).not.toContain(SECRET);
    const secret = await run("alias export", "play", "--with-secrets");
    expect(JSON.parse(secret.stdout)).toHaveProperty("aliases.play.secretKey", SECRET);
  });

  it("prints nothing where one of them is not in the file but in the environment", async () => {
    const { code, stdout, stderr } = await run("alias export", "play", "env");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain('no alias "env" in the configuration file');
  });
});
