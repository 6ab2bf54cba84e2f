/** `kill -9` of a transfer at one of its requests, then the same command again. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openBucket } from "../../src/core/storage/s3.js";
import type { BucketStorage } from "../../src/core/storage/s3-types.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { readAll } from "../../src/protocol/message.js";
import { pseudoRandom } from "./bucket.js";
import { clientFor } from "./client.js";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.js";
import { createHome, type Home } from "./run.js";
import { hostVariable, type RunningStore, startStore } from "./store.js";
import { until } from "./until.js";

const CONTENT = pseudoRandom(40 * MIB + 321);
/** Eight parts are under way at once: at this one, some are done. */
export const LAST_INSTANT = 10;

/** Declares the cases; `instants` are the requests at whose arrival the process is killed. */
export function killedTransfers(instants: readonly number[]): void {
  let store: RunningStore;
  let proxy: FaultProxy;
  let home: Home;
  let straight: BucketStorage;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    store = await startStore();
    straight = openBucket(clientFor({ endpoint: store.endpoint, credentials: store }), "kill-test");
    await straight.client.request({ method: "PUT", bucket: "kill-test" });
    await straight.write("down", CONTENT);
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

  describe("request 5, an interrupted transfer goes on (aws-cli#1425): a killed upload", () => {
    it.each(instants)(
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
        if (instant === 1) expect(again.stderr).toContain(`pail uploads list t/kill-test/${key}`);
      },
    );
  });

  describe("a killed upload of a stream", () => {
    it("is ended by the next run, which says so", async () => {
      const args = ["cp", "-", "t/kill-test/stream", "--part-size", "5MiB"];
      let sent = 0;
      proxy.watch((line) => {
        if (line.includes("partNumber=")) sent += 1;
      });
      const child = home.start(args, { env });
      const ended = once(child, "exit");
      child.stdin!.on("error", () => undefined);
      child.stdin!.write(CONTENT.subarray(0, 12 * MIB));
      await until(() => sent > 0);
      child.kill("SIGKILL");
      await ended;
      expect(await uploads("stream")).toHaveLength(1);
      const again = await home.pail(args, { env, stdin: CONTENT });
      expect(again).toMatchObject({ code: 0 });
      expect(again.stderr).toContain("started over");
      expect(await uploads("stream")).toEqual([]);
    });
  });

  describe("request 5, an interrupted transfer goes on (s5cmd#528): a killed download", () => {
    it.each(instants)(
      "at request %i leaves no file, and the same command finishes it",
      async (instant) => {
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

  describe("a killed download of a small object", () => {
    it("leaves a partial file that the next download into the directory removes", async () => {
      const files = join(home.directory, "files");
      await straight.write("small", CONTENT.subarray(0, 3 * MIB));
      const args = ["cp", "t/kill-test/small", files, "--limit-download", "64KiB"];
      const child = home.start(args, { env });
      const ended = once(child, "exit");
      await until(() => readdirSync(files).length > 0);
      // One that is under way is not touched, and neither is what only looks like one of ours.
      writeFileSync(join(files, ".pail-abc-1.partial"), "somebody's");
      await straight.write("other", Buffer.from("x"));
      await home.pail(["cp", "t/kill-test/other", files], { env });
      expect(readdirSync(files)).toHaveLength(3);
      child.kill("SIGKILL");
      await ended;
      expect(readdirSync(files)).toHaveLength(3);
      expect(await home.pail(["cp", "t/kill-test/other", files], { env })).toMatchObject({
        code: 0,
      });
      expect(readdirSync(files).toSorted()).toEqual([".pail-abc-1.partial", "other"]);
    });
  });
}
