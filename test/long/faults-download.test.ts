/** Failures of downloads, and what they leave: nothing, or what the error says. */
import { beforeEach, describe, expect, it } from "vitest";

import { MIB } from "../../src/core/transfer/sizes.js";
import { pseudoRandom, recorder } from "../support/bucket.js";
import type { Fault } from "../support/fault-proxy.js";
import { useFaults } from "../support/faults.js";
import { OBJECT_GET } from "../support/faulty-bucket.js";

const faults = useFaults();

describe("a download", () => {
  beforeEach(() => faults.bucket.fill());

  const passing: [string, string, Fault][] = [
    [
      "a burst of 503",
      "large",
      { on: OBJECT_GET, times: 4, does: { type: "refuse", status: 503, code: "SlowDown" } },
    ],
    [
      "connections reset in the middle",
      "large",
      { on: OBJECT_GET, times: 4, does: { type: "reset-response", bytes: 2 * MIB } },
    ],
    [
      "a connection reset at the first byte",
      "large",
      { on: OBJECT_GET, times: 2, does: { type: "reset-response", bytes: 0 } },
    ],
    [
      "a connection reset before the last byte",
      "small",
      { on: OBJECT_GET, times: 2, does: { type: "reset-response", bytes: 199_999 } },
    ],
    ["a lost answer", "small", { on: OBJECT_GET, times: 2, does: { type: "lose-response" } }],
  ];
  it.each(passing)("survives %s", async (_name, key, fault) => {
    const struck = faults.proxy.inject(fault);
    const report = await faults.bucket.download(key);
    expect(struck()).toBeGreaterThan(0);
    expect(report.failures).toEqual([]);
    expect(
      faults.bucket.read("out").equals(key === "large" ? faults.bucket.large : faults.bucket.small),
    ).toBe(true);
    expect(faults.bucket.files()).toEqual(["out"]);
    expect(report.snapshot.bytes.done).toBe(report.snapshot.bytes.total);
  });

  it.each([
    ["small", 77],
    ["large", 4 * MIB],
  ])("of %s whose bytes change on the way fails, and leaves no file", async (key, at) => {
    faults.proxy.inject({ on: OBJECT_GET, does: { type: "corrupt-response", at } });
    const report = await faults.bucket.download(key, { stateDir: faults.bucket.state });
    expect(report.failures).toMatchObject([{ error: { code: "ChecksumMismatch" } }]);
    expect(faults.bucket.files()).toEqual([]);
  });

  it("of an object that is shorter than its head says fails, and leaves no file", async () => {
    faults.proxy.inject({ on: OBJECT_GET, does: { type: "wrong-length", by: 10 } });
    const report = await faults.bucket.download("small");
    expect(report.failures).toHaveLength(1);
    expect(faults.bucket.files()).toEqual([]);
  });

  it.each([
    ["small", 1_000],
    ["large", MIB],
  ])("of %s that is replaced meanwhile is an error, not a mixture", async (key, bytes) => {
    let replaced: Promise<unknown> | undefined;
    const size = faults.bucket[key as "small" | "large"].length;
    faults.proxy.inject({
      on: OBJECT_GET,
      after: key === "small" ? 0 : 2,
      does: { type: "reset-response", bytes },
      times: 50,
    });
    const report = await faults.bucket.download(key, {
      // The object is replaced long before the last byte.
      limitDownload: 4 * MIB,
      onEvent: ({ type }) => {
        if (type === "retried")
          replaced ??= faults.bucket.straight.write(key, pseudoRandom(size, 5));
      },
    });
    await replaced;
    expect(report.failures).toHaveLength(1);
    expect(["SourceChanged", "ECONNRESET", "IncompleteBody"]).toContain(
      report.failures[0]?.error.code,
    );
    expect(faults.bucket.files()).toEqual([]);
  });

  it("that breaks off at every try keeps what it has, and the next run goes on from there", async () => {
    faults.proxy.inject({
      on: /bytes=5242880-/,
      times: 5,
      does: { type: "reset-response", bytes: 0 },
    });
    const broken = await faults.bucket.download("large", { stateDir: faults.bucket.state });
    expect(broken.failures).toMatchObject([{ error: { kind: "unavailable" } }]);
    expect(faults.bucket.files()).toHaveLength(1);
    expect(faults.bucket.files()).not.toContain("out");
    const seen = recorder();
    const lines: string[] = [];
    faults.proxy.watch((line) => lines.push(line));
    const again = await faults.bucket.download("large", {
      stateDir: faults.bucket.state,
      onEvent: seen.onEvent,
    });
    expect(again.failures).toEqual([]);
    expect(seen.of("resumed")[0]?.skipped).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("bytes=")).length).toBeLessThan(4);
    expect(faults.bucket.read("out").equals(faults.bucket.large)).toBe(true);
    expect(faults.bucket.files()).toEqual(["out"]);
  });

  it.each(["small", "large"])(
    "of %s that stalls ends at once when it is interrupted",
    async (key) => {
      faults.proxy.inject({ on: OBJECT_GET, does: { type: "stall", bytes: 100_000 } });
      const abort = new AbortController();
      const running = faults.bucket.download(key, { signal: abort.signal });
      const stalled = new Promise<void>((resolve) =>
        faults.proxy.watch((line) => OBJECT_GET.test(line) && resolve()),
      );
      await stalled;
      abort.abort();
      await expect(running).rejects.toMatchObject({ kind: "interrupted" });
      expect(faults.bucket.files()).toEqual([]);
    },
  );
});
