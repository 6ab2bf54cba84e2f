import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createContext } from "../../src/context.js";
import { copy } from "../../src/core/operations/copy.js";
import { createStore } from "../../src/store/index.js";
import { listen } from "../../src/store/node-server.js";

let root: string;
let url: string;
let env: NodeJS.ProcessEnv;
let accessKeyId: string;
let secretAccessKey: string;
let refused: number;
let close: () => Promise<void>;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "pail-context-"));
  const store = createStore({ directory: join(root, "store") });
  ({ accessKeyId, secretAccessKey } = await store.keys.first());
  refused = 0;
  const server = await listen(
    {
      ...store,
      handler: async (request, options) => {
        if (!Object.keys(request.headers).some((name) => name.startsWith("x-amz-checksum-"))) {
          return store.handler(request, options);
        }
        refused += 1;
        const text = "<Error><Code>NotImplemented</Code><Message>no checksums</Message></Error>";
        const body = (async function* () {
          yield Buffer.from(text);
        })();
        return { status: 501, headers: { "content-length": `${text.length}` }, body };
      },
    },
    { host: "127.0.0.1", port: 0 },
  );
  url = server.url;
  close = () => server.close();
  env = { HOME: root, PAIL_CONFIG_DIR: join(root, "config"), PAIL_STORE_DIR: join(root, "none") };
});
afterEach(async () => {
  await close();
  rmSync(root, { recursive: true, force: true });
});

/** One run of pail: an upload to an alias, with a context of its own. */
async function upload(alias: string, more: NodeJS.ProcessEnv = {}): Promise<void> {
  const context = createContext({ ...env, ...more });
  const path = join(root, "file");
  writeFileSync(path, "content");
  const storage = await context.bucket(alias, "bucket");
  const target = { type: "bucket", storage, key: "key", alias } as const;
  const report = await copy({ sources: [{ type: "path", path }], target });
  context.close();
  expect(report.failures).toEqual([]);
}

const saved = () =>
  JSON.parse(readFileSync(join(root, "config", "config.json"), "utf8")) as {
    aliases: Record<string, object>;
  };

describe("an endpoint that takes no checksum headers", () => {
  beforeEach(async () => {
    const context = createContext(env);
    const alias = { url, accessKey: accessKeyId, secretKey: secretAccessKey };
    await context.saveAlias("old", alias);
    await context.saveAlias("other", alias);
    await (await context.buckets("old")).make("bucket");
    context.close();
  });

  it("is tried with them once: its alias remembers", async () => {
    await upload("old");
    expect(refused).toBe(1);
    expect(saved().aliases).toMatchObject({ old: { url, checksum: "signed" } });
    expect(saved().aliases["other"]).not.toHaveProperty("checksum");
    await upload("old");
    expect(refused).toBe(1);
  });

  it("is tried again once its alias has been set again", async () => {
    await upload("old");
    const alias = { url, accessKey: accessKeyId, secretKey: secretAccessKey };
    await createContext(env).saveAlias("old", alias);
    await upload("old");
    expect(refused).toBe(2);
  });

  it("leaves the config file alone when the alias is not from there", async () => {
    const before = readFileSync(join(root, "config", "config.json"));
    const host = url.replace("://", `://${accessKeyId}:${secretAccessKey}@`);
    await upload("seen", { PAIL_HOST_seen: host });
    await upload("old", { PAIL_HOST_old: host });
    expect(refused).toBe(2);
    expect(readFileSync(join(root, "config", "config.json"))).toEqual(before);
  });

  it("still gets its upload when the config file cannot be written", async () => {
    const context = createContext(env);
    const storage = await context.bucket("old", "bucket");
    // A file in the place of its directory: nothing can be written there any more.
    rmSync(join(root, "config"), { recursive: true });
    writeFileSync(join(root, "config"), "");
    const path = join(root, "file");
    writeFileSync(path, "content");
    const target = { type: "bucket", storage, key: "key", alias: "old" } as const;
    const report = await copy({ sources: [{ type: "path", path }], target });
    expect(report.failures).toEqual([]);
    context.close();
  });
});
