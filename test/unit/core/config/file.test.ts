import { fork, spawnSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";
import { describe, expect, it } from "vitest";

import { readConfig, updateConfig } from "../../../../src/core/config/file.js";
import type { ConfigFile } from "../../../../src/core/config/types.js";
import { ownIdentity } from "../../../../src/system/process.js";

async function place(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), "pail-config-")), "deep", "er", "config.json");
}

/** A config file as somebody else wrote it. */
async function written(text: string): Promise<string> {
  const path = await place();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const withAlias =
  (name: string) =>
  (config: ConfigFile): ConfigFile => ({
    ...config,
    aliases: { ...config.aliases, [name]: { url: "http://h", accessKey: "a", secretKey: "s" } },
  });

describe("reading the config", () => {
  it("gives no aliases where there is no file", async () => {
    expect(await readConfig(await place())).toEqual({ version: 1, aliases: {} });
  });

  it("takes every field an alias can have, and keeps those it does not know", async () => {
    const config = {
      version: 1,
      aliases: {
        a: {
          url: "https://h:9000/base",
          accessKey: "a",
          secretKey: "s",
          sessionToken: "t",
          region: "r",
          pathStyle: "off",
          dialect: { scheme: "S", infix: "i", service: "s", terminator: "t" },
          caFile: "/ca.pem",
          insecure: true,
          credentials: "static",
          checksum: "CRC32",
          later: 1,
        },
        b: { url: "http://h", dialect: "google", credentials: "chain", profile: "p" },
      },
      tui: { theme: "dark" },
      more: [],
    };
    expect(await readConfig(await written(JSON.stringify(config)))).toEqual(config);
  });

  const alias = (fields: object) => JSON.stringify({ version: 1, aliases: { a: fields } });
  it.each([
    ["", "it is not JSON"],
    ['{"version":1,"aliases":{"a":{"secretKey":"hunter2"', "it is not JSON"],
    ["[]", "it is not a JSON object"],
    ['{"version":2,"aliases":{}}', '"version" is 2, not 1'],
    ['{"version":1}', '"aliases" is not an object'],
    ['{"version":1,"aliases":{},"tui":1}', '"tui" is not an object'],
    ['{"version":1,"aliases":{"a/b":{"url":"http://h"}}}', '"a/b" cannot name an alias'],
    ['{"version":1,"aliases":{"a":1}}', "the alias a is not an object"],
    [alias({}), '"url" of the alias a must be an http or https URL'],
    [alias({ url: "ftp://h" }), '"url" of the alias a must be an http or https URL'],
    [alias({ url: "http://h", secretKey: 1 }), '"secretKey" of the alias a must be text'],
    [alias({ url: "http://h", pathStyle: "x" }), '"pathStyle" of the alias a must be one of auto'],
    [
      alias({ url: "http://h", insecure: "yes" }),
      '"insecure" of the alias a must be true or false',
    ],
    [alias({ url: "http://h", dialect: "nope" }), '"dialect" of the alias a must name a preset'],
    [alias({ url: "http://h", dialect: { scheme: "S" } }), '"dialect" of the alias a must name'],
  ])("refuses %s", async (text, reason) => {
    const path = await written(text);
    const failed = readConfig(path);
    await expect(failed).rejects.toMatchObject({
      kind: "usage",
      code: "ConfigCorrupt",
      message: expect.stringContaining(`${path} cannot be used: ${reason}`),
    });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
  });

  it("reports a file that cannot be read", async () => {
    const path = await written("{}");
    await expect(readConfig(dirname(path))).rejects.toMatchObject({ code: "EISDIR" });
  });
});

describe("changing the config", () => {
  it("makes a file that only its owner may read, and leaves nothing else behind", async () => {
    const path = await place();
    await updateConfig(path, withAlias("one"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect(await readdir(dirname(path))).toEqual(["config.json"]);
    expect(Object.keys((await readConfig(path)).aliases)).toEqual(["one"]);
  });

  it("makes the file readable by its owner alone", async () => {
    const path = await written('{"version":1,"aliases":{}}');
    await chmod(path, 0o644);
    await updateConfig(path, withAlias("one"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("never overwrites a file it cannot understand", async () => {
    const path = await written("not json");
    await expect(updateConfig(path, withAlias("one"))).rejects.toMatchObject({
      code: "ConfigCorrupt",
    });
    expect(await readFile(path, "utf8")).toBe("not json");
    expect(await readdir(dirname(path))).toEqual(["config.json"]);
  });

  it("refuses to write a config that it could not read again", async () => {
    const path = await place();
    await expect(updateConfig(path, withAlias("a b"))).rejects.toMatchObject({
      code: "ConfigCorrupt",
    });
    expect(await readConfig(path)).toEqual({ version: 1, aliases: {} });
  });

  it("writes where a link leads", async () => {
    const real = await written('{"version":1,"aliases":{}}');
    const link = join(dirname(real), "link.json");
    await symlink(real, link);
    await updateConfig(link, withAlias("one"));
    expect(Object.keys((await readConfig(real)).aliases)).toEqual(["one"]);
  });

  it("loses no change when several are made at once in one process", async () => {
    const path = await place();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => updateConfig(path, withAlias(name))));
    expect(Object.keys((await readConfig(path)).aliases).sort()).toEqual(names.sort());
  });

  it("loses no change when several processes make them at once", async () => {
    const path = await place();
    const module = join(await mkdtemp(join(tmpdir(), "pail-bundle-")), "file.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("../../../../src/core/config/file.ts", import.meta.url))],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: module,
    });
    const writer = fileURLToPath(new URL("writer.mjs", import.meta.url));
    const codes = await Promise.all(
      ["a", "b", "c", "d"].map(
        (name) =>
          new Promise((resolve) => fork(writer, [module, path, name]).once("exit", resolve)),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(Object.keys((await readConfig(path)).aliases).length).toBe(40);
  });

  it("takes over the lock of a process that is gone", async () => {
    const path = await place();
    await updateConfig(path, withAlias("one"));
    const { pid } = spawnSync(process.execPath, ["-e", "0"]);
    await writeFile(`${path}.lock`, JSON.stringify({ ...ownIdentity(), pid }));
    await Promise.all([updateConfig(path, withAlias("two")), updateConfig(path, withAlias("six"))]);
    expect(Object.keys((await readConfig(path)).aliases).sort()).toEqual(["one", "six", "two"]);
    expect(await readdir(dirname(path))).toEqual(["config.json"]);
  });

  it("takes over an old lock that does not say whose it is", async () => {
    const path = await place();
    await updateConfig(path, withAlias("one"));
    for (const text of ["", "1234", "null"]) {
      await writeFile(`${path}.lock`, text);
      const before = new Date(Date.now() - 60_000);
      await utimes(`${path}.lock`, before, before);
      await updateConfig(path, withAlias("two"));
    }
    expect(await readdir(dirname(path))).toEqual(["config.json"]);
  });
});
