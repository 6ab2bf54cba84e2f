/** The things `rm` is about to remove, and those for which it asks or refuses. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  confirmRecursion,
  decided,
  type GivenTarget,
  removals,
  type RemovalFlags,
  withStdin,
} from "../../../src/cli/removals.js";
import type { Output } from "../../../src/cli/output.js";
import { type Context, createContext } from "../../../src/context.js";
import { bucketService } from "../../../src/core/storage/buckets.js";
import { createHome, type Home } from "../../support/run.js";

const { signal } = new AbortController();
const { isTTY } = process.stdin;
let home: Home;
let context: Context;
beforeAll(async () => {
  // As in a script, nobody can be asked.
  process.stdin.isTTY = false;
  home = createHome();
  context = createContext(home.env);
  const client = await context.client("local");
  const service = bucketService(client);
  for (const name of ["one", "two"]) {
    await service.make(name);
    const storage = await context.bucket("local", name);
    for (const key of ["a", "b", "dir/c"]) await storage.write(key, Buffer.from("x"));
  }
  const enabled = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  const body = Buffer.from(enabled);
  await client.request({ method: "PUT", bucket: "two", query: { versioning: "" }, body });
  await (await context.bucket("local", "two")).write("a", Buffer.from("y"));
});
afterAll(() => {
  process.stdin.isTTY = isTTY;
  context.close();
  home.remove();
});

const none = { recursive: false, versions: false, force: false };

/** The steps for some targets; a removal by the keys it would take, or its prefix. */
async function steps(texts: readonly string[], flags: Partial<RemovalFlags> = {}) {
  const given = async function* (): AsyncGenerator<GivenTarget> {
    for (const text of texts) yield { text, looked: true };
  };
  const seen: unknown[] = [];
  for await (const step of removals(context, given(), { ...none, ...flags }, signal)) {
    if (step.type === "failed") seen.push({ failed: step.error });
    else if (step.type === "missing") seen.push({ missing: step.target });
    else if (step.prefix !== undefined) seen.push({ prefix: step.prefix });
    else {
      const keys: string[] = [];
      const { storage, targets } = step.request;
      if (!(Symbol.asyncIterator in targets)) throw new Error("the targets are not exact keys");
      for await (const { key } of targets) keys.push(key);
      expect(step.underway.size).toBe(keys.length);
      seen.push({ [storage.bucket]: keys });
    }
  }
  return seen;
}

describe("removals", () => {
  it("are one for each run of keys in a bucket", async () => {
    const texts = ["local/one/a", "local/one/b", "local/two/a", "local/one/dir/c"];
    expect(await steps(texts)).toEqual([{ one: ["a", "b"] }, { two: ["a"] }, { one: ["dir/c"] }]);
  });

  it("are every version of exactly that key, or the named one", async () => {
    expect(await steps(["local/two/a"], { versions: true })).toEqual([{ two: ["a", "a"] }]);
    expect(await steps(["local/two/a"], { "version-id": "null" })).toEqual([{ two: ["a"] }]);
  });

  it("are refused for a missing object, and for a whole bucket without -r", async () => {
    const found = await steps(["local/one/none", "local/one", "local/one/x*", "nosuch/b/k"]);
    expect(found).toMatchObject([
      { missing: { bucket: "one", key: "none" } },
      { failed: { code: "InvalidLocation", hint: expect.stringContaining("pail rb local/one") } },
      { failed: { code: "NoSuchKey", hint: expect.stringContaining("--pattern --dry-run") } },
      { failed: { code: "UnknownAlias" } },
    ]);
    expect(await steps(["local/one"], { recursive: true })).toMatchObject([
      { prefix: { bucket: "one", key: "" } },
    ]);
  });
});

describe("targets", () => {
  const output = {} as Output;
  const decide = (texts: string[], flags: { pattern?: boolean; recursive?: boolean }) =>
    decided({ context, signal, output }, texts, { ...none, "dry-run": false, ...flags });

  it("are patterns only with --glob where nobody can be asked", async () => {
    const [exact] = await decide(["local/one/*"], {});
    expect(exact?.place?.pattern).toBeUndefined();
    const [pattern] = await decide(["local/one/*"], { pattern: true });
    expect(pattern?.place?.pattern?.glob).toBe("*");
  });

  it("of a recursion need --force where nobody can be asked", async () => {
    const targets = await decide(["local/one/dir"], { recursive: true });
    const flags = { ...none, versions: true };
    await expect(confirmRecursion(targets, flags, signal)).rejects.toMatchObject({
      code: "NotConfirmed",
      message: "this would remove every version of everything at or below local/one/dir",
    });
    await expect(
      confirmRecursion(targets, { ...flags, force: true }, signal),
    ).resolves.toBeUndefined();
  });

  it("are the arguments alone unless more are read", async () => {
    const given = [{ text: "local/one/a", looked: true }];
    const seen: GivenTarget[] = [];
    for await (const target of withStdin(given, false, "\n")) seen.push(target);
    expect(seen).toEqual(given);
  });
});
