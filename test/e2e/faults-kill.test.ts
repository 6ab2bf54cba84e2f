/** `kill -9` at any request, then the same command again. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openBucket } from "../../src/core/storage/s3.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { readAll } from "../../src/protocol/message.js";
import { pseudoRandom } from "../support/bucket.js";
import { clientFor } from "../support/client.js";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.js";
import { createHome, type Home } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

const CONTENT = pseudoRandom(40 * MIB + 321);
/** The request at whose arrival the process is killed; spread over the whole transfer. */
const INSTANTS = [1, 3, 6, 8, 9, 10];
/** Eight parts are under way at once: at this one, some are done. */
const LAST_INSTANT = 10;

let store: RunningStore;
let proxy: FaultProxy;
let home: Home;
let straight: BucketStorage;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  store = await startStore();
  straight = openBucket(clientFor({ endpoint: store.endpoint, credentials: store }), "kill-test");
  await straight.client.request({ method: "PUT", bucket: "kill-test" });
});
afterAll(async () => {
  straight.client.close();
  await store.close();
});
beforeEach(async () => {
  proxy = await startFaultProxy(store.endpoint);
  home = createHome();
  env = hostVariable("t", { ...store, endpoint: proxy.url });
  mkdirSync(join(home.directory, "files"));
});
afterEach(async () => {
  await proxy.close();
  home.remove();
});

/** Runs the command until its nth request arrives, and kills it there. */
async function killAt(args: readonly string[], instant: number): Promise<void> {
  let requests = 0;
  const child = home.start(args, { env });
  const ended = once(child, "exit");
  proxy.watch(() => {
    requests += 1;
    if (requests === instant) child.kill("SIGKILL");
  });
  await ended;
}

async function uploads(key: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of straight.listUploads({ prefix: key })) {
    found.push(...page.map(({ uploadId }) => uploadId));
  }
  return found;
}

describe("a killed upload", () => {
  it.each(INSTANTS)(
    "at request %i leaves no object, and the same command finishes it",
    async (instant) => {
      const key = `up-${instant}-`;
      const file = join(home.directory, "big");
      writeFileSync(file, CONTENT);
      const args = ["cp", file, `t/kill-test/${key}`, "--part-size", "5MiB"];
      await killAt(args, instant);
      await expect(straight.stat(key)).rejects.toMatchObject({ code: "NoSuchKey" });
      const again = await home.pail(args, { env });
      expect(again).toMatchObject({ code: 0 });
      if (instant === LAST_INSTANT) expect(again.stdout + again.stderr).toContain("resumed");
      const stored = await readAll((await straight.read(key)).body, 1024 ** 3);
      expect(stored.equals(CONTENT)).toBe(true);
      // Killed before it heard the upload's id, it cannot know of it: `uploads list` does.
      const left = await uploads(key);
      expect(left.length).toBeLessThanOrEqual(instant === 1 ? 1 : 0);
    },
  );
});

describe("a killed download", () => {
  it.each(INSTANTS)(
    "at request %i leaves no file, and the same command finishes it",
    async (instant) => {
      const file = join(home.directory, "big");
      writeFileSync(file, CONTENT);
      expect(await home.pail(["cp", file, "t/kill-test/down"], { env })).toMatchObject({ code: 0 });
      const target = join(home.directory, "files", "out");
      const args = ["cp", "t/kill-test/down", target, "--part-size", "5MiB"];
      await killAt(args, instant);
      expect(readdirSync(join(home.directory, "files"))).not.toContain("out");
      const again = await home.pail(args, { env });
      expect(again).toMatchObject({ code: 0 });
      if (instant === LAST_INSTANT) expect(again.stdout + again.stderr).toContain("resumed");
      expect(readFileSync(target).equals(CONTENT)).toBe(true);
      expect(readdirSync(join(home.directory, "files"))).toEqual(["out"]);
    },
  );
});
