/** Objects with tags, ACLs, any header, and keys of the user's own; 20 of the requests. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let stores: RunningStore[];
let env: NodeJS.ProcessEnv;
const ok = async (...args: string[]) => {
  const { code, stdout, stderr } = await home.pail(args, { env });
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return stdout;
};
const stat = async (...args: string[]) => {
  return JSON.parse(await ok("stat", "--json", ...args)) as Record<string, unknown>;
};
const big = randomBytes(12 * 1024 * 1024);

beforeAll(async () => {
  home = createHome({ here: true });
  stores = await Promise.all([startStore(), startStore()]);
  const key = randomBytes(32);
  env = {
    ...hostVariable("one", stores[0]!),
    ...hostVariable("two", stores[1]!),
    SECRET: key.toString("base64"),
  };
  const at = (name: string) => join(home.directory, name);
  writeFileSync(at("key"), key);
  writeFileSync(at("other"), randomBytes(32).toString("base64"));
  writeFileSync(at("a"), "content");
  writeFileSync(at("big"), big);
  await ok("mb", "one/box", "two/box");
});
afterAll(async () => {
  home.remove();
  await Promise.all(stores.map(async (store) => store.close()));
});

test("tags, ACL and other headers are set on every write, and tags also across aliases", async () => {
  const flags = ["--tag", "stage=raw", "--tag", "x=a b", "--acl", "private", "--sse", "AES256"];
  const done = await home.pail(["cp", ...flags, "a", "one/box/a"], { env });
  // The embedded store keeps no keys of its own, and says so.
  expect(done).toMatchObject({ code: 2 });
  await ok("cp", ...flags.slice(0, 6), "--metadata", "owner=me", "a", "one/box/a");
  expect(await stat("one/box/a")).toMatchObject({ tags: { stage: "raw", x: "a b" } });
  await ok("cp", "one/box/a", "two/box/a");
  expect(await stat("two/box/a")).toMatchObject({
    tags: { stage: "raw", x: "a b" },
    metadata: { owner: "me" },
  });
  await ok("cp", "--tag", "only=this", "one/box/a", "one/box/b");
  expect(await stat("one/box/b")).toMatchObject({ tags: { only: "this" } });
  await ok("sync", "--tag", "by=sync", "one/box", "two/box/synced");
  expect(await stat("two/box/synced/a")).toMatchObject({ tags: { by: "sync" } });
  const refused = await home.pail(["cp", "--header", "host=x", "a", "one/box/c"], { env });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("host") });
});

test("what no header can carry is refused by the name of its flag, before anything is sent", async () => {
  const cases = [
    [["cp", "--header", "x-note=\u2603", "a"], "--header x-note has the character U+2603"],
    [["cp", "--acl", "\u0007", "a"], "--acl has the character U+0007"],
    [["cp", "--sse", "aws:kms:\u00fc", "a"], "--sse has the character U+00FC"],
    [["cp", "--storage-class", "\u{1F600}", "a"], "--storage-class has the character U+1F600"],
    [["sync", "--cache-control", "a\nb", "."], "--cache-control has the character U+000A"],
    [["mv", "--metadata", "\u2603=1", "a"], '"\u2603" cannot be the name of user metadata'],
  ] as const;
  await Promise.all(
    cases.map(async ([words, said]) => {
      const { code, stderr } = await home.pail([...words, "one/box/carried"], { env });
      expect([code, stderr.split("\n")[0]]).toEqual([2, expect.stringContaining(said)]);
    }),
  );
});

test("changing metadata keeps the class, the tags and the other headers", async () => {
  const said = [
    "--storage-class",
    "REDUCED_REDUNDANCY",
    "--tag",
    "t=1",
    "--cache-control",
    "no-store",
  ];
  await ok("cp", ...said, "a", "one/box/kept");
  const before = await stat("one/box/kept");
  await ok("cp", "--metadata", "owner=you", "one/box/kept", "one/box/kept");
  const { storageClass, tags, cacheControl } = before;
  expect(await stat("one/box/kept")).toMatchObject({
    storageClass,
    tags,
    cacheControl,
    metadata: { owner: "you" },
  });
});

test("a customer key goes with every request: parts, ranges, copies, sync, mv", async () => {
  const key = ["--sse-c-key", "key"];
  await ok("cp", ...key, "--part-size", "5MiB", "big", "one/box/sealed/big");
  await ok("cp", ...key, "a", "one/box/sealed/a");
  expect((await home.pail(["cat", "one/box/sealed/a"], { env })).code).not.toBe(0);
  expect(
    (await home.pail(["cat", "--sse-c-key", "other", "one/box/sealed/a"], { env })).code,
  ).not.toBe(0);
  expect(await ok("cat", "--sse-c-key", "env:SECRET", "one/box/sealed/a")).toBe("content");
  expect(await ok("head", "-c", "3", ...key, "one/box/sealed/a")).toBe("con");
  expect(await ok("tail", "-c", "3", ...key, "one/box/sealed/a")).toBe("ent");
  expect(await ok("grep", "-l", ...key, "tent", "one/box/sealed/")).toBe("one/box/sealed/a\n");
  expect(await ok("cat", ...key, "--range", "0-2", "one/box/sealed/a")).toBe("con");
  expect(await stat(...key, "one/box/sealed/a")).toMatchObject({ encryption: "SSE-C" });
  await ok("cp", ...key, "--part-size", "5MiB", "one/box/sealed/big", "back");
  expect(readFileSync(join(home.directory, "back")).equals(big)).toBe(true);

  const both = [...key, "--source-sse-c-key", "key"];
  await ok("cp", ...both, "one/box/sealed/a", "one/box/sealed/b");
  expect(await ok("cat", ...key, "one/box/sealed/b")).toBe("content");
  const turn = ["--sse-c-key", "other", "--source-sse-c-key", "key"];
  await ok("mv", ...turn, "one/box/sealed/b", "two/box/turned");
  expect(await ok("cat", "--sse-c-key", "other", "two/box/turned")).toBe("content");
  expect((await home.pail(["stat", ...key, "one/box/sealed/b"], { env })).code).toBe(3);
  await ok("cp", "--source-sse-c-key", "key", "one/box/sealed/a", "one/box/open");
  expect(await ok("cat", "one/box/open")).toBe("content");
  await ok("sync", ...key, "one/box/sealed", "down");
  expect(readFileSync(join(home.directory, "down/big")).equals(big)).toBe(true);
});

test("a key is never in argv, an error or a trace", async () => {
  const short = await home.pail(["cat", "--sse-c-key", "a", "one/box/sealed/a"], { env });
  expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining("32 bytes") });
  const traced = await home.pail(
    ["stat", "--trace", "--sse-c-key", "env:SECRET", "one/box/sealed/a"],
    {
      env,
    },
  );
  expect(traced.stderr).toContain("customer-key: ***");
  expect(traced.stderr + traced.stdout).not.toContain(env["SECRET"]);
});
