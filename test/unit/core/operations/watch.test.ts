/** A sync that goes on: changes it notices, failures it survives, and files it never removes. */
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { AppError, interrupted } from "../../../../src/core/failures/errors.js";
import { type Waiting, watchSync } from "../../../../src/core/operations/watch.js";
import type { Side } from "../../../../src/core/sync/sides.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { runSync } from "../../../support/sync.js";

let bucket: TestBucket;
let root: string;
let ended: AbortController;
beforeEach(async () => {
  bucket = await startBucket();
  root = join(bucket.directory, "source");
  mkdirSync(root);
  ended = new AbortController();
});
afterEach(() => {
  ended.abort();
  bucket.close();
});

/** Watches with --delete; `waits` resolves when the watch waits for the next change. */
function start(source: Side, target: Side, options: Parameters<typeof runSync>[2] = {}) {
  const waiting: Waiting[] = [];
  let passes = 0;
  let isPassing = false;
  let wake = () => {};
  const done = watchSync({
    source,
    interval: 20,
    signal: ended.signal,
    onWaiting: (one) => {
      waiting.push(one);
      wake();
    },
    pass: async (device) => {
      passes += 1;
      isPassing = true;
      const ran = await runSync(source, target, { ...options, device, signal: ended.signal });
      isPassing = false;
      wake();
      if (ran.withheld !== undefined) throw ran.withheld;
      if (ran.failures[0] !== undefined) throw ran.failures[0].error;
    },
  });
  let hasEnded = false;
  const end = () => void (hasEnded = true);
  done.then(end, end);
  const until = async (what: () => boolean | Promise<boolean>) => {
    while (!(await what())) {
      if (hasEnded) throw new Error(`the watch ended before ${String(what)}`);
      const turn = new Promise<void>((resolve) => (wake = resolve));
      await Promise.race([turn, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  };
  return { waiting, done, until, passes: () => passes, isPassing: () => isPassing };
}

const has = async (...keys: string[]) => (await bucket.keys()).join() === keys.join();

describe("a directory that is watched", () => {
  it("is followed: new, changed and removed files, and directories made and moved", async () => {
    writeFileSync(join(root, "a"), "1");
    const { until, waiting, done, isPassing } = start({ type: "path", path: root }, bucket.at(""));
    await until(() => waiting.some((one) => one.for === "changes"));
    mkdirSync(join(root, "d", "e"), { recursive: true });
    writeFileSync(join(root, "d", "e", "f"), "2");
    await until(() => has("a", "d/e/f"));
    renameSync(join(root, "d"), join(root, "moved"));
    await until(() => has("a", "moved/e/f"));
    writeFileSync(join(root, "moved", "e", "f"), "changed there");
    await until(async () => (await bucket.get("moved/e/f")).toString() === "changed there");
    // At once: the new directory is read before the old name is known to be gone.
    mkdirSync(join(root, "new"));
    renameSync(join(root, "moved"), join(root, "new", "in"));
    await until(() => has("a", "new/in/e/f"));
    writeFileSync(join(root, "new", "in", "e", "f"), "there, too");
    await until(async () => (await bucket.get("new/in/e/f")).toString() === "there, too");
    rmSync(join(root, "a"));
    await until(() => has("new/in/e/f"));
    const outside = join(bucket.directory, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(root, "way"));
    writeFileSync(join(outside, "g"), "3");
    await until(() => has("new/in/e/f", "way/g"));
    // Two links to one directory: the watch of one goes on when the other is removed.
    symlinkSync(outside, join(root, "way2"));
    await until(() => has("new/in/e/f", "way/g", "way2/g"));
    rmSync(join(root, "way"));
    await until(() => has("new/in/e/f", "way2/g"));
    writeFileSync(join(outside, "h"), "4");
    await until(() => has("new/in/e/f", "way2/g", "way2/h"));
    expect(waiting.filter((one) => one.for === "changes")).toHaveLength(1);
    // An interrupted pass rejects.
    await until(() => !isPassing());
    ended.abort(interrupted());
    expect(await done).toBeUndefined();
  });

  it("that vanishes, comes back empty and is filled again leaves the target as it is, and is followed again", async () => {
    writeFileSync(join(root, "a"), "1");
    const { until, waiting } = start({ type: "path", path: root }, bucket.at(""));
    await until(() => has("a"));
    const codes = () => waiting.flatMap((one) => (one.for === "retry" ? [one.error.code] : []));
    renameSync(root, `${root}.away`);
    await until(() => codes().includes("ENOENT"));
    mkdirSync(root);
    await until(() => codes().includes("DeletionWithheld"));
    expect(await bucket.keys()).toEqual(["a"]);
    writeFileSync(join(root, "a"), "1");
    writeFileSync(join(root, "b"), "2");
    await until(() => has("a", "b"));
    await until(() => waiting.at(-1)?.for === "changes");
    writeFileSync(join(root, "c"), "3");
    await until(() => has("a", "b", "c"));
  });

  it("removes nothing when another file system is mounted there, even when it may empty the target", async () => {
    await bucket.put("a", "1");
    const source = { type: "path", path: root } as const;
    const device = statSync(root).dev + 1;
    const { withheld } = await runSync(source, bucket.at(""), { device, allowEmptySource: true });
    expect(withheld).toMatchObject({ code: "DeletionWithheld", exitCode: 5 });
    expect(withheld?.message).toContain("another file system");
    expect(await bucket.keys()).toEqual(["a"]);
  });
});

describe("a bucket that is watched", () => {
  it("is looked at from time to time; a failed pass is tried again unless that cannot help", async () => {
    await bucket.put("s/a", "1");
    const target = join(bucket.directory, "down");
    const side = { type: "path", path: target } as const;
    const { until, waiting, passes, done } = start(bucket.at("s/"), side, { remove: false });
    await until(() => passes() > 2);
    expect(waiting.map((one) => one.for)).toEqual(["look"]);
    // A file fails as long as a directory is in its way.
    mkdirSync(join(target, "b"));
    writeFileSync(join(target, "b", "own"), "x");
    await bucket.put("s/b", "2");
    await until(() => waiting.some((one) => one.for === "retry"));
    rmSync(join(target, "b"), { recursive: true });
    await until(() => waiting.at(-1)?.for === "look");
    expect(statSync(join(target, "b")).isFile()).toBe(true);
    ended.abort(interrupted());
    expect(await done).toBeUndefined();
  });

  it("ends with the last pass's failure, or with one that no further pass can mend", async () => {
    const watched = (error: AppError) =>
      watchSync({
        source: bucket.at("s/"),
        interval: 1,
        signal: ended.signal,
        onWaiting: () => ended.abort(interrupted()),
        pass: async () => {
          throw error;
        },
      });
    const error = (kind: AppError["kind"]) => new AppError({ kind, code: "X", message: "x" });
    await expect(watched(error("usage"))).rejects.toMatchObject({ kind: "usage" });
    await expect(watched(error("not-found"))).rejects.toMatchObject({ kind: "not-found" });
    expect(await watched(error("partial"))).toMatchObject({ kind: "partial" });
  });
});
