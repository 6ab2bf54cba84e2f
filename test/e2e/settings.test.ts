/** Tags, versioning, ping and mc's words for cp. */
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createHome, type Home } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let store: RunningStore;
beforeAll(async () => {
  home = createHome({ here: true });
  store = await startStore();
  await home.pail(["mb", "local/box"]);
  await home.pail(["pipe", "local/box/k"], { stdin: "content" });
});
afterAll(async () => {
  home.remove();
  await store.close();
});

const said = async (...args: string[]) => {
  const { code, stdout } = await home.pail(args);
  return { code, stdout };
};

test.each(["local/box/k", "local/box"])(
  "tags of %s are added, replaced and removed",
  async (at) => {
    expect(await said("tag", "list", at)).toEqual({ code: 0, stdout: "" });
    expect(await said("tag", "set", at, "a=1", "b=x=y")).toEqual({
      code: 0,
      stdout: "a=1\nb=x=y\n",
    });
    expect((await said("tag", "set", at, "a=2", "c=")).stdout).toBe("a=2\nb=x=y\nc=\n");
    expect(await said("tag", "remove", at, "a", "none")).toEqual({ code: 3, stdout: "" });
    expect((await said("tag", "remove", at, "a")).stdout).toBe("b=x=y\nc=\n");
    expect((await said("tag", "set", "--replace", at, "d=4")).stdout).toBe("d=4\n");
    expect(await said("tag", "remove", "--all", at)).toEqual({ code: 0, stdout: "" });
    expect(await said("tag", "remove", at)).toEqual({ code: 2, stdout: "" });
    const { stdout } = await said("tag", "list", "--json", at);
    expect(JSON.parse(stdout)).toEqual({ type: "tags", location: at, tags: {} });
  },
);

test("versioning goes on and off", async () => {
  await home.pail(["rb", "--force", "local/kept"]);
  await home.pail(["mb", "local/kept"]);
  await home.pail(["pipe", "local/kept/k"], { stdin: "content" });
  const kept = (text: string) => ({ code: 0, stdout: `local/kept: ${text}\n` });
  expect(await said("version", "status", "local/kept")).toEqual(kept("never enabled"));
  expect(await said("version", "enable", "local/kept")).toEqual(kept("enabled"));
  await home.pail(["pipe", "local/kept/k"], { stdin: "again" });
  expect(await said("version", "suspend", "local/kept")).toEqual(kept("suspended"));
  const { stdout } = await said("find", "local/kept", "--versions");
  expect(stdout).toBe("local/kept/k\nlocal/kept/k\n");
  expect(await said("version", "status", "local/none")).toEqual({ code: 3, stdout: "" });
});

test("ping distinguishes an endpoint that answers from one that does not", async () => {
  expect((await said("ping", "local")).stdout).toMatch(/^local answers in \d+ms\n$/);
  const wrong = hostVariable("wrong", { ...store, secretAccessKey: "wrong" });
  expect(await home.pail(["ping", "wrong"], { env: wrong })).toMatchObject({ code: 4 });
  const env = { PAIL_HOST_down: "http://a:b@127.0.0.1:1" };
  expect(await home.pail(["ping", "down"], { env })).toMatchObject({ code: 6, stdout: "" });
});

test("ping --wait waits until the endpoint answers", async () => {
  // The first try gets no answer; then the store listens at the same address.
  const { accessKeyId, secretAccessKey, endpoint } = store;
  const { hostname, port } = new URL(endpoint);
  let tries = 0;
  const late = createServer((socket) => {
    socket.on("error", () => undefined);
    if (++tries === 1) return void socket.destroy();
    const onward = connect(Number(port), hostname).on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => late.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(late.address() as AddressInfo).port}`;
  const env = { PAIL_HOST_late: `http://${accessKeyId}:${secretAccessKey}@${address}` };
  const answered = await home.pail(["ping", "--wait", "50s", "late"], { env });
  late.close();
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^late answers/) });
  expect(tries).toBeGreaterThan(1);
});

test("other tools' words lead to pail's", async () => {
  for (const [typed, meant] of [
    [["mkdir", "local/x"], "pail mb"],
    [["alias", "rm", "x"], "pail alias remove"],
  ] as const) {
    const { code, stderr } = await home.pail(typed);
    expect(code).toBe(2);
    expect(stderr).toContain(`did you mean ${meant}?`);
  }
});

test("the headers of a web page travel", async () => {
  const headers = [
    ["--content-encoding", "gzip"],
    ["--content-disposition", "attachment; filename=a.txt"],
    ["--content-language", "de"],
    ["--expires", "2030-01-31"],
  ].flat();
  expect(await home.pail(["pipe", ...headers, "local/box/page"], { stdin: "x" })).toMatchObject({
    code: 0,
  });
  const { stdout } = await said("stat", "--json", "local/box/page");
  expect(JSON.parse(stdout)).toMatchObject({
    contentEncoding: "gzip",
    contentDisposition: "attachment; filename=a.txt",
    contentLanguage: "de",
    expires: "Thu, 31 Jan 2030 00:00:00 GMT",
  });
  const bad = await home.pail(["pipe", "--expires", "soon", "local/box/page"], { stdin: "x" });
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('"soon" is not a date') });
});

test("another tool's aliases are taken over, and no existing one is replaced", async () => {
  const { endpoint, accessKeyId: accessKey, secretAccessKey: secretKey } = store;
  const mine = { url: endpoint, accessKey, secretKey };
  const other = { ...mine, url: "https://other.example" };
  const file = join(home.directory, "mc.json");
  await home.pail(["alias", "remove", "mine"]);
  writeFileSync(file, JSON.stringify({ aliases: { mine, "2x": mine, local: other } }));
  const first = await home.pail(["alias", "import", "mc", file]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(/^imported mine .*\nskipped 2x: .*\nskipped local: .*\n$/);
  expect(first.stdout).not.toContain(secretKey);
  expect(await home.pail(["ping", "mine"])).toMatchObject({ code: 0 });
  writeFileSync(file, JSON.stringify({ aliases: { mine: other } }));
  const again = await home.pail(["alias", "import", "mc", file, "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ type: "alias-skipped", name: "mine" });
  expect(await home.pail(["ping", "mine"])).toMatchObject({ code: 0 });
  expect(await home.pail(["alias", "import", "aws"])).toMatchObject({ code: 3 });
  expect(await home.pail(["alias", "import", "gsutil"])).toMatchObject({ code: 2 });
});
