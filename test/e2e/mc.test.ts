/** Scripts written for mc: its words, its aliases, its exit codes and its JSON; 23 of the requests. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { BIN, createHome, type Home, RUNTIME } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let store: RunningStore;
beforeAll(async () => {
  home = createHome({ here: true });
  store = await startStore();
  const { endpoint: url, accessKeyId: accessKey, secretAccessKey: secretKey } = store;
  mkdirSync(join(home.directory, "mcdir"));
  const aliases = { m: { url, accessKey, secretKey, api: "S3v4", path: "auto" } };
  const file = join(home.directory, "mcdir", "config.json");
  writeFileSync(file, JSON.stringify({ version: "10", aliases }));
  writeFileSync(join(home.directory, "f"), "content");
  symlinkSync(BIN, join(home.directory, "mc"));
});
afterAll(async () => {
  home.remove();
  await store.close();
});

const mc = (...args: string[]) => home.pail(["mc", "-C", "mcdir", ...args]);
/** As scripts call mc: by a link of that name. */
const linked = (...args: string[]) =>
  promisify(execFile)(RUNTIME, [join(home.directory, "mc"), "-C", "mcdir", ...args], {
    cwd: home.directory,
    env: home.env,
  });
const json = async (...args: string[]) => {
  const { stdout } = await mc("--json", ...args);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

test("understands mc's flags, attributes, tags and names", async () => {
  expect((await linked("--version")).stdout).toMatch(/^pail\//);
  expect((await linked("mb", "--ignore-existing", "m/box")).stdout).toContain("m/box");
  const attr = ["--attr", "key1=val1;key2=val2", "--tags", "a=1&b=2"];
  expect(await mc("--quiet", "cp", ...attr, "f", "m/box/dir/object")).toMatchObject({ code: 0 });
  expect(await json("ls", "m/box/dir")).toMatchObject([
    { status: "success", type: "file", key: "object", size: 7 },
  ]);
  expect(await json("stat", "m/box/dir/object")).toMatchObject([
    { metadata: { "X-Amz-Meta-Key1": "val1", "X-Amz-Meta-Key2": "val2" } },
  ]);
  expect(await json("find", "m/box", "--name", "ob*")).toMatchObject([{ key: "m/box/dir/object" }]);
  expect(await mc("find", "m/box", "--older-than", "1d")).toMatchObject({ code: 0, stdout: "" });
  expect(await json("tag", "list", "m/box/dir/object")).toMatchObject([
    { tags: { a: "1", b: "2" } },
  ]);
  const [shared] = await json("share", "download", "--expire", "1h", "m/box/dir/object");
  expect(await (await fetch(shared!["share"] as string)).text()).toBe("content");
});

test("ends with 1 on a failure, and gives S3's code where scripts read it", async () => {
  expect(await json("stat", "m/box/none")).toMatchObject([
    { status: "error", error: { cause: { error: { Code: "NoSuchKey" } } } },
  ]);
  for (const args of [
    ["rm", "m/box/none"],
    ["ls", "nosuch/x"],
    ["watch", "m"],
    ["cp", "--zip", "f", "m/box"],
    ["rb", "--force", "m/"],
  ]) {
    expect(`${args.join(" ")} ${(await mc(...args)).code}`).toBe(`${args.join(" ")} 1`);
  }
  const set = ["alias", "set", "bad", store.endpoint, store.accessKeyId, "wrong-secret"];
  expect(await json(...set)).toMatchObject([
    { status: "error", error: { cause: { error: { Code: "SignatureDoesNotMatch" } } } },
  ]);
});

test("local files are copied, moved and removed, too", async () => {
  const at = (name: string) => join(home.directory, name);
  expect((await mc("cp", "f", "g")).code).toBe(0);
  expect((await mc("mv", "g", "h")).code).toBe(0);
  expect(existsSync(at("g"))).toBe(false);
  expect((await mc("stat", "g")).code).toBe(1);
  expect((await mc("cp", "h", "m/box/h")).code).toBe(0);
  expect((await mc("rm", "h", "m/box/h")).code).toBe(0);
  expect(existsSync(at("h"))).toBe(false);
  expect((await mc("stat", "m/box/h")).code).toBe(1);
});

test("keys of --enc-c are sent for the objects they are for", async () => {
  const key = "m/box/sealed=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDA";
  expect((await mc("cp", "--enc-c", key, "f", "m/box/sealed/f")).code).toBe(0);
  expect((await mc("cat", "m/box/sealed/f")).code).toBe(1);
  expect((await mc("cat", "--enc-c", key, "m/box/sealed/f")).stdout).toBe("content");
  expect((await mc("cp", "--enc-c", key, "m/box/sealed/f", "m/box/open")).code).toBe(0);
  expect((await mc("cat", "m/box/open")).stdout).toBe("content");
  expect((await mc("cp", "--enc-c", `${key}x`, "f", "m/box/sealed/g")).code).toBe(1);
});

test("rb --force --dangerous ALIAS empties it, and mc's file stays as it was", async () => {
  const file = join(home.directory, "mcdir", "config.json");
  const before = readFileSync(file, "utf8");
  expect(
    (await mc("alias", "set", "own", store.endpoint, store.accessKeyId, store.secretAccessKey))
      .code,
  ).toBe(0);
  expect((await mc("ls", "own")).code).toBe(0);
  expect((await mc("rb", "--force", "--dangerous", "m")).code).toBe(0);
  expect((await mc("ls", "m")).stdout).toBe("");
  expect(readFileSync(file, "utf8")).toBe(before);
  const direct = await home.pail(["mc", "mb", "x/direct"], { env: hostVariable("x", store) });
  expect(direct).toMatchObject({ code: 0, stdout: "made x/direct\n" });
});
