/** More than one service, and services that fail. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createStore } from "../../src/store/index.js";
import { listen } from "../../src/store/node-server.js";
import { startFaultProxy } from "../support/fault-proxy.js";
import { createHome, type Home } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

let home: Home;
let one: RunningStore;
let other: RunningStore;
let env: NodeJS.ProcessEnv;
const at = (...parts: string[]) => join(home.directory, ...parts);
const ok = async (...args: string[]) => {
  const result = await home.pail(args, { env });
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return result;
};

beforeAll(async () => {
  home = createHome({ here: true });
  one = await startStore();
  other = await startStore();
  env = { ...hostVariable("one", one), ...hostVariable("other", other) };
  mkdirSync(at("tree", "sub"), { recursive: true });
  writeFileSync(at("tree", "a"), "a");
  writeFileSync(at("tree", "sub", "b"), "b");
  await ok("mb", "one/demo");
  await ok("mb", "other/demo");
  await ok("cp", "-r", "tree/", "one/demo");
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  home.remove();
});

describe("between services", () => {
  test("bytes stream through, single objects and whole trees, with their metadata", async () => {
    await ok("cp", "--metadata", "owner=me", "--content-type", "text/x", "tree/a", "one/demo/said");
    const copied = await ok("cp", "--json", "one/demo/said", "other/demo/said");
    expect(JSON.parse(copied.stdout.split("\n")[0]!)).toMatchObject({ action: "relay" });
    expect(JSON.parse((await ok("stat", "--json", "other/demo/said")).stdout)).toMatchObject({
      contentType: "text/x",
      metadata: { owner: "me" },
    });
    await ok("cp", "-r", "one/demo/", "other/demo/all");
    const { stdout } = await ok("ls", "-r", "other/demo/all");
    expect(stdout.match(/\S+$/gm)).toEqual(["a", "said", "sub/b"]);
  });

  test("tags that may not be read are reported", async () => {
    const proxy = await startFaultProxy(one.endpoint);
    try {
      proxy.inject({
        on: /\?tagging/,
        does: { type: "refuse", status: 403, code: "AccessDenied" },
      });
      const through = hostVariable("through", { ...one, endpoint: proxy.url });
      const args = ["cp", "-r", "through/demo/", "other/demo/untagged/"];
      const { code, stderr } = await home.pail(args, { env: { ...env, ...through } });
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/^the tags of \d objects may not be read and did not come along$/m);
      const json = await home.pail([...args, "--json"], { env: { ...env, ...through } });
      expect(json.stdout).toContain('"lost":["unread tags"]');
    } finally {
      await proxy.close();
    }
  });

  test("a bucket comes down through a pipe and goes up elsewhere", async () => {
    const { bytes } = await ok("cat", "one/demo/a", "one/demo/sub/b");
    expect(bytes.toString()).toBe("ab");
    const put = await home.pail(["cp", "-", "other/demo/joined"], { env, stdin: bytes });
    expect(put).toMatchObject({ code: 0 });
    await ok("cp", "other/demo/joined", "joined");
    expect(readFileSync(at("joined"), "utf8")).toBe("ab");
  });
});

describe("an overloaded service", () => {
  /** Answers SlowDown to the first `count` requests. */
  async function overloaded(count: number) {
    const store = createStore({ directory: one.directory });
    let left = count;
    const server = await listen(
      {
        ...store,
        handler: async (request, options) => {
          left -= 1;
          if (left < 0) return await store.handler(request, options);
          const body = Buffer.from("<Error><Code>SlowDown</Code><Message>Slow</Message></Error>");
          return {
            status: 503,
            headers: { "content-type": "application/xml" },
            body: (async function* () {
              yield body;
            })(),
          };
        },
      },
      { host: "127.0.0.1", port: 0 },
    );
    return { server, env: hostVariable("busy", { ...one, endpoint: server.url }) };
  }

  test("is asked again as often as --retries says", async () => {
    const busy = await overloaded(2);
    const args = ["cp", "--retries", "2", "busy/demo/a", "patient"];
    expect(await home.pail(args, { env: busy.env })).toMatchObject({ code: 0 });
    expect(readFileSync(at("patient"), "utf8")).toBe("a");
    await busy.server.close();
  });

  test("and not more often", async () => {
    const busy = await overloaded(1);
    const args = ["cp", "--retries", "0", "busy/demo/a", "impatient"];
    const result = await home.pail(args, { env: busy.env });
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(result.stderr).toMatch(/SlowDown|slow/i);
    await busy.server.close();
  });
});

describe("one directory", () => {
  test("is used by a server and by commands at the same time", async () => {
    const server = await listen(createStore({ directory: at("store") }), {
      host: "127.0.0.1",
      port: 0,
    });
    await ok("mb", "-p", "local/shared");
    const key = JSON.parse((await ok("serve", "key", "create", "--json")).stdout) as {
      accessKeyId: string;
      secretAccessKey: string;
    };
    Object.assign(env, hostVariable("served", { ...one, ...key, endpoint: server.url }));
    await ok("cp", "tree/a", "local/shared/by-command");
    await ok("cp", "tree/a", "served/shared/by-server");
    for (const alias of ["local", "served"]) {
      const { stdout } = await ok("ls", `${alias}/shared`);
      expect(stdout.match(/\S+$/gm)).toEqual(["by-command", "by-server"]);
    }
    await ok("serve", "key", "remove", key.accessKeyId);
    // The server looks again within a second.
    await expect
      .poll(async () => (await home.pail(["ls", "served"], { env })).code, { timeout: 30_000 })
      .toBe(4);
    await server.close();
  });
});
