/** A service that goes silent: given up after PAIL_TIMEOUT, and nothing half-done is left. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { remove } from "../../src/core/operations/remove.js";
import { recorder } from "../support/bucket.js";
import { type Fault, startFaultProxy } from "../support/fault-proxy.js";
import {
  COMPLETE,
  DELETE_BATCH,
  OBJECT_GET,
  OBJECT_PUT,
  PART,
  PART_PUT,
  startFaultyBucket,
} from "../support/faulty-bucket.js";
import { createHome } from "../support/run.js";
import { hostVariable, type RunningStore, startStore } from "../support/store.js";

/** One second is far above what a store in the same process takes to answer. */
const env = (tries: number) => ({ PAIL_TIMEOUT: "1", AWS_MAX_ATTEMPTS: String(tries) });

let store: RunningStore;
const cleanUp: (() => unknown)[] = [];
beforeAll(async () => {
  store = await startStore();
});
afterAll(async () => {
  for (const end of cleanUp.reverse()) await end();
  await store.close();
});

/** A bucket and a proxy of the test's own: these tests only wait, so they wait together. */
async function ground(tries: number) {
  const proxy = await startFaultProxy(store.endpoint);
  const options = { env: env(tries), largeSize: PART + 12_345 };
  const bucket = await startFaultyBucket(store, proxy.url, options);
  cleanUp.push(
    () => proxy.close(),
    () => bucket.close(),
  );
  return { proxy, bucket };
}

function temporaryHome() {
  const home = createHome();
  cleanUp.push(() => home.remove());
  return home;
}

type Case = readonly [when: string, file: "large" | "small", on: RegExp, does: Fault["does"]];
/** Any range that begins in the first part. */
const FIRST_RANGE = /bytes=(?:0|[1-4]\d{6})-/;
const UP: readonly Case[] = [
  ["in a part", "large", PART_PUT, { type: "stall-request", bytes: 1_000_000 }],
  ["in a small object", "small", OBJECT_PUT, { type: "stall-request", bytes: 0 }],
  ["before the answer to a part", "large", PART_PUT, { type: "stall-response" }],
  ["before the answer to a small object", "small", OBJECT_PUT, { type: "stall-response" }],
  ["before the answer to its end", "large", COMPLETE, { type: "stall-response" }],
];
const DOWN: readonly Case[] = [
  ["before the head", "small", OBJECT_GET, { type: "stall-response" }],
  ["before the head of a range", "large", FIRST_RANGE, { type: "stall-response" }],
  ["before the body", "small", OBJECT_GET, { type: "stall", bytes: 0 }],
  ["in the body", "small", OBJECT_GET, { type: "stall", bytes: 100_000 }],
  ["in the body of a range", "large", FIRST_RANGE, { type: "stall", bytes: 1_500_000 }],
];

describe.concurrent("a silence that happens once", () => {
  it.each(UP)("%s of an upload is survived", async (_when, file, on, does) => {
    const { proxy, bucket } = await ground(3);
    const struck = proxy.inject({ on, does, times: 1 });
    const seen = recorder();
    const report = await bucket.upload(file, { onEvent: seen.onEvent });
    expect(struck()).toBe(1);
    expect(report.failures).toEqual([]);
    expect(seen.of("retried")).toContainEqual(expect.objectContaining({ code: "ETIMEDOUT" }));
    expect((await bucket.get(file)).equals(bucket[file])).toBe(true);
    expect(await bucket.uploads()).toEqual([]);
  });

  it.each(DOWN)("%s of a download is survived", async (_when, key, on, does) => {
    const { proxy, bucket } = await ground(3);
    await bucket.fill();
    const struck = proxy.inject({ on, does, times: 1 });
    const report = await bucket.download(key);
    expect(struck()).toBe(1);
    expect(report.failures).toEqual([]);
    expect(bucket.read("out").equals(bucket[key])).toBe(true);
    expect(bucket.files()).toEqual(["out"]);
  });

  it.each(["stall-response", "stall-request"] as const)(
    "in a removal (%s) is survived",
    async (type) => {
      const { proxy, bucket } = await ground(3);
      for (const key of ["k/1", "k/2"]) await bucket.straight.write(key, bucket.small);
      const struck = proxy.inject({ on: DELETE_BATCH, does: { type, bytes: 0 }, times: 1 });
      const { faulty: storage } = bucket;
      const report = await remove({ storage, alias: "t", targets: { prefix: "k/" } });
      expect(struck()).toBe(1);
      expect(report.snapshot.items).toMatchObject({ total: 2, done: 2, failed: 0 });
      expect(await bucket.keys()).toEqual([]);
    },
  );
});

describe.concurrent("a silence that never ends", () => {
  it.each(UP)("%s of an upload is an error, and the next run sends it", async (...silence) => {
    const [, file, on, does] = silence;
    const { proxy, bucket } = await ground(2);
    const struck = proxy.inject({ on, does });
    const report = await bucket.upload(file, { stateDir: bucket.state });
    expect(struck()).toBeGreaterThan(1);
    expect(report.failures).toMatchObject([{ error: { kind: "unavailable", code: "ETIMEDOUT" } }]);
    // The store has completed what it did not say it had: the next run finds that out.
    const left = on === COMPLETE ? [{}] : await bucket.uploads();
    expect(report.left).toHaveLength(left.length);

    proxy.heal();
    const again = await bucket.upload(file, { stateDir: bucket.state });
    expect(again.failures).toEqual([]);
    expect((await bucket.get(file)).equals(bucket[file])).toBe(true);
    expect(await bucket.uploads()).toEqual([]);
  });

  it.each(DOWN)("%s of a download is an error, and the next run brings it", async (...silence) => {
    const [, key, on, does] = silence;
    const { proxy, bucket } = await ground(2);
    await bucket.fill();
    const struck = proxy.inject({ on, does, times: 1 });
    proxy.inject({ on, does: { type: "stall-response" } });
    const report = await bucket.download(key, { stateDir: bucket.state });
    expect(struck()).toBe(1);
    expect(report.failures).toMatchObject([{ error: { kind: "unavailable", code: "ETIMEDOUT" } }]);
    expect(bucket.files()).not.toContain("out");
    expect(bucket.files()).toHaveLength(report.left.length);

    proxy.heal();
    const again = await bucket.download(key, { stateDir: bucket.state });
    expect(again.failures).toEqual([]);
    expect(bucket.read("out").equals(bucket[key])).toBe(true);
    expect(bucket.files()).toEqual(["out"]);
  });
});

describe.concurrent("the command", () => {
  it.each([
    [["--retries", "1"], 2],
    [["--retries", "0"], 1],
  ])("ends with 6 after as many tries as %j allows, and says why", async (flags, tries) => {
    const { proxy, bucket } = await ground(1);
    await bucket.fill();
    const home = temporaryHome();
    const vars = { ...env(9), ...hostVariable("t", { ...store, endpoint: proxy.url }) };
    mkdirSync(join(home.directory, "files"));
    writeFileSync(join(home.directory, "new"), bucket.small);
    const runs = [
      [["cp", `t/${bucket.name}/small`, "files/"], { on: OBJECT_GET, bytes: 0, type: "stall" }],
      [["cp", "new", `t/${bucket.name}/new`], { on: OBJECT_PUT, bytes: 0, type: "stall-request" }],
    ] as const;
    for (const [args, { on, ...does }] of runs) {
      const struck = proxy.inject({ on, does, times: tries });
      const result = await home.pail([...args, ...flags], { env: vars });
      expect(result).toMatchObject({ code: 6, stdout: "" });
      expect(result.stderr).toContain(`${proxy.url}: the connection timed out (ETIMEDOUT)`);
      expect(struck()).toBe(tries);
      expect(readdirSync(join(home.directory, "files"))).toEqual([]);
      expect(await bucket.keys()).toEqual(["large", "small"]);
    }
    for (const [args] of runs)
      expect(await home.pail(args, { env: vars })).toMatchObject({ code: 0 });
    expect(readFileSync(join(home.directory, "files/small")).equals(bucket.small)).toBe(true);
    expect((await bucket.get("new")).equals(bucket.small)).toBe(true);
  });

  it.each(["abc", "0", "-1", "1e3", "86401", "NaN"])("refuses PAIL_TIMEOUT=%s", async (value) => {
    const home = temporaryHome();
    const vars = { ...hostVariable("t", store), PAIL_TIMEOUT: value };
    const result = await home.pail(["ls", "t"], { env: vars });
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toMatch(
      /^pail: PAIL_TIMEOUT is .* must be seconds .*\nhint: unset PAIL_/,
    );
  });
});
