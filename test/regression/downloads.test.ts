/** A download writes what was listed and what is stored, whatever happens on the way. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { copy } from "../../src/core/operations/copy.js";
import type { TransferEvent, TransferItem } from "../../src/core/engine/events.js";
import { createRun } from "../../src/core/engine/run.js";
import { asListed } from "../../src/core/transfer/remote.js";
import { MIB } from "../../src/core/transfer/sizes.js";
import { useFaults } from "../support/faults.js";
import { OBJECT_GET, PART } from "../support/faulty-bucket.js";
import { until } from "../support/until.js";

const faults = useFaults();
const RANGE = /bytes=/;
const EITHER = /^(GET|HEAD) \/[^/?]+\/[^/?]/;

describe("an answer that is not what was listed", () => {
  it.each([
    ["a page with an ETag of its own", "<html></html>", "not what was listed"],
    ["nothing at all", "", "not what was listed"],
  ])("%s is not written", async (_, body, words) => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    const headers = { etag: '"page"', "content-length": String(body.length) };
    proxy.inject({ on: OBJECT_GET, does: { type: "pretend", body, headers } });
    const target = { ...bucket.local("files/"), path: join(bucket.root, "files/") };
    const report = await copy({ sources: [bucket.place("")], target, recursive: true });
    expect(report.failures.map(({ error }) => error.code)).toContain("SourceChanged");
    expect(report.failures.map(({ error }) => error.message).join()).toContain(words);
    expect(bucket.files().filter((name) => name === "small")).toEqual([]);
  });

  it("of the same size is accepted when a second look finds the same ETag", async () => {
    const { bucket } = faults;
    await bucket.straight.write("one", Buffer.from("old"));
    const ref = {
      type: "object",
      alias: "t",
      bucket: bucket.name,
      key: "one",
      etag: "listed",
    } as const;
    const object = { storage: bucket.faulty, ref };
    const info = await bucket.straight.stat("one");
    const item = { id: 1, size: 3 } as TransferItem;
    expect(await asListed(createRun({}), item, object, info)).toEqual(info);
    const other = { ...info, etag: "another" };
    await expect(async () => asListed(createRun({}), item, object, other)).rejects.toMatchObject({
      code: "SourceChanged",
    });
  });
});

describe("an answer that does not tell its length", () => {
  it.each(["small", "large"])("is read to its end: %s", async (key) => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    proxy.inject({ on: EITHER, does: { type: "unsized" } });
    const report = await bucket.download(key);
    expect(report.failures).toEqual([]);
    expect(bucket.read("out").equals(key === "small" ? bucket.small : bucket.large)).toBe(true);
  });

  it("is compared with the size in the listing", async () => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    proxy.inject({ on: EITHER, does: { type: "unsized" } });
    const target = { ...bucket.local("files/"), path: join(bucket.root, "files/") };
    const report = await copy({ sources: [bucket.place("small")], target, recursive: true });
    expect(report.failures).toEqual([]);
    expect(bucket.read("small").equals(bucket.small)).toBe(true);
  });

  it("is shown by cat", async () => {
    const { bucket, pail, proxy } = faults;
    await bucket.straight.write("text", Buffer.from("some text"));
    proxy.inject({ on: EITHER, does: { type: "unsized" } });
    const shown = await pail(["cat", `t/${bucket.name}/text`]);
    expect(shown).toMatchObject({ code: 0, stdout: "some text" });
  });
});

describe("bytes that arrive wrong once", () => {
  it.each([
    ["small", OBJECT_GET, {}],
    ["large", OBJECT_GET, { partSize: 32 * MIB }],
    ["large", RANGE, {}],
  ])("are fetched again: %s, %s", async (key, on, options) => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    const struck = proxy.inject({ on, times: 1, does: { type: "corrupt-response", at: 100 } });
    const report = await bucket.download(key, options);
    expect(struck()).toBe(1);
    expect(report.failures).toEqual([]);
    const whole = key === "small" ? bucket.small : bucket.large;
    expect(bucket.read("out").equals(whole)).toBe(true);
    expect(report.snapshot.bytes.done).toBe(whole.length);
  });
});

describe("a download that is interrupted before a range is whole", () => {
  it("keeps what it has", async () => {
    const { bucket, proxy } = faults;
    await bucket.fill();
    proxy.inject({ on: RANGE, does: { type: "stall", bytes: PART - 1024 } });
    const stop = new AbortController();
    const running = bucket.download("large", { stateDir: bucket.state, signal: stop.signal });
    const ended = running.catch((error: unknown) => error);
    const records = join(bucket.state, "transfers");
    const noted = () =>
      existsSync(records)
        ? readdirSync(records).flatMap((name) =>
            readFileSync(join(records, name), "utf8").split("\n").slice(1, -1),
          )
        : [];
    await until(() => noted().length >= 4);
    stop.abort();
    await ended;
    proxy.heal();
    let skipped = 0;
    const onEvent = (event: TransferEvent) => {
      if (event.type === "resumed") ({ skipped } = event);
    };
    await bucket.download("large", { stateDir: bucket.state, onEvent });
    expect(skipped).toBeGreaterThanOrEqual(3 * 4 * MIB);
    expect(bucket.read("out").equals(bucket.large)).toBe(true);
  });
});
