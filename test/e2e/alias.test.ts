import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { type RunningStore, startStore } from "../support/store.js";
import { openTerminal } from "../support/terminal.js";

let home: Home;
let store: RunningStore;

beforeAll(async () => {
  home = createHome({ here: true });
  store = await startStore();
});
afterAll(async () => {
  await store.close();
  home.remove();
});

const config = () =>
  JSON.parse(readFileSync(join(home.directory, "config", "config.json"), "utf8")) as {
    aliases: Record<string, Record<string, unknown>>;
  };

describe("alias set", () => {
  test("with the secret on stdin tries the endpoint and saves it for the owner only", async () => {
    const { endpoint, accessKeyId, secretAccessKey } = store;
    const set = await home.pail(
      ["alias", "set", "piped", endpoint, accessKeyId, "--secret-key-stdin", "--region", "eu"],
      { stdin: `${secretAccessKey}\n` },
    );
    // The store names another region, which the alias takes over.
    expect(set, set.stderr).toMatchObject({ code: 0 });
    expect(set.stdout + set.stderr).not.toContain(secretAccessKey);
    expect(config().aliases["piped"]).toEqual({
      url: endpoint,
      accessKey: accessKeyId,
      secretKey: secretAccessKey,
      region: "eu",
    });
    const { directory } = home;
    expect(statSync(join(directory, "config", "config.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "config")).mode & 0o777).toBe(0o700);
  });

  test("asks on a terminal for missing values, and does not show the secret", async () => {
    const { endpoint, accessKeyId, secretAccessKey } = store;
    const terminal = openTerminal({ home, args: ["alias", "set", "asked", endpoint] });
    await terminal.see("Access key:");
    terminal.send(`${accessKeyId}\r`);
    await terminal.see("Secret key:");
    terminal.send(`${secretAccessKey}\r`);
    await terminal.see("alias asked is");
    expect(await terminal.exit()).toMatchObject({ code: 0 });
    expect(terminal.output()).toContain(accessKeyId);
    expect(terminal.output()).not.toContain(secretAccessKey);
    expect(config().aliases["asked"]).toMatchObject({ secretKey: secretAccessKey });
  });

  test("is interrupted at a question without saving anything", async () => {
    const terminal = openTerminal({ home, args: ["alias", "set", "never", store.endpoint] });
    await terminal.see("Access key:");
    terminal.press("<ctrl-c>");
    expect(await terminal.exit()).toMatchObject({ code: 130 });
    expect(config().aliases).not.toHaveProperty("never");
  });

  test("keeps every flag, and --no-check saves without asking the endpoint", async () => {
    const flags = ["--path-style", "on", "--dialect", "ACME4,acme,oss,acme4_request"];
    await home.pail([
      "alias",
      "set",
      "flags",
      "http://127.0.0.1:1",
      "A",
      "S",
      "--no-check",
      ...flags,
    ]);
    expect(config().aliases["flags"]).toEqual({
      url: "http://127.0.0.1:1",
      accessKey: "A",
      secretKey: "S",
      pathStyle: "on",
      dialect: { scheme: "ACME4", infix: "acme", service: "oss", terminator: "acme4_request" },
    });
    await home.pail(["alias", "set", "token", "http://127.0.0.1:1", "A", "S", "--no-check"], {
      env: { PAIL_SESSION_TOKEN: "T" },
    });
    expect(config().aliases["token"]).toMatchObject({ sessionToken: "T" });
  });

  test("with --credentials chain takes them from the environment", async () => {
    const env = {
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    };
    const args = ["alias", "set", "chain", store.endpoint, "--credentials", "chain"];
    expect(await home.pail(args, { env })).toMatchObject({ code: 0 });
    expect(config().aliases["chain"]).toEqual({ url: store.endpoint, credentials: "chain" });
    expect(await home.pail(["ls", "chain"], { env })).toMatchObject({ code: 0 });
  });
});

describe("alias list and remove", () => {
  test("show and forget, without a secret", async () => {
    const set = ["alias", "set", "piped", store.endpoint, store.accessKeyId];
    await home.pail([...set, "--secret-key-stdin"], { stdin: store.secretAccessKey });
    const list = await home.pail(["alias", "list"]);
    expect(list.stdout).toMatch(/^piped +http\S+ +\w+:\*{8} +config\.json$/m);
    expect(list.stdout).toMatch(/^local +\(embedded store\) +- +built-in$/m);
    const json = await home.pail(["alias", "list", "--json"]);
    expect(list.stdout + json.stdout).not.toContain(store.secretAccessKey);
    expect(await home.pail(["alias", "remove", "piped"])).toMatchObject({ code: 0 });
    expect(await home.pail(["ls", "piped"])).toMatchObject({ code: 2 });
    const again = await home.pail(["alias", "remove", "piped"]);
    expect(again).toMatchObject({ code: 2 });
  });
});

describe("on a terminal", () => {
  test("a recursive removal asks, and only yes is yes", async () => {
    await home.pail(["mb", "local/asked"]);
    await home.pail(["api", "PUT", "local/asked/k", "--data", "x"]);
    for (const [answer, code] of [
      ["n", 2],
      ["", 2],
      ["y", 0],
    ] as const) {
      const terminal = openTerminal({ home, args: ["rm", "-r", "local/asked"] });
      await terminal.see("Remove everything at or below local/asked (1 object, 1B)? [y/N]");
      terminal.send(`${answer}\r`);
      expect(await terminal.exit()).toMatchObject({ code });
    }
    expect((await home.pail(["ls", "local/asked"])).stdout).toBe("");
  });

  test("names cannot control it, and a pipe gets them unchanged", async () => {
    const key = "evil\u001b]0;owned\u0007\u202egpj";
    await home.pail(["api", "PUT", `local/asked/${key}`, "--data", "x"]);
    const terminal = openTerminal({ home, args: ["ls", "local/asked"] });
    await terminal.see("evil\\x1b]0;owned\\x07\\u202egpj");
    expect(await terminal.exit()).toMatchObject({ code: 0 });
    expect((await home.pail(["ls", "local/asked"])).stdout).toContain(key);
  });

  test("a copy shows a bar on one line, and then its totals", async () => {
    const { directory } = home;
    const size = 64 * 1024 * 1024;
    await home.pail(["cp", "-", "local/asked/large"], { stdin: Buffer.alloc(size, 7) });
    const terminal = openTerminal({
      home,
      args: ["cp", "--limit-download", "20MiB", "local/asked/large", join(directory, "large")],
    });
    await terminal.see(/[█░]{24} +\d+% +\S+\/64MiB +/);
    expect(terminal.screen().filter((line) => /[█░]/.test(line))).toHaveLength(1);
    await terminal.see("1 object, 64MiB in");
    expect(await terminal.exit()).toMatchObject({ code: 0 });
    expect(terminal.screen().join("\n")).not.toMatch(/[█░]/);
    expect(terminal.modes()).toMatchObject({ cursorHidden: false });
    expect(statSync(join(directory, "large")).size).toBe(size);
  });
});
