/** Commands about buckets, aliases and pail itself. */
import { chmodSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Commands, createCommands } from "../../support/command.js";

let commands: Commands;
beforeAll(async () => {
  commands = createCommands({ PAIL_HOST_env: "http://key:secretsecret@127.0.0.1:9" });
  expect((await commands.run("mb", "local/bkt")).stdout).toBe("made local/bkt\n");
});
afterAll(() => commands.close());

const run: Commands["run"] = (...words) => commands.run(...words);

describe("mb and rb", () => {
  it("make and remove buckets, and name those that were there already", async () => {
    const again = await run("mb", "-p", "--json", "local/bkt", "local/other");
    expect(again.records.map(({ type }) => type)).toEqual(["bucket-exists", "bucket-made"]);
    expect((await run("mb", "local/bkt")).code).toBe(5);
    const invalid = await run("mb", "local/Bkt");
    expect([invalid.code, invalid.stderr]).toEqual([2, expect.stringContaining("3 to 63")]);
    expect((await run("rb", "local/other")).code).toBe(0);
    expect((await run("rb", "local/other")).code).toBe(3);
  });

  it("do not remove the objects of a bucket unless told to", async () => {
    await commands.put("bkt/k", "x");
    const refused = await run("rb", "local/bkt");
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("--force");
    expect((await run("stat", "local/bkt/k")).code).toBe(0);
  });
});

describe("settings of a bucket", () => {
  it("are switched and shown", async () => {
    await run("rb", "local/kept");
    await run("mb", "local/kept");
    expect((await run("version status", "local/kept")).stdout).toMatch(/never/);
    expect((await run("version enable", "local/kept")).code).toBe(0);
    expect((await run("version status", "local/kept")).stdout).toMatch(/enabled/);
    expect((await run("version suspend", "local/kept")).code).toBe(0);
    expect((await run("version status", "local/kept")).stdout).toMatch(/suspended/);
  });

  it("that are not there end with 3", async () => {
    for (const command of ["cors", "policy"]) {
      expect((await run(command, "get", "local/bkt")).code).toBe(3);
    }
  });
});

describe("uploads", () => {
  it("are listed, and aborted only below what was named", async () => {
    const { stdout, code } = await run("uploads list", "local/bkt");
    expect([stdout, code]).toEqual(["", 0]);
    expect((await run("uploads abort", "local/bkt/none")).code).toBe(0);
  });
});

describe("alias", () => {
  const edited = (editor: string) => {
    commands.env["EDITOR"] = editor;
    return run("alias edit");
  };

  it("set, list, edit, export and remove, and never show a secret", async () => {
    const url = "http://127.0.0.1:9";
    const words = [url, "access", "secretsecret", "--no-check"];
    const set = await run("alias set", "play", ...words);
    expect([set.code, set.stderr]).toEqual([
      0,
      expect.stringContaining("can be seen by other users"),
    ]);
    const listed = await run("alias list", "--json");
    expect(listed.records.map(({ name }) => name)).toEqual(["env", "local", "play"]);
    expect(listed.stdout).not.toContain("secretsecret");
    const editor = commands.file("editor", '#!/bin/sh\nsed -i s/127.0.0.1:9/127.0.0.1:99/ "$1"\n');
    chmodSync(editor, 0o755);
    expect((await edited(editor)).code).toBe(0);
    expect((await run("alias list", "--json")).records[2]).toMatchObject({ url: `${url}9/` });
    expect((await edited("false")).code).toBe(2);
    expect((await run("alias remove", "play")).code).toBe(0);
    expect((await run("alias remove", "play")).code).toBe(2);
  });

  it("refuse an invalid name, and suggest the one that was meant", async () => {
    const odd = await run("alias set", "a/b", "http://127.0.0.1:9", "a", "b", "--no-check");
    expect(odd.code).toBe(2);
    const typo = await run("ls", "locl/b");
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining("local")]);
  });
});

describe("pail itself", () => {
  it("prints completions for each shell, and the settings of assistants", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      expect((await run("completion", shell)).stdout).toContain("pail");
    }
    expect((await run("completion", "tcsh")).code).toBe(2);
    const entry = await run("mcp config", "claude-code");
    expect(JSON.parse(entry.stdout)).toHaveProperty("mcpServers.pail");
    expect((await run("mcp config", "claude-code", "--name", "a b")).code).toBe(2);
  });

  it("pings a service that answers, and ends with 6 for one that does not", async () => {
    const { code, records } = await run("ping", "--json", "local");
    expect([code, records]).toMatchObject([0, [{ alias: "local" }]]);
    expect((await run("ping", "nosuch")).code).toBe(2);
  });

  it("ends with the code of the one problem that doctor found, or with 7 for several", async () => {
    const one = await run("doctor", "env");
    expect([one.code, one.stdout]).toEqual([6, expect.stringContaining("ECONNREFUSED")]);
    commands.env["PAIL_HOST_other"] = "http://key:secretsecret@127.0.0.1:9";
    expect((await run("doctor", "env", "other")).code).toBe(7);
  });
});
