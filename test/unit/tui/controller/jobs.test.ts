/** Jobs as the console starts them: on a real store, by what they tell the pages. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Entry } from "../../../../src/core/storage/storage.js";
import type { BucketStorage } from "../../../../src/core/storage/s3-types.js";
import { openBucket } from "../../../../src/core/storage/s3.js";
import { bucketService } from "../../../../src/core/storage/buckets.js";
import { createController } from "../../../../src/tui/controller/index.js";
import type { Deps } from "../../../../src/tui/controller/deps.js";
import { registerPages } from "../../../../src/tui/pages/registry.js";
import { NO_MARKS, setMarks } from "../../../../src/tui/list/marks.js";
import { append, emptyStore } from "../../../../src/tui/list/store.js";
import type { Action } from "../../../../src/tui/state/actions.js";
import { markedTargets } from "../../../../src/tui/state/targets.js";
import type { JobItem, JobSpec } from "../../../../src/tui/state/types.js";
import { startBucket, type TestBucket } from "../../../support/bucket.js";
import { clientFor } from "../../../support/client.js";

registerPages();
let bucket: TestBucket;
let twin: ReturnType<typeof clientFor>;
/** Runs before each call of a method of the alias `local`. */
let before: { [M in keyof BucketStorage]?: (key: unknown) => Promise<void> } = {};
beforeEach(async () => {
  bucket = await startBucket();
  before = {};
  const credentials = await bucket.store.keys.first();
  twin = clientFor({ handler: bucket.store.handler, credentials });
});
afterEach(() => bucket.close());

function watched(storage: BucketStorage): BucketStorage {
  const wrap =
    (name: "copyFrom" | "write") =>
    async (key: string, ...rest: never[]) => {
      await before[name]?.(key);
      return (storage[name] as (...args: unknown[]) => unknown)(key, ...rest);
    };
  return { ...storage, copyFrom: wrap("copyFrom") as never, write: wrap("write") as never };
}

/** Starts a controller on the store; `served` is the same service under another alias. */
function start() {
  const actions: Action[] = [];
  let ended: (status: Extract<Action, { type: "job-ended" }>) => void = () => undefined;
  const deps: Omit<Deps, "latest"> = {
    context: {
      bucket: async (alias: string, name: string) =>
        watched(openBucket(alias === "served" ? twin : bucket.storage.client, name)),
      buckets: async () => bucketService(bucket.storage.client),
    } as unknown as Deps["context"],
    dispatch: (action) => {
      actions.push(action);
      if (action.type === "job-ended") ended(action);
    },
    write: () => undefined,
    quit: () => undefined,
    suspend: () => undefined,
    redraw: () => undefined,
    lend: (work) => work(),
    scratch: () => bucket.directory,
  };
  const controller = createController(deps);
  const run = (spec: JobSpec, again?: readonly JobItem[]) =>
    new Promise<Extract<Action, { type: "job-ended" }>>((resolve) => {
      ended = resolve;
      controller.perform({ type: "start-job", job: 1, spec, again });
    });
  const of = <T extends Action["type"]>(type: T) =>
    actions.filter((action): action is Extract<Action, { type: T }> => action.type === type);
  return { controller, run, of };
}

const place = (alias = "local", prefix = "") => ({ alias, bucket: "bucket", prefix });
const object = (key: string) => ({ type: "object", key }) as const;
const prefix = (key: string) => ({ type: "prefix", key }) as const;

describe("a move", () => {
  it("tells what has gone and what is here", async () => {
    await bucket.put("a/1", "one");
    const { run, of } = start();
    const spec = { type: "move", from: place(), targets: [prefix("a/")], to: place() } as const;
    expect(await run({ ...spec, key: "b/" })).toMatchObject({ status: "done", failures: [] });
    expect(await bucket.keys()).toEqual(["b/1"]);
    expect(of("keys-gone").flatMap(({ keys }) => keys)).toEqual(["a/1", "a/"]);
    expect(of("keys-here").flatMap(({ entries }) => entries)).toMatchObject([{ key: "b/1" }]);
    expect(of("job-progress").at(-1)).toMatchObject({ snapshot: { items: { done: 1 } } });
  });

  it.each([prefix("a/"), object("a/1")])(
    "to the same place under another alias is refused",
    async (target) => {
      await bucket.put("a/1", "one");
      const { run } = start();
      const to = place("served", target.type === "prefix" ? "" : "a/");
      const ended = await run({ type: "move", from: place(), targets: [target], to });
      expect(ended.status).toBe("failed");
      expect(ended.failures).toMatchObject([
        { failure: { code: target.type === "prefix" ? "CopyIntoItself" : "SameObject" } },
      ]);
      expect((await bucket.get("a/1")).toString()).toBe("one");
    },
  );

  it("of a prefix leaves what is written below it meanwhile, and its row", async () => {
    await bucket.put("a/1", "one");
    await bucket.put("a/2", "two");
    before.copyFrom = async () => {
      before = {};
      await bucket.put("a/0", "late");
      await bucket.put("a/2", "written again");
    };
    const { run, of } = start();
    const spec = { type: "move", from: place(), targets: [prefix("a/")], to: place() } as const;
    const { failures } = await run({ ...spec, key: "b/" });
    expect((await bucket.get("a/0")).toString()).toBe("late");
    const left = await bucket.keys();
    const again = left.includes("a/2") ? "a/2" : "b/2";
    expect((await bucket.get(again)).toString()).toBe("written again");
    expect(failures.every(({ failure }) => failure.code === "Drifted")).toBe(true);
    expect(of("keys-gone").flatMap(({ keys }) => keys)).not.toContain("a/");
  });

  it("that failed moves when it is tried again, and does not only copy", async () => {
    for (const key of ["a/1", "a/2"]) await bucket.put(key, "one");
    const { run } = start();
    const ref = (key: string) =>
      ({ type: "object", alias: "local", bucket: "bucket", key }) as const;
    const again = (["1", "2"] as const).map((name) => ({
      action: "copy" as const,
      source: ref(`a/${name}`),
      target: ref(`b/${name}`),
      size: 3,
      moves: name === "1" ? (true as const) : undefined,
    }));
    const spec = { type: "move", from: place(), targets: [prefix("a/")], to: place() } as const;
    expect(await run(spec, again)).toMatchObject({ status: "done" });
    expect(await bucket.keys()).toEqual(["a/2", "b/1", "b/2"]);
  });

  it("asks before it replaces, and the answer is kept to", async () => {
    await bucket.put("a", "new");
    await bucket.put("b", "old");
    const { run, of, controller } = start();
    const spec = { type: "move", from: place(), targets: [object("a")], to: place() } as const;
    const running = run({ ...spec, key: "b" });
    await expect.poll(() => of("asked").length).toBe(1);
    controller.perform({ type: "answer", job: 1, action: "skip", always: false });
    expect((await running).status).toBe("done");
    expect([await bucket.get("a"), await bucket.get("b")].map(String)).toEqual(["new", "old"]);
  });
});

describe("other jobs", () => {
  it("upload, download and remove, and name each failure", async () => {
    const { run } = start();
    const path = bucket.file("up", "bytes");
    const uploaded = await run({ type: "upload", paths: [path, `${path}x`], target: place() });
    expect(uploaded).toMatchObject({
      status: "failed",
      failures: [{ item: { action: "upload" } }],
    });
    expect((await bucket.get("up")).toString()).toBe("bytes");
    const targets = [object("up"), object("none")];
    const directory = join(bucket.directory, "down");
    const down = await run({ type: "download", from: place(), targets, directory });
    expect(down.failures).toHaveLength(1);
    expect(readFileSync(join(directory, "up"), "utf8")).toBe("bytes");
    expect(existsSync(join(directory, "none"))).toBe(false);
    expect((await run({ type: "remove", from: place(), targets })).status).toBe("done");
    expect(await bucket.keys()).toEqual([]);
  });

  it("remove exactly the many rows that were marked", async () => {
    const names = Array.from({ length: 1030 }, (_, index) => `m${String(index).padStart(4, "0")}`);
    // The others are gone by the time; that is no failure.
    for (const index of [0, 3, 4, 700, 701, 1029]) await bucket.put(names[index]!, "one");
    await bucket.put("p/1", "below");
    const entries: Entry[] = names.map((key) => ({ type: "object", key, size: 3 }));
    const store = append(emptyStore(""), [...entries, { type: "prefix", key: "p/" }]);
    const all = Uint32Array.from({ length: 1031 }, (_, id) => id);
    const marks = setMarks(store, setMarks(store, NO_MARKS, all, true), [3, 700], false);
    const targets = markedTargets(store, marks);
    // Somebody writes beside them.
    await bucket.put("m0004b", "late");
    expect((await start().run({ type: "remove", from: place(), targets })).status).toBe("done");
    expect(await bucket.keys()).toEqual(["m0003", "m0004b", "m0700"]);
  });

  it("empty a bucket and remove it", async () => {
    await bucket.put("a/1", "one");
    const { run } = start();
    const ended = await run({ type: "empty-bucket", alias: "local", bucket: "bucket" });
    expect(ended.status).toBe("done");
    expect(await bucketService(bucket.storage.client).list()).toEqual([]);
  });

  it("are canceled, and are then no failure", async () => {
    const { run, controller } = start();
    before.write = async () => controller.perform({ type: "cancel-job", job: 1 });
    const path = bucket.file("up", "bytes");
    const ended = await run({ type: "upload", paths: [path], target: place() });
    expect(ended).toMatchObject({ status: "canceled", failures: [] });
  });
});

describe("a question", () => {
  it("is about as many objects as there are, and says what a delete would leave", async () => {
    await bucket.put("a/1", "one");
    await bucket.put("a/2", "two!");
    await bucket.put("b", "x");
    const { controller, of } = start();
    const targets = [prefix("a/"), { ...object("b"), size: 1 }];
    const effect = { type: "count", dialog: 2, from: place(), targets, versions: false } as const;
    controller.perform(effect);
    await expect.poll(() => of("counted").at(-1)?.count.done).toBe(true);
    expect(of("counted").at(-1)?.count).toEqual({
      objects: 3,
      bytes: 8,
      done: true,
      keeps: "nothing",
    });
  });

  it("that cannot be answered says why", async () => {
    const { controller, of } = start();
    const from = { ...place(), bucket: "missing" };
    const targets = [prefix("a/")];
    controller.perform({ type: "count", dialog: 2, from, targets, versions: true });
    await expect.poll(() => of("counted").at(-1)?.count.failure?.code).toBe("NoSuchBucket");
  });
});
