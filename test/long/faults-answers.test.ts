/**
 * Requests that the service has carried out, but whose answers are lost: each is carried out once,
 * or its outcome is reported as unknown.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import { remove } from "../../src/core/operations/remove.js";
import { useFaults } from "../support/faults.js";
import { BEGIN, COMPLETE, DELETE_BATCH, OBJECT_GET, OBJECT_PUT } from "../support/faulty-bucket.js";

const faults = useFaults();
const LOST = { type: "lose-response" } as const;

describe("a lost answer", () => {
  it("to the beginning of an upload leads to another upload, and the first is aborted", async () => {
    const { proxy, bucket, pail } = faults;
    const struck = proxy.inject({ on: BEGIN, times: 1, does: LOST });
    const target = `t/${bucket.name}/large`;
    const result = await pail(["cp", join(bucket.root, "large"), target, "--part-size", "5MiB"]);
    expect(result).toMatchObject({ code: 0 });
    expect(struck()).toBe(1);
    expect((await bucket.get("large")).equals(bucket.large)).toBe(true);
    expect(await bucket.uploads()).toEqual([]);
  });

  it("to every beginning of an upload ends the upload, and the error says where some may be left", async () => {
    const { proxy, bucket, pail } = faults;
    proxy.inject({ on: BEGIN, does: LOST });
    const target = `t/${bucket.name}/large`;
    const args = ["cp", join(bucket.root, "large"), target, "--part-size", "5MiB"];
    const result = await pail([...args, "--retries", "1"]);
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(result.stderr).toContain("whether an upload has begun is not known\n");
    expect(result.stderr).toContain(`hint: pail uploads list ${target}\n`);
    expect(await bucket.keys()).toEqual([]);
    expect(await bucket.uploads()).toHaveLength(2);
    expect(await pail(["uploads", "abort", target])).toMatchObject({ code: 0 });
    expect(await bucket.uploads()).toEqual([]);
  });

  it.each([
    ["to the end of", {} as const],
    ["to the conditional end of", { ifExists: "skip" } as const],
  ])("%s an upload is mended by looking at what the service has", async (_when, how) => {
    const { proxy, bucket } = faults;
    const struck = proxy.inject({ on: COMPLETE, times: 1, does: LOST });
    const report = await bucket.upload("large", { stateDir: bucket.state, ...how });
    expect(struck()).toBe(1);
    expect(report).toMatchObject({ failures: [], left: [], snapshot: { items: { done: 1 } } });
    expect((await bucket.get("large")).equals(bucket.large)).toBe(true);
    expect(await bucket.uploads()).toEqual([]);
  });

  it("to the conditional end of an upload is no success when another upload came first", async () => {
    const { proxy, bucket } = faults;
    proxy.inject({ on: COMPLETE, times: 1, does: { type: "reset-request", bytes: 0 } });
    let written: Promise<unknown> | undefined;
    proxy.watch((line) => {
      if (BEGIN.test(line)) written = bucket.straight.write("large", bucket.small);
    });
    const report = await bucket.upload("large", { stateDir: bucket.state, ifExists: "skip" });
    expect(report.failures).toMatchObject([{ error: { code: "ECONNRESET" } }]);
    expect(report.left).toHaveLength(1);
    await written;
    expect((await bucket.get("large")).equals(bucket.small)).toBe(true);
  });

  it("to a conditional write is mended by looking at what the service has", async () => {
    const { proxy, bucket, pail } = faults;
    const struck = proxy.inject({ on: OBJECT_PUT, times: 1, does: LOST });
    const args = ["cp", "-n", join(bucket.root, "small"), `t/${bucket.name}/small`];
    const result = await pail(args);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("small") });
    expect(struck()).toBe(1);
    const again = await pail(args);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(`skipped t/${bucket.name}/small: it exists`);
    expect((await bucket.get("small")).equals(bucket.small)).toBe(true);
  });

  it("to a copy within the service is followed by the same copy", async () => {
    const { proxy, bucket } = faults;
    await bucket.straight.write("small", bucket.small);
    const struck = proxy.inject({ on: OBJECT_PUT, times: 1, does: LOST });
    const report = await copy({ sources: [bucket.place("small")], target: bucket.place("other") });
    expect(struck()).toBe(1);
    expect(report).toMatchObject({ failures: [], snapshot: { items: { done: 1 } } });
    expect((await bucket.get("other")).equals(bucket.small)).toBe(true);
  });

  it.each([
    ["one key", ["k/1"], /^DELETE /],
    ["a batch", ["k/1", "k/2", "k/3"], DELETE_BATCH],
  ])("to the removal of %s counts each key once", async (_what, names, on) => {
    const { proxy, bucket } = faults;
    for (const key of names) await bucket.straight.write(key, Buffer.from("x"));
    const struck = proxy.inject({ on, times: 1, does: LOST });
    const { faulty: storage } = bucket;
    const report = await remove({ storage, alias: "t", targets: { prefix: "k/" } });
    expect(struck()).toBe(1);
    const items = { total: names.length, done: names.length, failed: 0 };
    expect(report).toMatchObject({ failures: [], snapshot: { items } });
    expect(await bucket.keys()).toEqual([]);
  });
});

describe("a refused removal", () => {
  it("that may pass is tried again, and each key counts once", async () => {
    for (let i = 0; i < 20; i += 1)
      await faults.bucket.straight.write(`k/${i}`, faults.bucket.small.subarray(0, 10));
    const struck = faults.proxy.inject({
      on: /^POST .*delete/,
      times: 2,
      does: { type: "refuse", status: 503, code: "SlowDown" },
    });
    const report = await remove({
      storage: faults.bucket.faulty,
      alias: "t",
      targets: { prefix: "k/" },
    });
    expect(struck()).toBe(2);
    expect(report.snapshot.items).toMatchObject({ total: 20, done: 20, failed: 0 });
    expect(await faults.bucket.keys()).toEqual([]);
  });
});

describe("a failure that never ends", () => {
  const REFUSED = { type: "refuse", status: 500, code: "InternalError" } as const;

  it("of a range ends the download after all its tries, and the next run goes on", async () => {
    const { proxy, bucket } = faults;
    await bucket.fill();
    const struck = proxy.inject({ on: /bytes=5242880-/, does: REFUSED });
    const report = await bucket.download("large", { stateDir: bucket.state });
    expect(struck()).toBe(5);
    expect(report.failures).toMatchObject([
      { error: { kind: "unavailable", code: "InternalError" } },
    ]);
    expect(bucket.files()).toHaveLength(report.left.length);
    expect(bucket.files()).not.toContain("out");
    proxy.heal();
    const again = await bucket.download("large", { stateDir: bucket.state });
    expect(again.failures).toEqual([]);
    expect(bucket.read("out").equals(bucket.large)).toBe(true);
    expect(bucket.files()).toEqual(["out"]);
  });

  it("of a batch names every key of it, and the next run removes them", async () => {
    const { proxy, bucket, pail } = faults;
    for (const key of ["k/1", "k/2"]) await bucket.straight.write(key, Buffer.from("x"));
    proxy.inject({ on: DELETE_BATCH, does: REFUSED });
    const args = ["rm", "-r", "--force", `t/${bucket.name}/k/`];
    const result = await pail(args, { AWS_MAX_ATTEMPTS: "2" });
    expect(result).toMatchObject({ code: 7 });
    for (const key of ["k/1", "k/2"]) expect(result.stderr).toContain(`t/${bucket.name}/${key}`);
    expect(await bucket.keys()).toEqual(["k/1", "k/2"]);
    proxy.heal();
    expect(await pail(args)).toMatchObject({ code: 0 });
    expect(await bucket.keys()).toEqual([]);
  });

  it.each([-10, 10])("of lengths that are wrong by %i bytes leaves no file", async (by) => {
    const { proxy, bucket } = faults;
    await bucket.fill();
    for (const key of ["small", "large"]) {
      proxy.inject({ on: OBJECT_GET, does: { type: "wrong-length", by } });
      const report = await bucket.download(key);
      expect(report.failures).toMatchObject([{ error: { kind: "unavailable" } }]);
      expect(bucket.files()).toEqual([]);
      proxy.heal();
      expect((await bucket.download(key)).failures).toEqual([]);
      expect(bucket.read("out").equals(key === "large" ? bucket.large : bucket.small)).toBe(true);
      rmSync(join(bucket.root, "files/out"));
    }
  });
});
