/** The request that a line of `cp` or `mv` makes, and lines that are refused. */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { copyRequest } from "../../../src/cli/copy-request.js";
import { type Context, createContext } from "../../../src/context.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { createHome, type Home } from "../../support/run.js";

const { signal } = new AbortController();
let home: Home;
let context: Context;
beforeAll(async () => {
  home = createHome();
  context = createContext(home.env);
  await bucketService(await context.client("local")).make("bkt");
  const storage = await context.bucket("local", "bkt");
  await storage.write("a.txt", Buffer.from("x"));
});
afterAll(() => {
  context.close();
  home.remove();
});

const none = {
  recursive: false,
  "no-clobber": false,
  update: false,
  "dry-run": false,
  preserve: false,
  "no-preserve-time": false,
  "no-follow-symlinks": false,
  "skip-special": false,
  "no-verify": false,
};
type Flags = Partial<Parameters<typeof copyRequest>[2]>;
const request = (sources: readonly string[], target: string, flags: Flags = {}) =>
  copyRequest({ context, signal }, { sources, target }, { ...none, ...flags }, "either");

describe("copyRequest", () => {
  it("has the places, and the engine's options of the flags", async () => {
    const flags = { "dry-run": true, preserve: true, concurrency: 2, metadata: ["A=b"] };
    expect(await request(["local/bkt/a.txt"], home.directory, flags)).toMatchObject({
      sources: [{ type: "bucket", alias: "local", key: "a.txt" }],
      target: { type: "path", path: home.directory },
      recursive: false,
      dryRun: true,
      concurrency: 2,
      metadata: { a: "b" },
      preserve: { time: true, owner: true },
      verify: true,
      stateDir: context.directories.state,
    });
  });

  it("knows what to do with a target that exists", async () => {
    const chosen = async (flags: Flags) =>
      (await request(["local/bkt/a.txt"], "local/bkt/b", flags)).ifExists;
    expect(await chosen({})).toBeUndefined();
    expect(await chosen({ "if-exists": "keep-both" })).toBe("keep-both");
    expect(await chosen({ "no-clobber": true })).toBe("skip");
    expect(await chosen({ update: true })).toBe("update");
  });

  it("filters the finds of a recursion or a pattern, but no exact name", async () => {
    const flags = { include: ["*.txt"] };
    await expect(request(["local/bkt/a.txt"], "local/bkt/b/", flags)).rejects.toThrow(/filters/);
    const { filter } = await request(["local/bkt/*"], "local/bkt/b/", flags);
    expect(filter).toMatchObject(flags);
    const recursive = { ...flags, recursive: true };
    expect(await request(["local/bkt/"], "local/bkt/b/", recursive)).toMatchObject({
      recursive: true,
    });
  });

  it("refuses a directory that is not there, and an alias that is not one", async () => {
    const below = join(home.directory, "none", "x");
    await expect(request(["local/bkt/a.txt"], below)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(request(["./a.txt"], "nosuch/b/k")).rejects.toMatchObject({
      code: "UnknownAlias",
      hint: "pail alias set nosuch URL",
    });
    await expect(
      request(["local/bkt/a.txt", "local/bkt/b"], "local/bkt/c/", { "version-id": "v" }),
    ).rejects.toThrow(/one object/);
  });
});
